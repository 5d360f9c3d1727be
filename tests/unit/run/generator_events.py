"""Events as generators say them, for tests of what is made of several."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno._native import Histogram
from dbdyno.protocol.intervals import (
    ErrorCount,
    GeneratorHealth,
    HostSample,
    Interval,
    Phase,
    StatementCounts,
    TransactionSample,
)


def histogram(times_ns: Sequence[int]) -> str:
    """Return a histogram of some times, as it is sent."""
    made = Histogram()
    for time_ns in times_ns:
        made.record(time_ns)
    return made.encode()


def health(user_s: float = 0.1, longest_pause_s: float = 0.0) -> GeneratorHealth:
    """Return what a generator suffered."""
    return GeneratorHealth(
        user_s=user_s,
        system_s=0.2,
        busiest_worker_share=user_s,
        run_queue_delay_s=0.0,
        longest_pause_s=longest_pause_s,
        voluntary_switches=1,
        involuntary_switches=0,
        loop_lag=histogram([5]),
    )


def interval(
    generator: int,
    index: int,
    times_ns: Sequence[int] = (),
    *,
    in_flight: int = 0,
    deadlocks: int = 0,
    phase: Phase = Phase.WINDOW,
    kind: str = "read",
) -> Interval:
    """Return an interval in which one transaction was committed for each of some times."""
    sent = histogram(times_ns)
    sample = TransactionSample(
        scheduled=len(times_ns),
        committed=len(times_ns),
        rolled_back=0,
        failed=0,
        dropped=0,
        in_flight=in_flight,
        retries=0,
        first_attempt_aborts=0,
        response=sent,
        service=sent,
        lag=sent,
    )
    error = ErrorCount(error_class="deadlock", code=1213, count=deadlocks, sample="Deadlock")
    return Interval(
        phase=phase,
        index=index,
        start_s=float(index),
        duration_s=1.0,
        transactions={kind: sample},
        statements=StatementCounts(len(times_ns), 0, 0),
        live_clients=2,
        reconnects=0,
        errors=(error,) if deadlocks else (),
        longest_gap_s=0.25 * (generator + 1),
        generator=health(user_s=0.1 * (generator + 1)),
        hosts=(HostSample("db1:3306", len(times_ns), 2),),
        generator_index=generator,
    )
