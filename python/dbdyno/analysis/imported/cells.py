"""One cell over the trials that somebody else has measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dbdyno.analysis.clients import ClientsInEffect
from dbdyno.analysis.compare.metric import QUANTILES, MetricName, TrialValues
from dbdyno.analysis.compare.resolution import Resolutions, of_told
from dbdyno.analysis.estimates import coefficient_of_variation, geometric_mean
from dbdyno.analysis.findings import CellSummary, IntervalSeries, TrialReason
from dbdyno.analysis.steadiness.trial_steadiness import variation_of
from dbdyno.experiment.plan import Cell
from dbdyno.trial_evidence import IntervalEvidence, TrialEvidence


def is_used(trial: TrialEvidence) -> bool:
    """Tell whether a trial ended well and tells a figure."""
    return trial.failure is None and bool(trial.throughput_per_s or trial.figures)


def summarise(
    cell: Cell,
    trials: Sequence[TrialEvidence],
    excluded: Sequence[tuple[int, TrialReason]],
    resolutions: Mapping[str, Resolutions],
) -> CellSummary:
    """Return the summary of a cell over its used trials, each of a round of its own.

    What logs and tables do not tell is left at the type's least; nothing shows it
    (``Findings.imported``). ``resolutions`` are by the tool.
    """
    by_round = tuple(
        (each.round, each.throughput_per_s) for each in trials if each.throughput_per_s
    )
    throughput = np.array([value for _, value in by_round])
    values = {each.round: values_of(each) for each in trials}
    return CellSummary(
        cell=cell,
        throughput_per_s=geometric_mean(throughput),
        throughput_by_round=by_round,
        rounds=tuple(number for number, _ in by_round),
        coefficient_of_variation=coefficient_of_variation(throughput),
        response={},
        service={},
        lag={},
        committed=0,
        rolled_back=0,
        failed=0,
        dropped=0,
        retries=0,
        first_attempt_abort_share=0.0,
        statements_per_transaction=0.0,
        window_s=sum(each.measured_s or 0.0 for each in trials),
        # Of a single interval there is no line to draw.
        series=tuple(each for each in map(_series, trials) if len(each.start_s) > 1),
        excluded=tuple(excluded),
        clients=_clients(trials),
        values_by_round={
            metric: tuple(
                (number, known[metric]) for number, known in values.items() if metric in known
            )
            for metric in MetricName
        },
        resolution={
            metric: max(_resolution(each, metric, resolutions) for each in trials)
            for metric in MetricName
            if trials
        },
    )


def _clients(trials: Sequence[TrialEvidence]) -> ClientsInEffect | None:
    """Return the mean of the share in effect; None where a trial does not tell it."""
    shares = [each.share_in_effect for each in trials if each.share_in_effect is not None]
    if not shares or len(shares) < len(trials):
        return None
    return ClientsInEffect(sum(shares) / len(shares), None)


def _resolution(
    trial: TrialEvidence, metric: MetricName, by_tool: Mapping[str, Resolutions]
) -> float:
    """Return how finely a trial's figure is known: as its tool prints it, or as it was divided."""
    printed = by_tool.get(trial.source.tool, {}).get(metric, 0.0)
    if metric is not MetricName.THROUGHPUT or not trial.throughput_per_s:
        return printed
    return max(printed, (trial.throughput_step_per_s or 0.0) / trial.throughput_per_s)


def resolutions_of(trials: Iterable[TrialEvidence]) -> dict[str, dict[MetricName, float]]:
    """Return how finely each tool tells its figures."""
    return of_told((each.source.tool, values_of(each)) for each in trials)


def values_of(trial: TrialEvidence) -> TrialValues:
    """Return what cells are compared by of one trial; what it does not tell is left out."""
    values: TrialValues = {}
    if trial.throughput_per_s:
        values[MetricName.THROUGHPUT] = trial.throughput_per_s
    told = trial.times.quantiles_ms if trial.times else {}
    for metric, quantile in QUANTILES.items():
        if told.get(quantile):
            values[metric.name] = told[quantile]
    rates = [each.throughput_per_s for each in _window(trial) if each.throughput_per_s is not None]
    variation = variation_of(np.array(rates)) if rates else None
    if variation:
        values[MetricName.VARIATION] = variation
    return values


def _window(trial: TrialEvidence) -> list[IntervalEvidence]:
    """Return the intervals of what was measured; those of a warm-up begin before it."""
    return [each for each in trial.intervals if each.start_s >= 0]


def _series(trial: TrialEvidence) -> IntervalSeries:
    told = [each for each in _window(trial) if each.throughput_per_s is not None]
    return IntervalSeries(
        round=trial.round,
        start_s=tuple(each.start_s for each in told),
        throughput_per_s=tuple(each.throughput_per_s or 0.0 for each in told),
        response_p95_ms=tuple(each.quantiles_ms.get(0.95) for each in told),
    )
