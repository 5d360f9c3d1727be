"""How many clients waited for the server, by Little's law: throughput x mean time = clients.

A client that asks again at once waits for the server all the time, but while an answer lies unread
because the generator is busy or has no CPU: then the server has fewer clients than were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno._native import Histogram
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.protocol.intervals import FAILED_RESPONSE, TURNAROUND

SHARE_MIN = 0.9
"""A cell with a smaller share of its clients in effect is marked."""

UNLIKE_SHARES = 0.1
"""Cells whose shares differ by more are not compared by response time."""


@dataclass(frozen=True)
class ClientsInEffect:
    """Clients that waited for the server, as a share of those that were at work.

    ``asked`` is None where clients wait on purpose: in an open loop, and where terminals think.
    """

    share: float
    asked: int | None

    @property
    def in_effect(self) -> float | None:
        """Clients on average; None where it is not known how many were at work."""
        return None if self.asked is None else self.share * self.asked

    def is_like(self, other: ClientsInEffect) -> bool:
        """Whether both had about the same share of their clients in effect."""
        high = max(self.share, other.share)
        return high - min(self.share, other.share) <= UNLIKE_SHARES * high


ALL_IN_EFFECT = ClientsInEffect(1.0, None)
"""What is taken for true where it is not known."""


def clients_in_effect(measured: WindowTotals) -> ClientsInEffect | None:
    """Return it for one trial.

    None where nothing was done, and where a script sleeps: its pauses are in its times. Where the
    kernel did not time the arrival of answers (Unix sockets) it is not known either, but that they
    lay unread while the generator waited for a CPU.
    """
    plan = measured.trial.generator_plan
    at_work_s = time_of_clients_s(measured) - _queued_s(measured)
    if at_work_s <= 0 or plan.sleeps:
        return None
    end = measured.trial.end
    if measured.embedded or (end is not None and end.kernel_timestamps):
        return ClientsInEffect(1 - min(_unread_s(measured) / at_work_s, 1.0), plan.asking_clients)
    waited_share = share_waited_for_cpu(measured)
    if waited_share <= 1 - SHARE_MIN:
        return None
    return ClientsInEffect(1 - min(waited_share, 1.0), plan.asking_clients)


def share_of_interval(
    unread_s: float | None, asking_clients: int | None, duration_s: float
) -> float | None:
    """Return the share that waited for the server in so many seconds; None where it is unknown."""
    if not unread_s or not asking_clients:
        return None
    return 1 - min(unread_s / (asking_clients * duration_s), 1.0)


def share_waited_for_cpu(measured: WindowTotals) -> float:
    """Return the share of a window in which the generator's workers waited for a CPU."""
    waited_s = float(measured.generator["run_queue_delay_s"].sum())
    return waited_s / (measured.workers * measured.window_s)


def mean_clients(trials: Sequence[WindowTotals]) -> ClientsInEffect | None:
    """Return the mean over the trials of a cell; None where one of them does not know."""
    known = [found for found in map(clients_in_effect, trials) if found is not None]
    if not known or len(known) < len(trials):
        return None
    return ClientsInEffect(sum(each.share for each in known) / len(known), known[0].asked)


def time_of_clients_s(measured: WindowTotals) -> float:
    """Return the time that transactions took in a window, until clients could go on, added up."""
    histograms = measured.trial.histograms
    whole = [h for (_, name), h in histograms.items() if name == TURNAROUND]
    if whole:
        done_s = sum(map(seconds_of, whole))
    else:
        services = [h for (_, name), h in histograms.items() if name == "service"]
        done_s = sum(map(seconds_of, services)) + _unread_s(measured)
    failed = [h for (_, name), h in histograms.items() if name == FAILED_RESPONSE]
    return done_s + sum(map(seconds_of, failed))


def _queued_s(measured: WindowTotals) -> float:
    """Return how long transactions of an open loop that did their work were due and not begun."""
    histograms = measured.trial.histograms
    return sum(seconds_of(h) for (_, name), h in histograms.items() if name == "lag")


def _unread_s(measured: WindowTotals) -> float:
    """Return how long answers lay unread; an older generator knew it of last answers alone."""
    known = measured.generator_sums["unread_s"]
    return seconds_of(measured.trial.loop_lag.decode()) if known is None else known


def seconds_of(times: Histogram) -> float:
    """Return the sum of times."""
    return times.mean_ns * times.count / 1e9 if times.count else 0.0
