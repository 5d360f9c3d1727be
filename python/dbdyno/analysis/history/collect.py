"""From several results to one history: a value of each cell and metric in each result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analysis.clients import ALL_IN_EFFECT, ClientsInEffect
from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT, Metric
from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import CellSummary, Estimate, Findings
from dbdyno.analysis.history.judge import Judged, Standing, judge_history
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
    summaries = [moment.findings.by_cell.get(cell) for moment in moments]
    estimates = tuple(
        None if each is None else _estimate(each, metric, moment.findings)
        for each, moment in zip(summaries, moments, strict=True)
    )
    means = {place: each.mean for place, each in enumerate(estimates) if each is not None}
    alike = list(means)
    if metric is not THROUGHPUT:
        alike = _alike({place: _clients(summaries[place]) for place in means})
    judged = {place: Judged(mean, Standing.OTHER_CLIENTS) for place, mean in means.items()}
    judged |= zip(alike, judge_history([means[place] for place in alike]), strict=True)
    return Line(
        cell,
        metric,
        estimates,
        tuple(judged.get(place) for place in range(len(moments))),
        tuple(each is not None and bool(each.idle_rounds) for each in summaries),
    )


def _clients(summary: CellSummary | None) -> ClientsInEffect:
    return (summary.clients if summary else None) or ALL_IN_EFFECT


def _alike(clients: Mapping[int, ClientsInEffect]) -> list[int]:
    """Return the places of most results with about the same share of their clients in effect.

    Of two such sets of one size it is the one with more clients in effect.
    """
    highs = sorted(clients.values(), key=lambda each: -each.share)
    sets = (
        [
            place
            for place, each in clients.items()
            if each.share <= high.share and each.is_like(high)
        ]
        for high in highs
    )
    return max(sets, key=len, default=[])


def _estimate(summary: CellSummary, metric: Metric, findings: Findings) -> Estimate | None:
    values = _values(summary, metric)
    if not values or min(values) <= 0:
        return None
    found = geometric_mean(np.array(values))
    return findings.measure.estimate(found) if metric is THROUGHPUT else found


def _values(summary: CellSummary, metric: Metric) -> list[float]:
    if metric is THROUGHPUT:
        return [value for _, value in summary.throughput_by_round]
    return [value for _, value in summary.values_by_round.get(metric.name, ())]
