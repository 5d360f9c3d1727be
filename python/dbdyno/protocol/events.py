"""Events: what a generator says, one line of JSON each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from dbdyno.errors import RunError
from dbdyno.protocol.form import left_out
from dbdyno.protocol.intervals import Interval


@dataclass(frozen=True)
class SessionFound:
    """What was read back of a connection's settings."""

    isolation: str | None = None
    autocommit: bool | None = None


@dataclass(frozen=True)
class PipeliningFound:
    """Whether statements share round trips, and why not where they were to."""

    used: bool
    refusal: str | None = None


@dataclass(frozen=True, kw_only=True)
class Connected:
    """All clients are connected."""

    event: Literal["connected"] = "connected"
    clients: int
    """Those of this generator."""
    elapsed_s: float
    server_version: str
    session: SessionFound | None = None
    pipelining: PipeliningFound | None = None
    generator_index: int = left_out(0)


@dataclass(frozen=True, kw_only=True)
class WindowStart:
    """When the window began, by the wall clock and by the monotonic clock of one boot of a machine.

    The latter is ``time.monotonic_ns()`` there.
    """

    unix_ns: int
    monotonic_ns: int
    boot_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Started:
    """The clock has started: the warm-up begins, and the window after it."""

    event: Literal["started"] = "started"
    window_start: WindowStart
    generator_index: int = left_out(0)


@dataclass(frozen=True, kw_only=True)
class WindowMoved:
    """The window begins earlier than was said, with what was to be an interval of the warm-up."""

    event: Literal["window_moved"] = "window_moved"
    index: int
    window_start: WindowStart
    generator_index: int = left_out(0)


@dataclass(frozen=True, kw_only=True)
class WindowKept:
    """The window was to begin earlier, with this interval, and begins when it was said."""

    event: Literal["window_kept"] = "window_kept"
    index: int
    reason: str
    generator_index: int = left_out(0)


@dataclass(frozen=True)
class ThroughputChange:
    """By which share throughput changed over so many intervals: a 90 % confidence interval."""

    low: float
    high: float
    intervals: int


@dataclass(frozen=True, kw_only=True)
class WarmupEnded:
    """How a warm-up ended that was to end as soon as throughput is steady.

    No generator says this; whoever listens to them does, when the window's start is settled.
    """

    event: Literal["warmup"] = "warmup"
    ended: Literal["steady", "bound"]
    duration_s: float
    change: ThroughputChange | None
    """The last that was judged; None where there were too few intervals."""
    early_intervals: int = 0
    """By so many the window begins earlier than ``started`` said: the warm-up counts from that."""
    early_s: float = 0.0
    """The same in seconds."""
    window_start: WindowStart | None = None
    """When it begins then."""


@dataclass(frozen=True, kw_only=True)
class StatementCount:
    """One statement, how often it ran from the first interval on, and what it returned.

    ``without_rows`` are the executions of a SELECT, INSERT, UPDATE or DELETE that succeeded,
    returned no row and changed none.
    """

    sql: str
    verb: str
    executions: int
    rows: int
    affected: int
    without_rows: int = left_out(0)


@dataclass(frozen=True, kw_only=True)
class HostEnd:
    """What one of several hosts did in the whole trial."""

    host: str
    connections: int = 0
    failed_attempts: int = 0
    last_failure: str | None = None
    transactions: int = 0
    statements: int = 0


@dataclass(frozen=True)
class Change:
    """How much of an amount was acknowledged, and what unknown outcomes may have changed besides.

    ``unknown`` is a range; None where it has no bound.
    """

    acknowledged: int
    unknown: tuple[int, int] | None


@dataclass(frozen=True)
class WrittenRow:
    """The last acknowledged value of a row; None of one that was deleted."""

    table: int
    id: int
    value: str | None


@dataclass(frozen=True)
class Writes:
    """The rows whose last value is certain, and how many there are where it is not."""

    rows: tuple[WrittenRow, ...]
    ambiguous: int


@dataclass(frozen=True)
class Ledger:
    """What the clients were told is committed."""

    changes: Mapping[str, Change]
    writes: Writes | None = None


Facts = Mapping[str, int | float | str | None]
"""What a workload says of its input, by name; None is a share of nothing."""


