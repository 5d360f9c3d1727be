"""What the throughput of somebody else's trials counts."""

from __future__ import annotations

from dbdyno.analysis.throughput import NOPM, MeasureCode, ThroughputMeasure
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import Counted, ResultEvidence, TrialEvidence

_COUNTED = {
    Counted.NEW_ORDERS: MeasureCode.NOPM,
    Counted.QUERIES: MeasureCode.QUERIES,
    Counted.OPERATIONS: MeasureCode.OPERATIONS,
}
_BY_NOTE = {
    NoteCode.COUNTS_OPERATIONS: MeasureCode.OPERATIONS,
    NoteCode.COUNTS_QUERIES: MeasureCode.STATEMENTS,
    NoteCode.NOT_A_DATABASE: MeasureCode.EVENTS,
}


def counted_codes(result: ResultEvidence) -> frozenset[MeasureCode]:
    """Return what the trials count: one code. Importers refuse trials that differ in it."""
    if result.counted in _COUNTED:
        return frozenset({_COUNTED[result.counted]})
    return frozenset(map(_code, result.trials))


def measure_of(result: ResultEvidence) -> ThroughputMeasure:
    """Return the measure of a result."""
    code = min(counted_codes(result), default=MeasureCode.TRANSACTIONS)
    return NOPM if code is MeasureCode.NOPM else ThroughputMeasure(code, None, 1.0)


def _code(trial: TrialEvidence) -> MeasureCode:
    codes = (_BY_NOTE[code] for code in _BY_NOTE if any(n.code == code for n in trial.notes))
    return next(codes, MeasureCode.TRANSACTIONS)
