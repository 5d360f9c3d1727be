"""Which cells make a curve, and what the law says of them, or why it is not told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analysis.compare.ratios import common_rounds
from dbdyno.analysis.findings import CellSummary
from dbdyno.analysis.scaling.law import Parameters, Values, fit
from dbdyno.analysis.scaling.misfit import misfit_of
from dbdyno.analysis.scaling.model import (
    CurvePoint,
    Law,
    Peak,
    PeakStanding,
    Refusal,
    Scaling,
)
from dbdyno.analysis.scaling.resampling import resampled, span
from dbdyno.experiment.plan import Cell, FactorLevels, PlannedTrial

FEWEST_LEVELS = 6
"""Of a curve with three parameters, two of which do much the same with few clients."""
FEWEST_ROUNDS = 3
CURVE_POINTS = 33


def scaling_of(
    factors: Sequence[FactorLevels],
    summaries: Sequence[CellSummary],
    planned: Iterable[PlannedTrial],
) -> tuple[Scaling, ...]:
    """Return what the law says for each combination of the other factors' levels."""
    factor = next((each.name for each in factors if each.sets == "load.clients"), None)
    if factor is None:
        return ()
    sleeping = {trial.cell for trial in planned if trial.generator_plan.sleeps}
    by_others: dict[Cell, list[CellSummary]] = {}
    for summary in summaries:
        if summary.throughput_by_round:
            by_others.setdefault(summary.cell.without(factor), []).append(summary)
    return tuple(
        _scaling(factor, others, members, sleeping)
        for others, members in by_others.items()
        if len(members) > 1
    )


@dataclass(frozen=True)
class _Level:
    """A number of clients with the logarithm of throughput in each round that did anything."""

    clients: int
    logarithms: Mapping[int, float]


def _scaling(
    factor: str, others: Cell, members: Sequence[CellSummary], sleeping: Collection[Cell]
) -> Scaling:
    levels = sorted(_levels(factor, members), key=lambda level: level.clients)
    sharing, rounds = common_rounds(levels)
    clients = tuple(level.clients for level in sharing)
    refusal = _why_not(members, sleeping, len(clients), len(rounds))
    found = Scaling(factor, others, clients, len(rounds), refusal)
    if refusal is not None:
        return found
    logarithms = np.array([[level.logarithms[number] for level in sharing] for number in rounds])
    return _fitted(found, np.array(clients, dtype=np.float64), logarithms)


def _levels(factor: str, members: Sequence[CellSummary]) -> Iterator[_Level]:
    for each in members:
        done = {number: rate for number, rate in each.throughput_by_round if rate > 0}
        logarithms = {number: float(np.log(rate)) for number, rate in done.items()}
        yield _Level(int(each.cell.level(factor)), logarithms)


def _why_not(
    members: Sequence[CellSummary], sleeping: Collection[Cell], levels: int, rounds: int
) -> Refusal | None:
    """Return what keeps the law from being fitted."""
    if any(each.offered_per_s is not None for each in members):
        return Refusal.OPEN_LOOP
    if any(not each.always_asks or each.cell in sleeping for each in members):
        return Refusal.WAITS
    if any(rate <= 0 for each in members for _, rate in each.throughput_by_round):
        return Refusal.IDLE
    if levels < FEWEST_LEVELS:
        return Refusal.FEW_LEVELS
    return Refusal.FEW_ROUNDS if rounds < FEWEST_ROUNDS else None


def _fitted(found: Scaling, clients: Values, logarithms: Values) -> Scaling:
    """Return the law with its intervals, unless throughput has another shape, or no bend."""
    fitted = fit(clients, logarithms.mean(axis=0))
    misfit = misfit_of(clients, logarithms, fitted)
    law = None
    refusal: Refusal | None = Refusal.BAD_FIT
    if not misfit.is_bad:
        others = resampled(clients, logarithms, fitted)
        coherency = span(fitted.coherency, [each.coherency for each in others])
        refusal = None if coherency.low > 0 else Refusal.NO_BEND
        if refusal is None:
            law = _law(clients, logarithms, fitted, others)
    return Scaling(
        found.factor, found.others, found.clients, found.rounds, refusal, law, misfit.share
    )


def _law(
    clients: Values, logarithms: Values, fitted: Parameters, others: Sequence[Parameters]
) -> Law:
    places = np.geomspace(clients[0], clients[-1], CURVE_POINTS)
    return Law(
        lambda_per_s=span(np.exp(fitted.log_lambda), [np.exp(each.log_lambda) for each in others]),
        contention=span(fitted.contention, [each.contention for each in others]),
        coherency=span(fitted.coherency, [each.coherency for each in others]),
        peak=_peak(clients, fitted, others),
        extrapolated=_extrapolated(clients, logarithms, fitted, others),
        curve=tuple(_points(places, fitted, others)),
    )


def _points(
    places: Values, fitted: Parameters, others: Sequence[Parameters]
) -> Iterator[CurvePoint]:
    curves = np.exp([each.log_throughput(places) for each in others])
    for place, value, of_others in zip(
        places, np.exp(fitted.log_throughput(places)), curves.T, strict=True
    ):
        yield CurvePoint(float(place), span(float(value), of_others))


def _peak(clients: Values, fitted: Parameters, others: Sequence[Parameters]) -> Peak:
    most = clients[-1]
    if fitted.peak_clients > 2 * most:
        return Peak(PeakStanding.BEYOND)
    if fitted.peak_clients < clients[0]:
        return Peak(PeakStanding.BELOW)
    is_within = fitted.peak_clients <= most
    return Peak(
        PeakStanding.WITHIN if is_within else PeakStanding.EXTRAPOLATED,
        span(fitted.peak_clients, [each.peak_clients for each in others]),
        span(_highest_per_s(fitted), [_highest_per_s(each) for each in others]),
    )


def _highest_per_s(curve: Parameters) -> float:
    """Return throughput at the peak; that of a curve without one grows to λ/σ, or for ever."""
    if np.isfinite(curve.peak_clients):
        return float(np.exp(curve.log_throughput(np.array([curve.peak_clients])))[0])
    return float(np.exp(curve.log_lambda)) / curve.contention if curve.contention else np.inf


def _extrapolated(
    clients: Values, logarithms: Values, fitted: Parameters, others: Sequence[Parameters]
) -> CurvePoint:
    """Return throughput at twice the most clients.

    There it hangs on the law and on single levels, of which rounds that agree say nothing.
    """
    place = np.array([2 * clients[-1]])
    (point,) = _points(place, fitted, others)
    mean = logarithms.mean(axis=0)
    without_one = [
        fit(np.delete(clients, index), np.delete(mean, index), start=fitted)
        for index in range(len(clients))
    ]
    ends = [float(np.exp(each.log_throughput(place))[0]) for each in without_one]
    per_s = point.per_s
    low, high = min(per_s.low, *ends), max(per_s.high, *ends)
    return CurvePoint(point.clients, type(per_s)(per_s.value, low, high))
