"""Checks of the generator itself: whether it was the server that was measured, or the client.

An embedded database works in the generator's own threads. That those are busy is then the point of
the exercise, and the checks of busy workers, late answers and waiting threads have nothing to say.
"""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.analysis.clients import SHARE_MIN, clients_in_effect, share_waited_for_cpu
from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.generators import BUSY_WORKER_SHARE_MAX
from dbdyno.analysis.server_place import runs_here
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.layout import GENERATOR_CLAMPS
from dbdyno.times import merge_all

BUSY_INTERVALS_SHARE_MAX = 0.1
LOOP_LAG_SHARE_MAX = 0.1
RUN_QUEUE_SHARE_MAX = 0.1
STOPPED_MIN_S = 0.5
STOPPED_SHARE_MIN = 0.01
PAUSED_MIN_S = 0.1
PAUSED_SHARE_MIN = 0.05
PAUSED_RESPONSE_SHARE_MIN = 0.5
CLOCK_STEP_MAX_S = 0.1


@dataclass(frozen=True)
class Pauses:
    """How long the generator itself did not run within a window, although it should have."""

    longest_s: float
    total_s: float
    window_s: float

    def evidence(self) -> Evidence:
        """Return them as evidence."""
        return Evidence(
            EvidenceKind.NOT_RUNNING,
            paused_s=self.total_s,
            window_s=self.window_s,
            longest_s=self.longest_s,
        )


def pauses(measured: WindowTotals) -> Pauses:
    """Return the pauses that the generator told of, or that an answer waited for it.

    An answer that waited long was there and nobody took it. Of pauses that hit no answer only the
    generator itself can tell, and so it is with sockets that have no time of arrival.
    """
    lag_s = measured.trial.loop_lag.decode().max_ns / 1e9
    longest_s = measured.generator_column("longest_pause_s")
    paused_s = measured.generator_column("paused_s")
    return Pauses(
        longest_s=max(lag_s, 0.0 if longest_s is None else float(longest_s.max(initial=0.0))),
        total_s=max(lag_s, 0.0 if paused_s is None else float(paused_s.sum())),
        window_s=measured.window_s,
    )


def generator_stopped(measured: WindowTotals) -> Evidence | None:
    """Find a generator that stood still for so long that p99 or throughput are its own."""
    found = pauses(measured)
    if found.longest_s < STOPPED_MIN_S or found.total_s < STOPPED_SHARE_MIN * found.window_s:
        return None
    return found.evidence()


def generator_paused(measured: WindowTotals) -> Evidence | None:
    """Find pauses that take a notable part of the window, or make the longest response times."""
    found = pauses(measured)
    longest_response_s = measured.all_times("response").max_ns / 1e9
    is_longest = found.longest_s >= max(
        PAUSED_MIN_S, PAUSED_RESPONSE_SHARE_MIN * longest_response_s
    )
    if found.total_s < PAUSED_SHARE_MIN * found.window_s and not is_longest:
        return None
    return found.evidence()


def generator_busy(measured: WindowTotals) -> Evidence | None:
    """Find a busiest worker that used more than 90 % of its time in more than 10 % of intervals."""
    if measured.embedded:
        return None
    shares = measured.generator["busiest_worker_share"]
    busy = int((shares > BUSY_WORKER_SHARE_MAX).sum())
    if busy <= BUSY_INTERVALS_SHARE_MAX * len(shares):
        return None
    return Evidence(
        EvidenceKind.WORKER_BUSY,
        limit_share=BUSY_WORKER_SHARE_MAX,
        busy=busy,
        intervals=len(shares),
    )


def generator_late(measured: WindowTotals) -> Clauses:
    """Look at how long answers lay unread: over all clients, and the p99 beside response times."""
    found = (_clients_not_in_effect(measured), _answers_late(measured))
    return tuple(each for each in found if each is not None)


def _clients_not_in_effect(measured: WindowTotals) -> Evidence | None:
    clients = clients_in_effect(measured)
    if clients is None or clients.share >= SHARE_MIN:
        return None
    if clients.in_effect is None:
        return Evidence(EvidenceKind.UNREAD, unread_share=1 - clients.share)
    return Evidence(
        EvidenceKind.CLIENTS_IN_EFFECT, working_clients=clients.in_effect, clients=clients.asked
    )


def _answers_late(measured: WindowTotals) -> Evidence | None:
    histograms = measured.trial.histograms
    response = merge_all(histograms[key] for key in histograms if key[1] == "response")
    lag_ns = measured.trial.loop_lag.decode().quantile_ns(0.99)
    response_ns = response.quantile_ns(0.5)
    if measured.embedded or lag_ns is None or not response_ns:
        return None
    if lag_ns <= LOOP_LAG_SHARE_MAX * response_ns:
        return None
    return Evidence(EvidenceKind.ANSWERS_LATE, delay_ms=lag_ns / 1e6, response_ms=response_ns / 1e6)


def generator_starved(measured: WindowTotals) -> Evidence | None:
    """Compare the time that workers waited for a CPU with the length of the window."""
    share = share_waited_for_cpu(measured)
    if share <= RUN_QUEUE_SHARE_MAX:
        return None
    return Evidence(EvidenceKind.WAITED_FOR_CPU, waited_share=share, count=measured.workers)


def shared_host(measured: WindowTotals) -> Evidence | None:
    """Find a server on this machine that has no CPUs of its own."""
    if measured.embedded or not runs_here(measured) or measured.trial.server.cpus:
        return None
    return Evidence(EvidenceKind.ON_ONE_HOST)


def clock_stepped(measured: WindowTotals) -> Clauses:
    """Compare the trial's length by both clocks, and find answers at impossible times."""
    step_s = measured.trial.clock.step_s
    found = []
    if abs(step_s) > CLOCK_STEP_MAX_S:
        found.append(Evidence(EvidenceKind.CLOCK_MOVED, moved_change_s=step_s))
    if clamps := _clock_clamps(measured):
        found.append(Evidence(EvidenceKind.IMPOSSIBLE_TIMES, count=clamps))
    return tuple(found)


def _clock_clamps(measured: WindowTotals) -> int:
    clamps = measured.generator_column(GENERATOR_CLAMPS)
    return 0 if clamps is None else int(clamps.sum())
