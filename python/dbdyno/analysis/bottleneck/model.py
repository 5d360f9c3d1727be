"""What was the limit of a cell, as codes and figures.

A resource is a limit only where it was at its limit, work waited for it, and both grew with load.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dbdyno.experiment.plan import Cell


class LimitCode(StrEnum):
    """What can be a limit, in the order in which a cell's limits are told."""

    GENERATOR = "generator"
    """Then it was not the server that was measured."""
    CPU_QUOTA = "cpu quota"
    """The CPU time that a control group leaves its members."""
    SERVER_CPU = "server cpu"
    """The CPUs that a server may use, most of whose time it used itself."""
    ONE_CPU = "one cpu"
    """One CPU alone, which a server's one thread keeps busy."""
    HOST_CPU = "host cpu"
    """A host's CPUs, which several share, or nobody knows who used them."""
    MEMORY = "memory"
    DISK = "disk"
    """A device, or what a control group leaves a server of one: then it has the server's name."""
    ROW_LOCKS = "row locks"
    DATABASE_LOCK = "database lock"
    """SQLite's, which one writer holds at a time."""
    COMMIT = "commit"
    """Writing and syncing the log that a commit waits for."""
    REDO_SPACE = "redo space"
    LOG_BUFFER = "log buffer"
    BUFFER_POOL = "buffer pool"
    NETWORK_LINK = "network link"
    NETWORK_CPU = "network cpu"
    """One CPU that handles packets."""
    FLOW_CONTROL = "flow control"
    """Galera's: a node that is too slow holds all others back."""
    GIVEN_LOAD = "given load"
    """Nothing was at its limit, and all that was asked for was done."""


class FigureName(StrEnum):
    """Figures that limits are found by, or that say more about them. Shares are from 0 to 1."""

    WORKER_OCCUPIED = "worker_occupied_share"
    """The share of time in which a generator's busiest worker had a CPU or waited for one."""
    WORKER_WAITED = "worker_waited_share"
    """The share in which it waited for one."""
    HANDLING_DELAY = "handling_delay_share"
    """The p99 of the delay in handling an answer, as a share of the p50 of response times."""
    THROTTLED_PERIODS = "throttled_periods_share"
    CPU_WAITING = "cpu_waiting_threads"
    """Threads that wait for a CPU, on average."""
    CPU_WAIT_SHARE = "cpu_wait_share"
    """The same as a share of sessions' time."""
    QUOTA_WAITING = "quota_waiting_threads"
    CPU_BUSY = "cpu_busy_share"
    CPU_PRESSURE = "cpu_pressure_share"
    BUSIEST_CPU = "busiest_cpu_share"
    MEMBER_CORES = "member_cores"
    """CPUs used by the server that is named, where the host has others."""
    SERVER_CORES = "server_cores"
    GENERATOR_CORES = "generator_cores"
    OTHER_CORES = "other_cores"
    UNWATCHED_CORES = "unwatched_cores"
    """CPUs used by all programs that nobody watched, the server among them."""
    SWAPPED_PER_S = "swapped_bytes_per_s"
    MEMORY_EVENTS_PER_S = "memory_limit_events_per_s"
    MEMORY_PRESSURE = "memory_pressure_share"
    DISK_BUSY = "disk_busy_share"
    DISK_DEPTH = "disk_queue_depth"
    DISK_LIMIT_USED = "disk_limit_used_share"
    """Of what a control group leaves its members of reads and writes."""
    IO_PRESSURE = "io_pressure_share"
    IO_SHARE = "io_share"
    """The share of sessions' time in which they wait for IO, that of the log among it."""
    DISK_AWAIT = "disk_await_ms"
    DISK_REQUESTS = "disk_requests_per_s"
    LOCK_SHARE = "row_lock_share"
    """The share of sessions' time in which they wait for a row."""
    LOCK_WAITING = "row_lock_waiting_sessions"
    DATABASE_LOCK_SHARE = "database_lock_share"
    """The share of clients' time in which they sleep for SQLite's lock."""
    DATABASE_LOCK_WAITING = "database_lock_waiting_clients"
    LOG_SHARE = "log_share"
    """The share of sessions' time in which they wait for the log."""
    LOG_WAITING = "log_waiting_sessions"
    LOG_BUSY = "log_busy_share"
    """The share of time in which the log is being written or synced."""
    REDO_USED = "redo_used_share"
    REDO_HIGHEST = "redo_highest_share"
    SYNC_FLUSHES_PER_S = "sync_flushes_per_s"
    LOG_WAIT_INTERVALS = "log_wait_intervals_share"
    LOG_WAITS_PER_S = "log_waits_per_s"
    POOL_USED = "pool_used_share"
    POOL_WAITS_PER_S = "pool_waits_per_s"
    LINK_USED = "link_used_share"
    RETRANSMITTED = "retransmitted_share"
    CPU_SOFTIRQ = "cpu_softirq_share"
    FLOW_SENT_PER_S = "flow_control_sent_per_s"
    FLOW_PAUSED = "flow_control_paused_share"
    OFFERED_PER_S = "offered_per_s"
    DONE_PER_S = "done_per_s"


class Certainty(StrEnum):
    """How sure it is that something was the limit."""

    SHOWN = "shown"
    """It and the waiting for it grew with load."""
    LIKELY = "likely"
    """The load was not varied, so that nobody knows whether they grow with it."""


class Need(StrEnum):
    """What has to be watched to tell whether something was a limit."""

    HOST = "host"
    """The host that the server runs on."""
    COUNTERS = "counters"
    """The server's own counters."""
    WAITS = "waits"
    """The server's waits: the performance schema."""
    PRESSURE = "pressure"
    """The kernel's pressure figures, or its run queues."""
    NOT_TOLD = "not told"
    """It is watched, and does not tell it."""
    SLEEPING_WORKERS = "sleeping workers"
    """A generator that looks for answers all the time is always busy."""


class TimeKind(StrEnum):
    """Where sessions' time went."""

    CPU = "cpu"
    CPU_QUEUE = "cpu queue"
    """Ready to run, and no CPU free."""
    IO = "io"
    LOG = "log"
    LOCK = "lock"
    """Locks that transactions hold: of rows, tables and metadata."""
    LATCH = "latch"
    """Locks that protect the server's own memory."""
    REST = "rest"


@dataclass(frozen=True)
class Figure:
    """A figure over the trials of a cell; ``threshold`` is what it reached, if it has one."""

    name: FigureName
    mean: float
    lowest: float
    highest: float
    trials: int
    threshold: float | None = None


@dataclass(frozen=True)
class Limit:
    """One thing that a cell's throughput was limited by, and the evidence."""

    code: LimitCode
    member: str = ""
    host: str = ""
    device: str = ""
    figures: tuple[Figure, ...] = ()
    certainty: Certainty = Certainty.LIKELY


@dataclass(frozen=True)
class Unknown:
    """What could not be judged, and what it takes."""

    code: LimitCode
    need: Need


@dataclass(frozen=True)
class TimeShare:
    """The share of sessions' active time of one kind."""

    kind: TimeKind
    share: float


@dataclass(frozen=True)
class CellLimit:
    """What the limit of a cell was. Nothing in ``limits`` says that nothing was found.

    ``not_growing`` were at their limit and waited for at every load alike, so that load is not what
    made them so.
    """

    cell: Cell
    trials: int
    limits: tuple[Limit, ...] = ()
    not_growing: tuple[Limit, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    time: tuple[TimeShare, ...] = ()
