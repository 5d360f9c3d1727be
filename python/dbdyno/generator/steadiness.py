"""Whether throughput is steady: whether it is shown that it changes little, not only not shown to.

A test for a trend finds none where there is much noise and little time, and so calls a ramp steady
that has just begun. This turns the question round, as Dixon and Pechmann do ("A statistical test to
show negligible trend", Ecology 86, 2005, 1751-1756, after Schuirmann's two one-sided tests, 1987):
throughput is steady where the 90 % confidence interval of its change over the last intervals lies
within what is negligible. The slope and its interval are Theil's and Sen's, which a checkpoint in
one interval does not move.

The latest twenty intervals may show it or, where there is much noise, the latter half of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from dbdyno.protocol.events import ThroughputChange
from dbdyno.protocol.trial_plan import STEADY_INTERVALS_MIN

SPAN_MAX = 300
"""Each interval is compared with each."""

NEGLIGIBLE = 0.1
"""The share by which throughput may change over the span."""

CONFIDENCE = 0.9


def judge(throughput: Sequence[float]) -> ThroughputChange | None:
    """Return the change over the latest intervals; None where there are too few, or nothing ended.

    Of the two spans it is the one that shows steadiness, if either does.
    """
    count = len(throughput)
    spans = dict.fromkeys(
        (STEADY_INTERVALS_MIN, min(max(STEADY_INTERVALS_MIN, count // 2), SPAN_MAX))
    )
    changes = [
        change for span in spans if span <= count and (change := _change(throughput[-span:]))
    ]
    last = changes[-1] if changes else None
    return next(filter(is_steady, changes), last)


def is_steady(change: ThroughputChange) -> bool:
    """Tell whether a change is shown to be negligible."""
    return max(-change.low, change.high) < NEGLIGIBLE


def _change(throughput: Sequence[float]) -> ThroughputChange | None:
    middle = float(np.median(throughput))
    if middle <= 0:
        return None
    slope = scipy.stats.theilslopes(throughput, alpha=CONFIDENCE)
    scale = len(throughput) / middle
    return ThroughputChange(
        float(slope.low_slope) * scale, float(slope.high_slope) * scale, len(throughput)
    )
