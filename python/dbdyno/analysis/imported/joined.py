"""Results of which at least one is of logs: what both tell, as one result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dbdyno.analysis.compare.metric import QUANTILES
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.joined.model import Unlike, UnlikeKind
from dbdyno.analysis.throughput import MeasureCode
from dbdyno.experiment.plan import RESULT_PATH, Cell
from dbdyno.trial_evidence import (
    Counted,
    MeasuredFrom,
    ResultEvidence,
    Source,
    Times,
    TrialEvidence,
)


def evidence_of(findings: Findings, path: str) -> ResultEvidence:
    """Return the valid trials of our own as logs would tell them.

    The factor that says how many clients there are is left to ``clients``: each tool has a name of
    its own for it.
    """
    loads = {factor.name for factor in findings.factors if factor.sets == "load.clients"}
    asked = findings.setup.clients if findings.setup is not None else ()
    clients = asked[0] if len(asked) == 1 else None
    is_tpcc = findings.measure.code in (MeasureCode.NOPM, MeasureCode.TPMC)
    return ResultEvidence(
        name=findings.experiment,
        trials=tuple(
            replace(each, clients=each.clients or clients)
            for cell in findings.cells
            for each in _trials(cell, loads, path)
        ),
        counted=Counted.NEW_ORDERS if is_tpcc else Counted.TRANSACTIONS,
    )


def _trials(cell: CellSummary, loads: set[str], path: str) -> Iterator[TrialEvidence]:
    clients = [level for name, level in cell.cell.levels if name in loads]
    # In a closed loop a transaction is due when the last one has ended.
    origin = MeasuredFrom.START if cell.always_asks else MeasuredFrom.SCHEDULED
    for number, rate_per_s in cell.throughput_by_round:
        known = {
            quantile: dict(cell.values_by_round.get(metric.name, ())).get(number)
            for metric, quantile in QUANTILES.items()
        }
        quantiles_ms = {share: value for share, value in known.items() if value is not None}
        yield TrialEvidence(
            source=Source(tool="dbdyno", path=path),
            levels=tuple(level for level in cell.cell.levels if level[0] not in loads),
            round=number,
            clients=int(clients[0]) if clients and clients[0].isdigit() else None,
            share_in_effect=None if cell.clients is None else cell.clients.share,
            throughput_per_s=rate_per_s,
            times=Times(measured_from=origin, quantiles_ms=quantiles_ms),
        )


def with_one_origin(result: ResultEvidence) -> ResultEvidence:
    """Return a result without times, where some count from another instant than others."""
    if len({trial.times.measured_from for trial in result.trials if trial.times}) < 2:
        return result
    return replace(result, trials=tuple(replace(each, times=None) for each in result.trials))


def cells_by_side(result: ResultEvidence) -> dict[str, list[Cell]]:
    """Return the cells of each side, without the factor that tells the sides from each other."""
    found: dict[str, list[Cell]] = {}
    for trial in result.trials:
        cell = Cell(trial.levels)
        cells = found.setdefault(cell.level(RESULT_PATH), [])
        if cell.without(RESULT_PATH) not in cells:
            cells.append(cell.without(RESULT_PATH))
    return found


def unlike_factors(result: ResultEvidence, varied: Sequence[frozenset[str]]) -> tuple[Unlike, ...]:
    """Return what each side varies and the other one does not tell.

    Then nobody knows to which of its levels the other side belongs. ``varied`` has the names of
    factors that vary within each side.
    """
    known = {name for name, _ in result.trials[0].levels}
    lost = [sorted(names - known) for names in varied]
    if not any(lost):
        return ()
    return (Unlike(UnlikeKind.FACTORS, "", *(", ".join(names) for names in lost)),)


def unlike_levels(cells: Mapping[str, list[Cell]]) -> tuple[Unlike, ...]:
    """Return what keeps two sides apart that have no cell in common: their unlike levels."""
    own, other = cells.values()
    if set(own) & set(other):
        return ()
    return tuple(
        Unlike(UnlikeKind.NO_COMMON_LEVEL, name, ", ".join(left), ", ".join(right))
        for name, _ in own[0].levels
        for left, right in [(_levels(own, name), _levels(other, name))]
        if not set(left) & set(right)
    )


def _levels(cells: list[Cell], name: str) -> list[str]:
    return list(dict.fromkeys(cell.level(name) for cell in cells))


def common_cells(result: ResultEvidence) -> ResultEvidence:
    """Return the trials of those cells that both sides have."""
    own, other = cells_by_side(result).values()
    common = set(own) & set(other)
    return replace(
        result,
        trials=tuple(
            trial for trial in result.trials if Cell(trial.levels).without(RESULT_PATH) in common
        ),
    )
