"""Checks of time in which nothing finished, or hardly anything, although transactions should have.

A closed loop hides a stall from every percentile: its clients wait, so a stop of 1.5 s costs each
of them one transaction. The longest time between two completions shows it. Time in which the
generator itself did not run is never charged to the server.
"""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.validity.trial import most_frequent_error
from dbdyno.analysis.window_totals import WindowTotals

STALL_MIN_S = 0.2
STALL_WINDOW_SHARE = 0.01
STALL_ALWAYS_S = 1.0
STALL_P_VALUE_MAX = 1e-4
SERVICE_TIMES_MIN = 2.0

DIP_SHARE = 0.5
DIPS_MIN = 2
DIPS_SHARE_MIN = 0.1
DIPS_P_VALUE_MAX = 1e-4
PAUSED_SHARE_MAX = 0.1


def stalls(measured: WindowTotals) -> Clauses | None:
    """Find times without any completion that are too long to be chance.

    The most frequent error is told with them: who waits for a lock until a limit finishes nothing.
    """
    limit_s = shortest_stall_s(measured)
    if limit_s is None:
        return None
    gaps_s = _gaps_s(measured)
    stalled_s = np.where(gaps_s > limit_s, gaps_s, 0.0)
    if not stalled_s.any():
        return None
    stalled_s = np.maximum(stalled_s - _paused_in_gaps_s(measured, stalled_s), 0.0)
    if not np.any(stalled_s > limit_s):
        return None
    runs = groupby(range(len(stalled_s)), key=lambda index: bool(stalled_s[index] > limit_s))
    firsts = [next(indexes) for is_stalled, indexes in runs if is_stalled]
    gaps = Evidence(
        EvidenceKind.GAPS,
        count=len(firsts),
        limit_s=limit_s,
        longest_s=float(stalled_s.max()),
        first_start_s=float(measured.start_s[firsts[0]]),
    )
    empty = int(np.count_nonzero(measured.whole_throughput_per_s == 0))
    intervals = int(measured.whole.sum())
    nothing = Evidence(EvidenceKind.EMPTY_INTERVALS, empty=empty, intervals=intervals)
    return gaps, *((nothing,) if empty else ()), *most_frequent_error(measured)


def shortest_stall_s(measured: WindowTotals) -> float | None:
    """Return how long nothing may finish before it counts as a stall; None where nothing did.

    If transactions finished independently at their mean rate, the window would have a longer gap
    with a probability of one in ten thousand: a workload with one transaction a second has gaps.
    All clients may also be in step, each in a transaction of the usual length. And what is below
    one percent of the window touches no 99th percentile, up to one second.
    """
    finished = measured.throughput_per_s * measured.window_s
    if finished <= 0:
        return None
    by_chance_s = math.log(max(finished, 1.0) / STALL_P_VALUE_MAX) / measured.throughput_per_s
    in_step_s = SERVICE_TIMES_MIN * measured.median_s("service")
    worth_a_word_s = max(STALL_MIN_S, min(STALL_ALWAYS_S, STALL_WINDOW_SHARE * measured.window_s))
    return max(worth_a_word_s, by_chance_s, in_step_s)


def _gaps_s(measured: WindowTotals) -> NDArray[np.float64]:
    """Return, for each interval, the longest time without a completion that touches it.

    Where the generator did not tell, only whole intervals without any are known.
    """
    told = measured.generator_column("longest_gap_s")
    if told is not None:
        return told
    gaps_s = np.zeros(len(measured.start_s))
    running_s = 0.0
    for index, throughput_per_s in enumerate(measured.interval_throughput_per_s):
        running_s = 0.0 if throughput_per_s else running_s + measured.interval_duration_s[index]
        gaps_s[index] = running_s
    return gaps_s


def _paused_in_gaps_s(measured: WindowTotals, gaps_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each interval, how long the generator paused in the gap that touches it.

    A gap reaches back over as many intervals as it is long. Where pauses are not told, the largest
    delay of the generator's loop may have been in any gap.
    """
    paused_s = measured.generator_column("paused_s")
    if paused_s is None:
        return np.minimum(gaps_s, measured.trial.loop_lag.decode().max_ns / 1e9)
    start_s, ends_s = measured.start_s, measured.start_s + measured.interval_duration_s
    paused_in_s = np.zeros(len(gaps_s))
    for place in np.flatnonzero(gaps_s):
        begin_s = start_s[place] - gaps_s[place]
        paused_in_s[place] = paused_s[(ends_s > begin_s) & (start_s <= start_s[place])].sum()
    return paused_in_s


def dips(measured: WindowTotals) -> Evidence | None:
    """Count intervals with less than half the usual throughput, where that is no chance.

    So few may be expected in a workload with few transactions an interval; Poisson's distribution
    says how many. Those in which nothing finished are stalls, and count where there are others.
    Those in which the generator paused are not the server's.
    """
    whole = measured.whole_throughput_per_s
    usual_per_s = float(np.median(whole)) if len(whole) else 0.0
    is_low = whole < DIP_SHARE * usual_per_s
    paused_s = measured.generator_column("paused_s")
    if paused_s is not None:
        is_low &= (paused_s < PAUSED_SHARE_MAX * measured.interval_duration_s)[measured.whole]
    low = int(np.count_nonzero(is_low))
    others = int(np.count_nonzero(whole[is_low]))
    if others < DIPS_MIN or low < DIPS_SHARE_MIN * len(whole):
        return None
    usual = usual_per_s * float(measured.interval_duration_s.max())
    chance = float(special.pdtr(math.ceil(DIP_SHARE * usual) - 1, usual))
    if float(special.bdtrc(low - 1, len(whole), chance)) >= DIPS_P_VALUE_MAX:
        return None
    return Evidence(EvidenceKind.LOW_INTERVALS, low=low, intervals=len(whole))
