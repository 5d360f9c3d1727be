"""Runs that look like rounds of one cell and are of different tests or machines.

Options tell most runs apart. Where they do not, the headings above the runs of a file do, and how
many statements of each kind a transaction has. Where nothing does, and figures are far apart, the
user is asked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dbdyno.errors import InputError
from dbdyno.importer.headings import name_and_level
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import NOT_TOLD, SourceNote, TrialEvidence

_SAID_FROM = 2.0
"""So many times the lowest of a cell's rounds the highest is said: chance hardly makes so much."""
_ASKED_FROM = 10.0
"""So many times, runs of one file are taken as one cell only if the user says so."""
_REPEATED, _SAME_SHARE = 2.0, 0.05
"""Transactions that are repeated after a deadlock have more statements, and nearly the same mix."""
_HEADING, _STATEMENTS = "heading", "statements"


def apart(trials: Sequence[TrialEvidence]) -> list[TrialEvidence]:
    """Return trials with the factors that keep unlike ones out of one cell, where it takes any.

    A factor of that name that the user has given is enough.
    """
    found = list(trials)
    given = {name for trial in trials for name, _ in trial.levels}
    name, headings = _headings(found)
    if not {name, _HEADING} & given and (
        _is_needed(found, headings) or _tells_more(found, headings)
    ):
        found = _with_factor(found, name, headings)
    statements = _mixes(found)
    if _STATEMENTS in given or not _is_needed(found, statements):
        return found
    return _with_factor(found, _STATEMENTS, statements)


def _with_factor(
    trials: Sequence[TrialEvidence], name: str, levels: Sequence[str]
) -> list[TrialEvidence]:
    return [
        replace(trial, levels=(*trial.levels, (name, level)))
        for trial, level in zip(trials, levels, strict=True)
    ]


def _headings(trials: Sequence[TrialEvidence]) -> tuple[str, list[str]]:
    """Return the name of the factor and each trial's level."""
    told = [trial.source.heading for trial in trials]
    parts = {heading: name_and_level(heading) for heading in told if heading is not None}
    names = {part[0] if part else None for part in parts.values()}
    name = names.pop() if len(names) == 1 else None
    if name is None:
        return _HEADING, [heading or NOT_TOLD for heading in told]
    levels = {heading: part[1] for heading, part in parts.items() if part}
    return name, [levels.get(heading or "", NOT_TOLD) for heading in told]


def _is_needed(trials: Sequence[TrialEvidence], levels: Sequence[str]) -> bool:
    """Tell whether trials of one cell have different levels."""
    cells = defaultdict(set)
    for trial, level in zip(trials, levels, strict=True):
        cells[trial.levels].add(level)
    return any(len(found) > 1 for found in cells.values())


def _tells_more(trials: Sequence[TrialEvidence], levels: Sequence[str]) -> bool:
    """Tell whether headings differ in more than what options of the runs tell already."""
    rests = {
        _rest(level, [*trial.options.values(), str(trial.clients), *dict(trial.levels).values()])
        for trial, level in zip(trials, levels, strict=True)
        if level != NOT_TOLD
    }
    return len(rests) > 1


def _rest(heading: str, values: Sequence[str]) -> str:
    """Return what a heading has besides what options say: ``oltp_read_only, 8 threads``."""
    known = {re.sub(r"[\W_]", "", value.casefold()) for value in values}
    words = re.findall(r"\d+|[^\W\d_]+", heading.casefold())
    if any("".join(words) in value for value in known):
        return ""
    return " ".join(
        word
        for word in words
        if not (word in known if word.isdecimal() else any(word in value for value in known))
    )


def _mixes(trials: Sequence[TrialEvidence]) -> list[str]:
    """Return the statements of each trial in words; those that are nearly the same say the same."""
    seen: list[TrialEvidence] = []
    levels = []
    for trial in trials:
        if not sum(trial.statements.values()):
            levels.append(NOT_TOLD)
            continue
        like = next((each for each in seen if _is_same_mix(each, trial)), trial)
        if like is trial:
            seen.append(trial)
        told = like.statements.items()
        levels.append(", ".join(f"{value:.2g} {name}" for name, value in told if value >= 0.005))
    return levels


def _is_same_mix(one: TrialEvidence, other: TrialEvidence) -> bool:
    own, others = one.statements, other.statements
    own_total, others_total = sum(own.values()), sum(others.values())
    if max(own_total, others_total) > _REPEATED * min(own_total, others_total):
        return False
    return all(
        abs(own.get(name, 0.0) / own_total - others.get(name, 0.0) / others_total) <= _SAME_SHARE
        for name in own.keys() | others.keys()
    )


def check_parts(trials: Sequence[TrialEvidence], is_given: Sequence[bool]) -> None:
    """InputError where runs of one file would be rounds and differ as rounds never do."""
    cells = defaultdict(list)
    for trial, given in zip(trials, is_given, strict=True):
        if not given and trial.throughput_per_s and trial.failure is None:
            cells[trial.source.path, trial.levels].append(trial.throughput_per_s)
    for (path, _), rates in cells.items():
        if max(rates) >= _ASKED_FROM * min(rates):
            raise InputError(
                f"{path} has {len(rates)} runs that nothing tells apart, with throughputs from "
                f"{min(rates):,.4g} to {max(rates):,.4g} per second. Give each its level, in the "
                f"order of the file: dbdyno import test=FIRST/SECOND/…:{path}. If they are rounds "
                f"of one test, give them one level: test=NAME:{path}"
            )


def far_apart(trials: Sequence[TrialEvidence]) -> Iterator[SourceNote]:
    """Say how far the rounds of a cell are apart, where it is further than chance takes them."""
    cells = defaultdict(list)
    for trial in trials:
        if trial.throughput_per_s and trial.failure is None:
            cells[trial.levels].append(trial.throughput_per_s)
    spans = [(max(rates) / min(rates), min(rates), max(rates)) for rates in cells.values()]
    ratio, low, high = max(spans, default=(1.0, 0.0, 0.0))
    if ratio >= _SAID_FROM:
        figures = (("ratio", ratio), ("low_per_s", low), ("high_per_s", high))
        yield SourceNote(code=NoteCode.ROUNDS_FAR_APART, figures=figures)
