"""From several results to one history: a value of each cell and metric in each result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT, Metric
from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import CellSummary, Estimate, Findings
from dbdyno.analysis.history.judge import Judged, judge_history
from dbdyno.analysis.targets import parts_of
from dbdyno.experiment.plan import Cell
from dbdyno.store.model import StoredResult

METRICS = (THROUGHPUT, RESPONSE_P95)


@dataclass(frozen=True)
class Moment:
    """One result of a history."""

    name: str
    unix_s: float
    """When its first trial began."""
    version: str
    """Products and versions of its servers."""
    findings: Findings


@dataclass(frozen=True)
class Line:
    """One metric of one cell over all moments; None where a result does not have it.

    ``idle`` tells of each whether it does not have it because nothing was done in some round.

    Values are as a report writes them: throughput in the unit of its measure.
    """

    cell: Cell
    metric: Metric
    estimates: tuple[Estimate | None, ...]
    judged: tuple[Judged | None, ...]
    idle: tuple[bool, ...]


def began_unix_s(result: StoredResult) -> float:
    """Return when a result's first trial began; 0 where it has none."""
    return min((trial.clock.started_unix_s or 0.0 for trial in result.trials), default=0.0)


def versions_of(findings: Findings) -> str:
    """Return products and versions of all servers, each once."""
    known = [
        " ".join(
            ", ".join(map(str, parts_of(each[name])))
            for name in ("product", "version")
            if name in each
        )
        for each in findings.targets
    ]
    return ", ".join(dict.fromkeys(filter(None, known)))


def lines_of(moments: Sequence[Moment]) -> list[Line]:
    """Return a line for each cell and metric, in the order of the first result that has it."""
    cells = dict.fromkeys(cell.cell for moment in moments for cell in moment.findings.cells)
    lines = (_line(cell, metric, moments) for cell in cells for metric in METRICS)
    return [line for line in lines if any(line.idle) or any(line.estimates)]


def _line(cell: Cell, metric: Metric, moments: Sequence[Moment]) -> Line:
    estimates = tuple(_estimate(moment.findings, cell, metric) for moment in moments)
    known = [each.mean for each in estimates if each is not None]
    judged = tuple(_spread(judge_history(known), estimates))
    return Line(cell, metric, estimates, judged, tuple(_is_idle(each, cell) for each in moments))


def _is_idle(moment: Moment, cell: Cell) -> bool:
    summary = moment.findings.by_cell.get(cell)
    return summary is not None and bool(summary.idle_rounds)


def _spread(
    judged: Sequence[Judged], estimates: Sequence[Estimate | None]
) -> Iterable[Judged | None]:
    """Yield the judged values at the places of the estimates that are known."""
    remaining = iter(judged)
    for estimate in estimates:
        yield None if estimate is None else next(remaining)


def _estimate(findings: Findings, cell: Cell, metric: Metric) -> Estimate | None:
    summary = findings.by_cell.get(cell)
    if summary is None:
        return None
    values = _values(summary, metric)
    if not values or min(values) <= 0:
        return None
    found = geometric_mean(np.array(values))
    return findings.measure.estimate(found) if metric is THROUGHPUT else found


def _values(summary: CellSummary, metric: Metric) -> list[float]:
    if metric is THROUGHPUT:
        return [value for _, value in summary.throughput_by_round]
    return [value for _, value in summary.values_by_round.get(metric.name, ())]
