"""Columns that never change alone, so that no comparison tells which of them made a difference."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from dbdyno.analysis.audit.cells import has_systems, label
from dbdyno.analysis.audit.durability import is_durability
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Role, Summary
from dbdyno.varied_together import determines

SUBJECT = "subject"
"""Stands for the compared systems, whatever their columns are called."""
_NAMES_SUBJECT = re.compile(
    r"version|release|build|vendor|edition|product|system|engine|name|label|title|port|host|url|"
    r"branch|commit|role|版本|note|comment|color",
    re.I,
)
"""Columns that describe a system itself."""


_BEST = re.compile(r"best|peak|max|optim", re.I)


def check_confounding(joined: Joined) -> Iterator[AuditFinding]:
    """Yield set-up columns that change only together with another one."""
    settings = _settings(joined)
    varied = _varied(settings)
    loads = set(joined.data.named(Role.LOAD)) | {"threads"}
    factors = [n for n in varied if n not in loads and not _NAMES_SUBJECT.search(n)]
    # Each system with its own number of clients, unless it is said to be its best one.
    factors += [n for n in varied if n in loads and not _BEST.search(n) and _has_own(settings, n)]
    if SUBJECT in varied and has_systems(joined.data):
        # Of durability there is a finding of its own.
        factors = [name for name in factors if not is_durability(name)]
        factors = [SUBJECT, *(name for name in factors if not _is_in_subject(settings, name))]
    groups: list[list[str]] = []
    for name in factors:
        fits = [group for group in groups if _are_one(settings, group[0], name)]
        if fits:
            fits[0].append(name)
        else:
            groups.append([name])
    for group in groups:
        if len(group) > 1:
            yield _aliased(joined, settings, group)
    yield from _generators(joined)


def _has_own(settings: list[dict[str, str]], load: str) -> bool:
    """Tell whether systems have one number of clients each."""
    return all(SUBJECT in each for each in settings) and _are_one(settings, SUBJECT, load)


def _is_in_subject(settings: list[dict[str, str]], name: str) -> bool:
    """Tell whether the names of all subjects say the level of a column."""
    return all(s.get(name, "").lower() in s.get(SUBJECT, "").lower() for s in settings)


def _settings(joined: Joined) -> list[dict[str, str]]:
    """Return the distinct set-ups of a table: subject and factors, without load and case."""
    found = []
    case = set(joined.data.named(Role.CASE))
    for each in joined.data.rounds:
        setting = {name: level for name, level in each.levels if name not in case}
        if each.subject:
            setting[SUBJECT] = each.subject
        if setting not in found:
            found.append(setting)
    return found


def _varied(settings: list[dict[str, str]]) -> list[str]:
    levels: dict[str, set[str]] = defaultdict(set)
    for setting in settings:
        for name, level in setting.items():
            levels[name].add(level)
    return [name for name, found in levels.items() if len(found) > 1]


def _are_one(settings: list[dict[str, str]], one: str, other: str) -> bool:
    """Tell whether each level of one column comes with one level of the other, and the reverse.

    Two columns of numbers may be scaled together on purpose, and say so by themselves.
    """
    firsts, seconds = ({setting.get(name, "") for setting in settings} for name in (one, other))
    if "" in firsts | seconds:
        return False
    if not (determines(settings, one, other) and determines(settings, other, one)):
        return False
    return not (_are_numbers(firsts) and _are_numbers(seconds) and len(firsts) > 2)


def _are_numbers(levels: set[str]) -> bool:
    return all(re.fullmatch(r"[\d.,]+ *[kmgt]?i?b?", level, re.I) for level in levels)


def _aliased(joined: Joined, settings: list[dict[str, str]], group: list[str]) -> AuditFinding:
    subject = " ".join(joined.data.named(Role.SUBJECT)) or SUBJECT
    names = [subject if name == SUBJECT else name for name in group]
    levels_of = (tuple(zip(names, (s[n] for n in group), strict=True)) for s in settings)
    together = dict.fromkeys(levels_of)
    lines = [Line("together", levels=label(levels)) for levels in together]
    lines += _also(joined, group)
    return AuditFinding(
        Code.CONFOUNDED, joined.data.name, tuple(lines), (("columns", tuple(names)),)
    )


def _also(joined: Joined, group: list[str]) -> Iterator[Line]:
    """Yield what else differs between neighbouring cases that differ in the columns."""
    cases = list(_cases(joined).items())
    for (first, before), (second, after) in pairwise(cases):
        differing = [n for n in before if n in after and not set(before[n]) & set(after[n])]
        if all(name in differing for name in group):
            for name in (each for each in differing if each not in group):
                yield Line(
                    "also",
                    case=first,
                    other_case=second,
                    name=name,
                    levels=before[name],
                    other_levels=after[name],
                )


def _cases(joined: Joined) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the levels that each case has of each set-up column, in the order of the table."""
    name = next(iter(joined.data.named(Role.CASE)), None)
    loads = set(joined.data.named(Role.LOAD))
    cases: dict[str, dict[str, dict[str, None]]] = {}
    for each in joined.data.rounds:
        case = each.level(name) if name else None
        if case is None:
            continue
        levels = cases.setdefault(case, defaultdict(dict))
        for factor, level in each.levels:
            if factor != name and factor not in loads:
                levels[factor][level] = None
    return {
        case: {factor: tuple(found) for factor, found in levels.items()}
        for case, levels in cases.items()
    }


def _generators(joined: Joined) -> Iterator[AuditFinding]:
    """Yield cases with several parts that no case without parts can be held against."""
    name = next(iter(joined.data.named(Role.CASE)), None)
    parts: dict[str, dict[str, None]] = defaultdict(dict)
    with_total = {
        each.level(name) for each in joined.data.figures if name and each.summary is Summary.TOTAL
    }
    for each in joined.data.rounds:
        case = each.level(name) if name else None
        if case in with_total and case is not None and each.part:
            parts[case][each.part] = None
    cases = _cases(joined)
    whole = {case: levels for case, levels in cases.items() if case not in with_total}
    lines = []
    for case, found in parts.items():
        differing = _always_differing(cases[case], whole)
        if differing:
            levels = label({n: ", ".join(cases[case][n]) for n in differing})
            lines.append(Line("parts", case=case, parts=tuple(found), differing=levels))
    lines += list(_changed_parts(cases, parts))
    if lines and whole:
        yield AuditFinding(
            Code.CONFOUNDED,
            joined.data.name,
            tuple(lines),
            (("column", next(iter(joined.data.named(Role.PART)), "")),),
            variant="parts",
        )


def _always_differing(
    own: dict[str, tuple[str, ...]], others: dict[str, dict[str, tuple[str, ...]]]
) -> list[str]:
    """Return the columns in which all cases of the others have other levels."""
    return [
        name
        for name, levels in own.items()
        if others and all(not set(levels) & set(other.get(name, ())) for other in others.values())
    ]


def _changed_parts(
    cases: dict[str, dict[str, tuple[str, ...]]], parts: dict[str, dict[str, None]]
) -> Iterator[Line]:
    """Yield neighbouring cases whose parts change together with other columns."""
    for (first, before), (second, after) in zip(
        list(parts.items()), list(parts.items())[1:], strict=False
    ):
        differing = [n for n in cases[first] if cases[first][n] != cases[second].get(n)]
        if set(before) != set(after) and differing:
            yield Line(
                "parts_changed",
                case=first,
                parts=tuple(before),
                other_case=second,
                other_parts=tuple(after),
                differing=label({n: ", ".join(cases[first][n]) for n in differing}),
                other_differing=label({n: ", ".join(cases[second][n]) for n in differing}),
            )
