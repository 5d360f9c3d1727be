"""The operands of ``dbdyno compare``: results, and levels of results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from dbdyno.analysis.joined.part import Part
from dbdyno.cli.compared import Side
from dbdyno.cli.compared_logs import read_side
from dbdyno.cli.read_stored import read_stored
from dbdyno.cli.short_names import short_names
from dbdyno.errors import InputError
from dbdyno.importer.stored import is_import
from dbdyno.store.layout import FORMAT_FILE
from dbdyno.store.model import StoredResult

_LEVELS = re.compile(r"[^=,@]+=.*")
_NEXT_LEVEL = re.compile(r",(?=[^=,@]+=)")


def read_sides(texts: Sequence[str]) -> list[Side]:
    """Return operands that are written ``RESULT`` or ``RESULT@FACTOR=LEVEL,…``.

    InputError where one is no result and no log, or has no such level, and where the first two are
    the same.
    """
    parsed = [_parse(text) for text in texts]
    paths = [path for path, _ in parsed]
    names = [
        _name(short, levels) for short, (_, levels) in zip(short_names(paths), parsed, strict=True)
    ]
    results = {path: _read(path) for path in dict.fromkeys(path for path, _ in parsed)}
    sides: list[Side] = []
    for name, (path, levels) in zip(names, parsed, strict=True):
        stored = results[path]
        sides.append(
            read_side(name, path, levels) if stored is None else Part(name, stored, levels)
        )
    parts = [side for side in sides if isinstance(side, Part)]
    for part in parts:
        _refuse_unknown_levels(part)
    if isinstance(sides[0], Part) and isinstance(sides[1], Part):
        _refuse_pair(sides[0], sides[1])
    for side in sides[2:]:
        _refuse_repeated(side, sides[0], sides[1])
    for one, another in combinations(parts, 2):
        refuse_copy(one, another)
    order = tuple(factor.name for factor in parts[0].factors) if parts else ()
    return [replace(side, order=order) if isinstance(side, Part) else side for side in sides]


def _refuse_pair(baseline: Part, other: Part) -> None:
    """Refuse to compare a result with itself but for one factor."""
    if not baseline.is_of_one_result_with(other):
        return
    names = [*baseline.levels, *(name for name in other.levels if name not in baseline.levels)]
    varied = [name for name in names if baseline.levels.get(name) != other.levels.get(name)]
    if not varied:
        factors = ", ".join(factor.name for factor in baseline.factors) or "none"
        raise InputError(
            f"{baseline.name} and {other.name} are the same. To compare two levels of one result, "
            f"name them, as in RESULT@FACTOR=LEVEL; its factors are: {factors}"
        )
    halved = [name for name in varied if name not in baseline.levels or name not in other.levels]
    if len(varied) > 1 or halved:
        raise InputError(
            f"{baseline.name} and {other.name} differ in {' and '.join(varied)}: two levels of one "
            "result must differ in one factor, and both must name its level"
        )


def _refuse_repeated(again: Side, baseline: Side, other: Side) -> None:
    """Refuse an A/A check of a result with itself, or with what the rules are held against."""
    if not isinstance(again, Part):
        return
    for side in (baseline, other):
        if not isinstance(side, Part) or not again.is_of_one_result_with(side):
            continue
        if side is baseline or again.levels == side.levels:
            raise InputError(
                f"--again {again.name} is no second run: it is the same result as {side.name}. Run "
                f"the experiment of {baseline.name} once more, into a directory of its own"
            )


def refuse_copy(one: Part, another: Part) -> None:
    """Raise InputError where two directories hold the same trial, compared with itself then."""
    if one.is_of_one_result_with(another):
        return
    began = [
        {trial.clock.started_unix_s: trial.planned.number for trial in part.trials}
        for part in (one, another)
    ]
    shared = (began[0].keys() & began[1].keys()) - {0.0}
    if shared:
        number = min(began[0][moment] for moment in shared)
        raise InputError(
            f"{another.name} is a copy of {one.name}, or was one: both hold the trial that is "
            f"number {number} in {one.name}, and no trial can be compared with itself"
        )


def _parse(text: str) -> tuple[Path, dict[str, str]]:
    path, at, levels = text.rpartition("@")
    if Path(text).exists() or not at or not _LEVELS.fullmatch(levels):
        return Path(text), {}
    found: dict[str, str] = {}
    for level in _NEXT_LEVEL.split(levels):
        factor, _, value = level.partition("=")
        if factor in found:
            raise InputError(f"{text}: {factor} has a level already: {found[factor]}")
        found[factor] = value
    return Path(path), found


def _read(path: Path) -> StoredResult | None:
    """Return a result of our own; None where it is none, and may be a log."""
    if not path.exists():
        raise InputError(f"{path} does not exist")
    if is_import(path) or not (path / FORMAT_FILE).exists():
        return None
    return replace(read_stored(path), directory=path.resolve())


def _name(short: str, levels: dict[str, str]) -> str:
    chosen = ",".join(f"{name}={level}" for name, level in levels.items())
    return "@".join(filter(None, (short, chosen)))


def _refuse_unknown_levels(part: Part) -> None:
    for name, known in part.unknown_levels().items():
        if not known:
            factors = ", ".join(each.name for each in part.result.plan.factors) or "none"
            raise InputError(f"{part.name}: no factor is called {name}; its factors are: {factors}")
        raise InputError(
            f"{part.name}: {name} has no level {part.levels[name]}; it has {', '.join(known)}"
        )
