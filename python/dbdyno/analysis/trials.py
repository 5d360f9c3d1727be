"""How each planned trial stands: in exactly one of six ways, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from dbdyno.analysis.compare.trial_figures import TrialFigures
from dbdyno.analysis.evidence import Evidence, said
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding, Severity, Standing, TrialLine, TrialReason
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.analysis.validity.check import Exclusion
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.store.model import TrialStatus

_NOT_COMPLETED = {
    TrialStatus.FAILED: Standing.FAILED,
    TrialStatus.INTERRUPTED: Standing.INTERRUPTED,
}


def trial_lines(
    planned: Iterable[PlannedTrial],
    measured: Sequence[WindowTotals],
    figures: Mapping[int, TrialFigures],
    excluded: Mapping[int, Exclusion],
    warnings: Iterable[Finding],
    measure: ThroughputMeasure,
) -> tuple[TrialLine, ...]:
    """Return a line for each planned trial, in order."""
    by_number = {each.number: each for each in measured}
    warned = _warned(warnings)
    return tuple(
        _line(
            trial,
            by_number.get(trial.number),
            figures.get(trial.number, TrialFigures()),
            excluded.get(trial.number),
            warned[trial.number],
            measure,
        )
        for trial in planned
    )


def _line(
    trial: PlannedTrial,
    measured: WindowTotals | None,
    figures: TrialFigures,
    exclusion: Exclusion | None,
    warned: tuple[TrialReason, ...],
    measure: ThroughputMeasure,
) -> TrialLine:
    if measured is None:
        return TrialLine(trial.number, trial.round, trial.cell, Standing.MISSING)
    standing, reasons = _standing(measured, exclusion, warned)
    return TrialLine(
        trial.number,
        trial.round,
        trial.cell,
        standing,
        reasons,
        throughput_per_s=measured.of_kind_per_s(measure.kind) if measured.window_s else None,
        transactions_per_s=measured.throughput_per_s if measured.window_s else None,
        p95_ms=figures.p95_ms,
    )


def _standing(
    measured: WindowTotals, exclusion: Exclusion | None, warned: tuple[TrialReason, ...]
) -> tuple[Standing, tuple[TrialReason, ...]]:
    not_completed = _NOT_COMPLETED.get(measured.trial.status)
    if not_completed is not None:
        reason = said(measured.trial.reason) or (Evidence(EvidenceKind.NO_REASON),)
        return not_completed, (TrialReason(None, reason),)
    if exclusion is not None:
        return Standing.INVALID, (exclusion.reason(),)
    return (Standing.WITH_WARNINGS, warned) if warned else (Standing.VALID, ())


def _warned(warnings: Iterable[Finding]) -> defaultdict[int, tuple[TrialReason, ...]]:
    """Return what is said of each trial; notes leave it as valid as it was."""
    found: defaultdict[int, tuple[TrialReason, ...]] = defaultdict(tuple)
    for warning in warnings:
        if warning.severity is Severity.WARNING:
            for number in warning.trials:
                found[number] += (TrialReason(warning.code),)
    return found