@dataclass(frozen=True)
class Merging:
    """What it takes to add up the facts of several generators.

    A share is its part and its whole; ``hashes`` are the names of sums of hashes.
    """

    shares: Mapping[str, tuple[int, int]] = Field(default_factory=dict)
    hashes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LostGenerator:
    """A generator among several that was given up in mid-trial, and why.

    What it did after its last interval is not known: neither counted, nor in any histogram.
    """

    generator_index: int
    reason: str
    last_index: int | None
    """The last interval that it has told; None where there is none."""


@dataclass(frozen=True, kw_only=True)
class End:
    """How a trial ended, and what became of all its statements."""

    event: Literal["end"] = "end"
    status: Literal["completed", "interrupted", "failed"]
    reason: str | None = None
    """Why, where it is not completed."""
    elapsed_s: float
    statements: tuple[StatementCount, ...] = ()
    facts: Facts = Field(default_factory=dict)
    kernel_timestamps: bool = False
    hosts: tuple[HostEnd, ...] = left_out(())
    ledger: Ledger | None = left_out(None)
    merging: Merging | None = left_out(None)
    """One of several generators says it."""
    lost: tuple[LostGenerator, ...] = left_out(())
    """Where this is of several generators."""
    generator_index: int = left_out(0)

    def refuse_failure(self) -> None:
        """Raise ``RunError`` in the generator's words where the trial failed."""
        if self.status == "failed":
            raise RunError(self.reason or "the trial failed, and the generator does not say why")


Standing = Literal["late", "back", "lost"]
"""What a generator among several turned into: it says nothing, it speaks again, it is given up."""


@dataclass(frozen=True, kw_only=True)
class GeneratorStanding:
    """A generator among several is late, is back, or is lost for good.

    No generator says this; whoever listens to all of them does, at once.
    """

    event: Literal["generator"] = "generator"
    generator_index: int
    standing: Standing
    reason: str
    last_index: int | None = None
    """The last interval that it has told."""


@dataclass(frozen=True, kw_only=True)
class HostClock:
    """How far the monotonic clock of a generator's host is from the runner's, before and after.

    Each is right to within its bound, either way.
    """

    event: Literal["clock"] = "clock"
    generator_index: int
    host: str
    offset_ns: int
    bound_ns: int
    end_offset_ns: int
    end_bound_ns: int


@dataclass(frozen=True, kw_only=True)
class Loading:
    """How far a load is."""

    event: Literal["loading"] = "loading"
    rows: int
    rows_total: int
    elapsed_s: float


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What was loaded."""

    event: Literal["loaded"] = "loaded"
    rows: int
    resumed_rows: int
    """Those that an earlier load has left, which was cut short."""
    elapsed_s: float
    index_s: float
    method: str
    refusals: tuple[str, ...]
    """What the server would not have, and the tables do without."""


@dataclass(frozen=True, kw_only=True)
class Verified:
    """Whether a dataset is there; ``message`` says what to do where it is there in part."""

    event: Literal["verified"] = "verified"
    complete: bool
    message: str | None = None


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """A dataset's tables are gone."""

    event: Literal["dropped"] = "dropped"


@dataclass(frozen=True, kw_only=True)
class DatasetDone:
    """The last word of a plan for a dataset."""

    event: Literal["dataset"] = "dataset"
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class Refused:
    """Why a plan was not carried out, and who has to do something about it."""

    event: Literal["error"] = "error"
    kind: Literal["input", "server", "statement", "internal"]
    message: str


TrialEvent = (
    Connected
    | Started
    | WindowMoved
    | WindowKept
    | WarmupEnded
    | Interval
    | GeneratorStanding
    | HostClock
    | End
)
DatasetEvent = Loading | Loaded | Verified | Dropped | DatasetDone
Event = TrialEvent | DatasetEvent | Refused

_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


def decode(line: bytes) -> Event:
    """Return what a generator says in a line; ValueError where it is no event."""
    return _EVENT.validate_json(line)


def read_event(document: Mapping[str, Any]) -> Event:
    """Return what was said, as it was stored; ValueError where it is no event."""
    return _EVENT.validate_python(document)


def to_document(event: Event) -> dict[str, Any]:
    """Return an event as JSON has it."""
    document: dict[str, Any] = _EVENT.dump_python(event, mode="json", by_alias=True)
    return document
