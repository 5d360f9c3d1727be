"""What a generator says of one interval of a trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from dbdyno.protocol.form import left_out

TIMES = ("response", "service", "lag")
"""What is recorded of each transaction that was committed or rolled back on purpose."""
TURNAROUND = "turnaround"
"""From when a transaction was due to when its client could go on: the response time, and how long
the answer lay unread. Generators of earlier versions did not send it."""
FAILED_RESPONSE = "failed_response"
"""The response time of each transaction that failed: from when it was due to when it was given up.

An event has it only where a transaction failed."""


class Phase(StrEnum):
    """The part of a trial that an interval belongs to."""

    WARMUP = "warmup"
    WINDOW = "window"
    DRAIN = "drain"


@dataclass(frozen=True)
class SentHistogram:
    """A histogram as it was sent: its encoding, and how many values lie beyond its range."""

    text: str
    overflow: int


@dataclass(frozen=True, kw_only=True)
class TransactionTimes:
    """Histograms of one kind of transaction, by measure; None where there is none.

    Each is in HdrHistogram's V2 compressed encoding, in nanoseconds.
    """

    response: str | None = left_out(None)
    response_overflow: int = left_out(0)
    service: str | None = left_out(None)
    service_overflow: int = left_out(0)
    lag: str | None = left_out(None)
    lag_overflow: int = left_out(0)
    turnaround: str | None = left_out(None)
    turnaround_overflow: int = left_out(0)
    failed_response: str | None = left_out(None)
    failed_response_overflow: int = left_out(0)

    def histograms(self) -> Iterator[tuple[str, SentHistogram]]:
        """Yield each measure that there is, with its histogram."""
        for measure in (*TIMES, TURNAROUND, FAILED_RESPONSE):
            text = getattr(self, measure)
            if text is not None:
                yield measure, SentHistogram(text, getattr(self, f"{measure}_overflow"))


@dataclass(frozen=True, kw_only=True)
class TransactionSample(TransactionTimes):
    """What became of the transactions of one kind.

    ``in_flight`` is a level at the interval's end; the others are counts of what ended in it.
    """

    scheduled: int
    committed: int
    rolled_back: int
    failed: int
    dropped: int
    in_flight: int
    retries: int
    first_attempt_aborts: int


@dataclass(frozen=True)
class LateTimes:
    """Times of transactions that were scheduled in an earlier interval, by kind."""

    index: int
    phase: Phase
    transactions: Mapping[str, TransactionTimes]


@dataclass(frozen=True)
class StatementCounts:
    """Statements that succeeded, as sysbench counts them.

    ``unchanged`` are those of ``other`` that are there to change rows and did not.
    """

    read: int
    write: int
    other: int
    unchanged: int = 0


@dataclass(frozen=True, kw_only=True, config=ConfigDict(validate_by_name=True))
class ErrorCount:
    """One kind of error, how many attempts it ended, and one server's words for it."""

    error_class: Annotated[str, Field(alias="class")]
    code: int | None
    sqlstate: str | None = None
    count: int
    sample: str


@dataclass(frozen=True)
class ClientCounts:
    """By client, where that was asked for."""

    transactions: tuple[int, ...]
    response_ns: tuple[int, ...]
    turnaround_ns: tuple[int, ...]


@dataclass(frozen=True)
class HostSample:
    """What one of several hosts did; ``live_clients`` is a level at the interval's end."""

    host: str
    transactions: int
    live_clients: int


@dataclass(frozen=True, kw_only=True)
class GeneratorHealth:
    """What the generator did and suffered. None is what an older generator did not tell."""

    user_s: float
    system_s: float
    busiest_worker_share: float
    run_queue_delay_s: float
    longest_pause_s: float | None = None
    paused_s: float | None = None
    napped_s: float | None = None
    naps: int | None = None
    voluntary_switches: int
    involuntary_switches: int
    clock_clamps: int | None = None
    loop_lag: str
    loop_lag_overflow: int = left_out(0)

    @property
    def loop_lag_histogram(self) -> SentHistogram:
        """How late the workers came to what was due, as it was sent."""
        return SentHistogram(self.loop_lag, self.loop_lag_overflow)


@dataclass(frozen=True, kw_only=True)
class GeneratorSample:
    """What one of several generators did in an interval; the first two are counts of all kinds.

    ``live_clients`` is a level at the interval's end. ``new_orders`` are those of TPC-C that were
    committed or rolled back on purpose; None of other workloads.
    """

    generator_index: int
    scheduled: int
    ended: int
    live_clients: int
    new_orders: int | None = left_out(None)
    health: GeneratorHealth


@dataclass(frozen=True, kw_only=True)
class Interval:
    """One interval. None is what an older generator did not tell."""

    event: Literal["interval"] = "interval"
    phase: Phase
    index: int
    start_s: float
    """From the start of the window on; negative in the warm-up."""
    duration_s: float
    transactions: Mapping[str, TransactionSample]
    statements: StatementCounts
    round_trips: int | None = None
    unread_s: float | None = None
    """How long answers lay unread, over all clients; 0 where the kernel does not time arrivals."""
    live_clients: int
    waiting: int = 0
    """Transactions that are due and not begun, when the interval was closed."""
    running: int = 0
    reconnects: int
    renewals: int | None = None
    renewal_s: float | None = None
    errors: tuple[ErrorCount, ...]
    longest_gap_s: float | None = None
    generator: GeneratorHealth
    late: tuple[LateTimes, ...] = left_out(())
    clients: ClientCounts | None = left_out(None)
    hosts: tuple[HostSample, ...] = left_out(())
    generator_index: int = left_out(0)
    generators: tuple[GeneratorSample, ...] = left_out(())
    """What each of several did, where this is of all of them."""

    @property
    def end_s(self) -> float:
        """From the start of the window on."""
        return self.start_s + self.duration_s
