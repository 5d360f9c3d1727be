"""Adds the generator's intervals up to what sysbench's lines and summaries tell."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from dbdyno._native import Histogram
from dbdyno.peers.call.clients import ClientTimes
from dbdyno.peers.call.totals import until_client_goes_on
from dbdyno.protocol.intervals import ClientCounts, Interval
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.times import ResponseTimes, counted_times, quantile_ms


@dataclass
class Totals:
    """What happened in a stretch of time.

    ``other`` is sysbench's: with statements that might have changed rows and did not, which are
    ``unchanged``. ``ignored_errors`` are attempts that failed and were followed by another.
    """

    elapsed_s: float = 0.0
    transactions: int = 0
    read: int = 0
    write: int = 0
    other: int = 0
    unchanged: int = 0
    ignored_errors: int = 0
    reconnects: int = 0
    dropped: int = 0
    live_clients: int = 0
    waiting: int = 0
    running: int = 0
    in_flight: int = 0
    failed: int = 0
    times: ResponseTimes = field(default_factory=until_client_goes_on)
    unread_s: float = 0.0
    waited_for_cpu_s: float = 0.0
    service: Histogram = field(default_factory=Histogram)
    """From the begin to when the last answer arrived: the server's own part of ``times``."""
    client_transactions: list[int] = field(default_factory=list)
    client_busy_s: list[float] = field(default_factory=list)

    def add(self, interval: Interval) -> None:
        """Add an interval event; levels are those of the last one."""
        (transaction,) = interval.transactions.values()
        statements = interval.statements
        self.elapsed_s += interval.duration_s
        self.transactions += transaction.committed + transaction.rolled_back
        self.ignored_errors += transaction.retries
        self.dropped += transaction.dropped
        self.read += statements.read
        self.write += statements.write
        self.other += statements.other
        self.unchanged += statements.unchanged
        self.reconnects += interval.reconnects
        self.unread_s += interval.unread_s or 0.0
        self.waited_for_cpu_s += interval.generator.run_queue_delay_s
        self.live_clients = interval.live_clients
        self.waiting = interval.waiting
        self.running = interval.running
        self.in_flight = transaction.in_flight
        self.failed += transaction.failed
        for times in counted_times(interval):
            if times.measure == "service":
                self.service.merge(times.decode())
            else:
                self.times.add(times)
        if interval.clients is not None:
            self._add_clients(interval.clients)

    def _add_clients(self, clients: ClientCounts) -> None:
        counts, times_ns = clients.transactions, clients.turnaround_ns
        if not self.client_transactions:
            self.client_transactions = [0] * len(counts)
            self.client_busy_s = [0.0] * len(counts)
        for index, (count, time_ns) in enumerate(zip(counts, times_ns, strict=True)):
            self.client_transactions[index] += count
            self.client_busy_s[index] += time_ns / 1e9

    def without_zero_row_writes(self) -> Totals:
        """Return the same with every statement that is there to change rows counted as a write."""
        totals = Totals(**vars(self))
        totals.write += self.unchanged
        totals.other -= self.unchanged
        totals.unchanged = 0
        return totals

    @property
    def statements(self) -> int:
        """All statements that succeeded."""
        return self.read + self.write + self.other

    def per_s(self, count: int) -> float:
        """Return how many there were a second."""
        return count / self.elapsed_s if self.elapsed_s else 0.0

    def percentile_ms(self, percentile: float) -> float | None:
        """Return a percentile of response times; infinite beyond their range, None without any."""
        return quantile_ms(self.times.done, percentile / 100)

    @property
    def sum_ms(self) -> float:
        """The sum of the times until clients could go on."""
        return 1e3 * sum(self.client_busy_s)

    def client_times(self, plan: TrialPlan, *, is_embedded: bool) -> ClientTimes:
        """Return all times, of a run with this plan."""
        return ClientTimes(
            asked=plan.asking_clients,
            elapsed_s=self.elapsed_s,
            finished=self.transactions,
            given_up=self.failed,
            turnaround=self.times.done,
            service=self.service,
            failed=self.times.failed,
            unread_s=self.unread_s,
            waited_for_cpu_s=self.waited_for_cpu_s / plan.workers,
            is_embedded=is_embedded,
        )

    @property
    def fairness(self) -> tuple[float, float, float, float]:
        """Mean and standard deviation over clients: of transactions, of the time spent in them."""
        counts, times_s = self.client_transactions or [0], self.client_busy_s or [0.0]
        return (
            statistics.fmean(counts),
            statistics.pstdev(counts),
            statistics.fmean(times_s),
            statistics.pstdev(times_s),
        )
