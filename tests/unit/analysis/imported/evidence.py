"""Evidence as importers and tables give it, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dbdyno.trial_evidence import (
    IntervalEvidence,
    ResultEvidence,
    Source,
    Times,
    TrialEvidence,
)


def trial(
    rate_per_s: float | None, number: int = 1, p95_ms: float | None = None, **levels: str
) -> TrialEvidence:
    """Return a trial that tells little: throughput, and perhaps a p95."""
    return TrialEvidence(
        source=Source(tool="sysbench", path="a.log"),
        levels=tuple(levels.items()),
        round=number,
        throughput_per_s=rate_per_s,
        times=None if p95_ms is None else Times(quantiles_ms={0.95: p95_ms}),
    )


def rounds(rates_per_s: Sequence[float], **levels: str) -> list[TrialEvidence]:
    """Return a cell's trials, a round each."""
    return [trial(rate, number, None, **levels) for number, rate in enumerate(rates_per_s, start=1)]


def evidence(*trials: TrialEvidence, **changes: Any) -> ResultEvidence:
    """Return a result of these trials."""
    return ResultEvidence(name="theirs", trials=trials, **changes)


def intervals(rates_per_s: Sequence[float], warmup: int = 0) -> tuple[IntervalEvidence, ...]:
    """Return intervals of a second, of which the first ``warmup`` are before the window."""
    return tuple(
        IntervalEvidence(start_s=float(second - warmup), duration_s=1.0, throughput_per_s=rate)
        for second, rate in enumerate(rates_per_s)
    )
