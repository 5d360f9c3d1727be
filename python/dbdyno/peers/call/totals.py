"""Adds the generator's intervals up, by kind of transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dbdyno._native import Histogram
from dbdyno.peers.call.clients import ClientTimes
from dbdyno.protocol.intervals import TURNAROUND, Interval, TransactionSample
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.times import ResponseTimes, Times, ended_times, merge_all, quantile_ms


def until_client_goes_on() -> ResponseTimes:
    """Return the times that commands print: the tools whose place they take know no others."""
    return ResponseTimes(measure=TURNAROUND)


@dataclass
class KindTotals:
    """What became of the transactions of one kind."""

    committed: int = 0
    rolled_back: int = 0
    failed: int = 0
    dropped: int = 0
    retries: int = 0
    first_attempt_aborts: int = 0
    times: ResponseTimes = field(default_factory=until_client_goes_on)
    service: Histogram = field(default_factory=Histogram)
    """From when each was begun to when its last answer arrived: the server's part of ``times``."""
    lag: Histogram = field(default_factory=Histogram)
    """From when each was due to when it was begun."""

    def add(self, counted: TransactionSample) -> None:
        """Add what an interval counted of this kind."""
        self.committed += counted.committed
        self.rolled_back += counted.rolled_back
        self.failed += counted.failed
        self.dropped += counted.dropped
        self.retries += counted.retries
        self.first_attempt_aborts += counted.first_attempt_aborts

    def add_time(self, times: Times) -> None:
        """Add a histogram of this kind."""
        if times.measure == "lag":
            self.lag.merge(times.decode())
        elif times.measure == "service":
            self.service.merge(times.decode())
        else:
            self.times.add(times)

    def merge(self, other: KindTotals) -> None:
        """Add the transactions of another kind."""
        self.committed += other.committed
        self.rolled_back += other.rolled_back
        self.failed += other.failed
        self.dropped += other.dropped
        self.retries += other.retries
        self.first_attempt_aborts += other.first_attempt_aborts
        self.times.merge(other.times)
        self.service.merge(other.service)
        self.lag.merge(other.lag)

    @property
    def finished(self) -> int:
        """Those that did their work; to roll back on purpose is part of it."""
        return self.committed + self.rolled_back

    def percentile_ms(self, percentile: float) -> float | None:
        """Return a percentile of response times; infinite beyond their range, None without any."""
        return quantile_ms(self.times.done, percentile / 100)

    @property
    def max_ms(self) -> float:
        """The longest response time; 0 without any."""
        return quantile_ms(self.times.done, 1.0) or 0.0

    @property
    def mean_ms(self) -> float:
        """The mean response time."""
        return self.times.done.mean_ns / 1e6 if self.times.done.count else 0.0

    def later_than(self, limit_ms: float) -> int:
        """Return how many took longer."""
        late = sum(
            count for value_ns, count in self.times.done.recorded() if value_ns > limit_ms * 1e6
        )
        return late + self.times.done.overflow


@dataclass
class ErrorTotals:
    """One class of errors: how many attempts it ended, and one server's words for it."""

    count: int = 0
    code: int | None = None
    sample: str = ""


@dataclass
class Totals:
    """What happened in a stretch of time."""

    elapsed_s: float = 0.0
    kinds: dict[str, KindTotals] = field(default_factory=dict)
    errors: dict[str, ErrorTotals] = field(default_factory=dict)
    live_clients: int = 0
    statements: int = 0
    round_trips: int = 0
    unread_s: float = 0.0
    """How long answers lay unread, over all clients."""
    waited_for_cpu_s: float = 0.0
    """How long workers waited for a CPU, together."""
    renewals: int = 0
    renewal_s: float = 0.0
    """The time that new connections took together, made after so many transactions as asked for."""
    generator_cpu_s: float = 0.0

    def add(self, interval: Interval) -> None:
        """Add an interval event, with the times of all that ended in it."""
        self.add_counts(interval)
        self.add_times(ended_times(interval))

    def add_times(self, times: Iterable[Times]) -> None:
        """Add times alone."""
        for each in times:
            self.kinds.setdefault(each.transaction, KindTotals()).add_time(each)

    def add_counts(self, interval: Interval) -> None:
        """Add what an interval event counted; levels are those of the last one."""
        statements, generator = interval.statements, interval.generator
        self.elapsed_s += interval.duration_s
        self.live_clients = interval.live_clients
        self.statements += statements.read + statements.write + statements.other
        self.round_trips += interval.round_trips or 0
        self.unread_s += interval.unread_s or 0.0
        self.waited_for_cpu_s += interval.generator.run_queue_delay_s
        self.renewals += interval.renewals or 0
        self.renewal_s += interval.renewal_s or 0.0
        self.generator_cpu_s += generator.user_s + generator.system_s
        for kind, counted in interval.transactions.items():
            self.kinds.setdefault(kind, KindTotals()).add(counted)
        for error in interval.errors:
            known = self.errors.setdefault(error.error_class, ErrorTotals())
            known.count += error.count
            known.code = error.code
            known.sample = error.sample

    def client_times(self, plan: TrialPlan, *, is_embedded: bool) -> ClientTimes:
        """Return the times of all kinds together, of a run with this plan."""
        kinds = self.kinds.values()
        return ClientTimes(
            asked=plan.asking_clients,
            elapsed_s=self.elapsed_s,
            finished=sum(each.finished for each in kinds),
            given_up=sum(each.failed for each in kinds),
            turnaround=merge_all(each.times.done for each in kinds),
            service=merge_all(each.service for each in kinds),
            failed=merge_all(each.times.failed for each in kinds),
            unread_s=self.unread_s,
            waited_for_cpu_s=self.waited_for_cpu_s / plan.workers,
            is_embedded=is_embedded,
        )

    def error_lines(self) -> list[str]:
        """Return a line for each class of errors, retried ones included."""
        return [
            f"{error.count} × {name} ({error.code}): {error.sample}\n"
            for name, error in sorted(self.errors.items())
        ]

    def of(self, kind: str) -> KindTotals:
        """Return the totals of a kind, of which there may have been none."""
        return self.kinds.get(kind) or KindTotals()

    def finished(self, kinds: Iterable[str]) -> int:
        """Return how many transactions of these kinds did their work."""
        return sum(self.of(kind).finished for kind in kinds)

    def per_minute(self, count: int) -> float:
        """Return how many there were a minute."""
        return 60 * count / self.elapsed_s if self.elapsed_s else 0.0

    def per_s(self, count: int) -> float:
        """Return how many there were a second."""
        return count / self.elapsed_s if self.elapsed_s else 0.0
