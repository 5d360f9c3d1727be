"""Trials → one result: factors, levels and rounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeAlias

from dbdyno.errors import InputError
from dbdyno.importer.factors import told_levels
from dbdyno.importer.parts import apart, check_parts, far_apart
from dbdyno.importer.read import natural
from dbdyno.importer.registry import READERS
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    Counted,
    ResultEvidence,
    SourceNote,
    TrialEvidence,
)

Levels: TypeAlias = tuple[tuple[str, str], ...]
"""Factor → level."""

_LONGER = 1.05
"""Times that differ by less are those of the same run length."""


def arrange(
    trials: Sequence[TrialEvidence],
    given_levels: Sequence[Levels] = (),
    *,
    name: str = "import",
    question: str = "",
    is_of_two: bool = False,
) -> ResultEvidence:
    """Return trials as a result.

    ``given_levels`` has what the user says of each trial, or is empty; given factors come first.
    Trials with equal levels are rounds of a cell: in order of time where all tell it, else of
    name and of place in the file. InputError where tools count different things, or where a factor
    is given for some trials only. ``is_of_two`` says that two results are compared: they may be of
    two tools, which is no factor then, and of which the caller knows what they count.
    """
    given = list(given_levels) or [()] * len(trials)
    kept, notes = _without_copies(trials, given)
    if not kept:
        raise InputError("there is no trial to arrange")
    only = [trial for trial, _ in kept]
    _check_given([levels for _, levels in kept], only)
    told, option_notes = told_levels(only, ignored={"tool"} if is_of_two else ())
    arranged = [
        replace(trial, levels=levels + _told(told, index, levels))
        for index, (trial, levels) in enumerate(kept)
    ]
    if not is_of_two:
        arranged = apart(arranged)
        check_parts(arranged, [bool(levels) for _, levels in kept])
    rounds = _rounds(arranged)
    return ResultEvidence(
        name=name,
        trials=tuple(rounds),
        counted=Counted.TRANSACTIONS if is_of_two else _counted(only),
        question=question,
        notes=(*notes, *option_notes, *_differences(rounds)),
    )


def _without_copies(
    trials: Sequence[TrialEvidence], given: Sequence[Levels]
) -> tuple[list[tuple[TrialEvidence, Levels]], list[SourceNote]]:
    """Leave out logs of the same content: a copy is no round.

    A log that tells hardly anything may be like another by chance. InputError where one content is
    given two levels.
    """
    first: dict[str | None, tuple[str, Levels]] = {}
    kept, copies = [], {}
    for trial, levels in zip(trials, given, strict=True):
        path = trial.source.path
        original, original_levels = first.setdefault(trial.source.sha256, (path, levels))
        if original == path or not (trial.times or trial.intervals):
            kept.append((trial, levels))
            continue
        if levels != original_levels:
            raise InputError(f"{path} has the same content as {original}, and other levels")
        copies[path] = original
    notes = [
        SourceNote(code=NoteCode.SAME_LOG_TWICE, figures=(("path", path), ("first", original)))
        for path, original in copies.items()
    ]
    return kept, notes


def _check_given(given: Sequence[Levels], trials: Sequence[TrialEvidence]) -> None:
    names = [tuple(name for name, _ in levels) for levels in given]
    for some, trial in zip(names, trials, strict=True):
        if sorted(some) != sorted(names[0]):
            one, other = (", ".join(each) or "nothing" for each in (names[0], some))
            raise InputError(
                f"{trials[0].source.path} is given {one} and {trial.source.path} {other}; "
                "give each log a level of the same factors"
            )


def _told(told: dict[str, list[str]], index: int, given: Levels) -> Levels:
    names = {name for name, _ in given}
    return tuple((name, levels[index]) for name, levels in told.items() if name not in names)


def _counted(trials: Sequence[TrialEvidence]) -> Counted:
    counted = {reader.module.TOOL: reader.counted for reader in READERS}
    tools = {counted[trial.source.tool]: trial.source.tool for trial in trials}
    _check_units(trials)
    if len(tools) > 1:
        new_orders, others = tools[Counted.NEW_ORDERS], tools[Counted.TRANSACTIONS]
        raise InputError(
            f"{new_orders} counts New-Orders, and {others} counts all transactions: "
            "their throughputs cannot stand in one result. Import them apart"
        )
    return next(iter(tools))


_UNITS = {
    NoteCode.COUNTS_OPERATIONS: "operations",
    NoteCode.COUNTS_QUERIES: "statements",
    NoteCode.NOT_A_DATABASE: "events of a test without a database",
}


def _check_units(trials: Sequence[TrialEvidence]) -> None:
    """InputError where trials count different things: a difference between them means nothing."""
    sources: dict[str, str] = {}
    for trial in trials:
        codes = {note.code for note in trial.notes}
        unit = next((_UNITS[code] for code in _UNITS if code in codes), "transactions")
        sources.setdefault(unit, trial.source.path)
    if len(sources) > 1:
        told = ", and ".join(f"{path} counts {unit}" for unit, path in sources.items())
        raise InputError(f"{told}: they cannot stand in one result. Import them apart")


def _rounds(trials: Sequence[TrialEvidence]) -> list[TrialEvidence]:
    """Return the trials numbered within each cell; cells stay in the order that is given."""
    cells: dict[Levels, list[TrialEvidence]] = defaultdict(list)
    for trial in trials:
        cells[tuple(sorted(trial.levels))].append(trial)
    return [
        replace(trial, round=number, levels=_in_order(trial.levels, trials[0].levels))
        for cell in cells.values()
        for number, trial in enumerate(_in_time(cell), start=1)
    ]


def _in_order(levels: Levels, first: Levels) -> Levels:
    """Return the levels with their factors as the first trial has them."""
    by_name = dict(levels)
    return tuple((name, by_name[name]) for name, _ in first)


def _in_time(cell: Sequence[TrialEvidence]) -> list[TrialEvidence]:
    """Return the trials of a cell in order of time where all tell it, else of name."""
    times = [trial.began_unix_s for trial in cell if trial.began_unix_s is not None]
    if len(times) == len(cell):
        return sorted(cell, key=lambda trial: trial.began_unix_s or 0.0)
    return sorted(cell, key=lambda trial: natural(trial.source.path))


def _differences(trials: Sequence[TrialEvidence]) -> Iterator[SourceNote]:
    """Yield what must be known of trials that stand side by side."""
    versions: dict[str, set[str]] = defaultdict(set)
    for trial in trials:
        if trial.source.tool_version:
            versions[trial.source.tool].add(trial.source.tool_version)
    for tool, found in versions.items():
        if len(found) > 1:
            figures = (("tool", tool), ("versions", ", ".join(sorted(found))))
            yield SourceNote(code=NoteCode.VERSIONS_DIFFER, figures=figures)
    lengths = [each.measured_s for each in trials if each.measured_s and not each.failure]
    if lengths and max(lengths) > _LONGER * min(lengths):
        figures_s = (("shortest_s", min(lengths)), ("longest_s", max(lengths)))
        yield SourceNote(code=NoteCode.DURATIONS_DIFFER, figures=figures_s)
    if len({trial.times.measured_from for trial in trials if trial.times}) > 1:
        yield SourceNote(code=NoteCode.MEASURED_FROM_DIFFERS)
    yield from far_apart(trials)
    if len({trial.levels for trial in trials}) == 1:
        yield SourceNote(code=NoteCode.NOTHING_VARIES)
    yield from _together(trials)


def _together(trials: Sequence[TrialEvidence]) -> Iterator[SourceNote]:
    """Yield each pair of factors of which no log tells one without the other."""
    columns = {name: [dict(trial.levels)[name] for trial in trials] for name, _ in trials[0].levels}
    for one, other in combinations(columns, 2):
        pairs = set(zip(columns[one], columns[other], strict=True))
        if len(pairs) == len(set(columns[one])) == len(set(columns[other])) > 1:
            figures = (("one", one), ("other", other))
            yield SourceNote(code=NoteCode.CHANGE_TOGETHER, figures=figures)
