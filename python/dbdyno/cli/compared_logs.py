"""``dbdyno compare`` where one of the two is not ours: logs, or what was imported of logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.analysis.imported.factors import factors_of
from dbdyno.analysis.imported.joined import (
    cells_by_side,
    common_cells,
    evidence_of,
    unlike_factors,
    unlike_levels,
    with_one_origin,
)
from dbdyno.analysis.imported.measure import counted_codes
from dbdyno.analysis.joined.model import Unlike
from dbdyno.analysis.joined.part import Part
from dbdyno.analysis.throughput import MeasureCode
from dbdyno.errors import InputError
from dbdyno.experiment.plan import RESULT_PATH, Cell
from dbdyno.importer.arrange import arrange
from dbdyno.importer.factors import CLIENTS
from dbdyno.importer.read import read_logs
from dbdyno.importer.stored import is_import, read_import
from dbdyno.trial_evidence import ResultEvidence, TrialEvidence


@dataclass(frozen=True)
class Logs:
    """One side of a comparison that dbdyno did not measure, under the name that it has there."""

    name: str
    result: ResultEvidence
    varied: frozenset[str] = frozenset()
    """What varies within it besides the clients, by the names of factors."""


def read_side(name: str, path: Path, levels: dict[str, str]) -> Logs:
    """Return what an import or a log tells; ``levels`` choose those trials that are at them."""
    result = read_import(path) if is_import(path) else arrange(_read_logs(path))
    chosen = [each for each in result.trials if levels.items() <= dict(each.levels).items()]
    if not chosen:
        known = sorted({f"{name}={level}" for each in result.trials for name, level in each.levels})
        raise InputError(
            f"{name}: no trial is at this level; there are {', '.join(known) or 'none'}"
        )
    trials = tuple(replace(each, levels=_given(each, levels)) for each in chosen)
    varied = {factor.name for factor in factors_of(chosen) if len(factor.levels) > 1} - {
        *CLIENTS.values(),
        "tool",
    }
    return Logs(name, replace(result, trials=trials), frozenset(varied))


def _read_logs(path: Path) -> tuple[TrialEvidence, ...]:
    try:
        return read_logs([path])
    except InputError as error:
        if not path.is_dir():
            raise
        raise InputError(
            f"{path} is no result directory: there is no format.json in it. Nor are there logs of "
            f"other tools: {error}"
        ) from error


def _given(trial: TrialEvidence, chosen: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the levels that the user gave at the import: the log itself tells the others."""
    told = {*CLIENTS.values(), "tool", *trial.options}
    return tuple(
        (name, level) for name, level in trial.levels if name not in told and name not in chosen
    )


_COUNTED = {
    MeasureCode.TRANSACTIONS: "all transactions",
    MeasureCode.NOPM: "New-Orders",
    MeasureCode.OPERATIONS: "operations",
    MeasureCode.STATEMENTS: "statements",
    MeasureCode.EVENTS: "events of a test without a database",
}


@dataclass(frozen=True)
class ComparedLogs:
    """What is found of both together; nothing where they have no cell in common."""

    findings: Findings | None
    unlike: tuple[Unlike, ...]
    lacking: list[Cell]
    """The cells that only the baseline has."""
    added: list[Cell]


def compare_logs(baseline: Part | Logs, other: Part | Logs, question: str) -> ComparedLogs:
    """Compare two sides by what logs tell. InputError where they count different things."""
    sides = [_evidence(each) for each in (baseline, other)]
    _check_counted(sides, (baseline.name, other.name))
    names = baseline.name, other.name
    trials = [each for side in sides for each in side.trials]
    levels = [
        ((RESULT_PATH, name), *each.levels)
        for name, side in zip(names, sides, strict=True)
        for each in side.trials
    ]
    joined = arrange(trials, levels, name=" / ".join(names), question=question, is_of_two=True)
    joined = replace(joined, counted=sides[0].counted)
    cells = cells_by_side(joined)
    if len(cells) < 2:
        raise InputError(f"{other.name} and {baseline.name} are the same log")
    own, others = cells[names[0]], cells[names[1]]
    varied = [each.varied if isinstance(each, Logs) else frozenset() for each in (baseline, other)]
    unlike = unlike_factors(joined, varied) or unlike_levels(cells)
    found = None if unlike else analyse_evidence(with_one_origin(common_cells(joined)))
    return ComparedLogs(
        found,
        unlike,
        [cell for cell in own if cell not in others],
        [cell for cell in others if cell not in own],
    )


def _check_counted(sides: Sequence[ResultEvidence], names: tuple[str, str]) -> None:
    own, other = map(counted_codes, sides)
    if own != other:
        told = [" and ".join(_COUNTED[code] for code in sorted(codes)) for codes in (own, other)]
        raise InputError(
            f"{names[1]} cannot be compared with {names[0]}: {names[0]} counts {told[0]}, and "
            f"{names[1]} counts {told[1]}"
        )


def _evidence(side: Part | Logs) -> ResultEvidence:
    if isinstance(side, Logs):
        return side.result
    result = evidence_of(analyse(side.result), side.name)
    trials = tuple(
        replace(each, levels=tuple(level for level in each.levels if level[0] not in side.levels))
        for each in result.trials
        if side.levels.items() <= dict(each.levels).items()
    )
    return replace(result, trials=trials)
