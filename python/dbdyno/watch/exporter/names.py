"""The exporters' names for what dbdyno measures, as data: each name, and what becomes of it.

What servers tell has the same names in their exporters as in the servers, written a little
differently; so these are made of what dbdyno itself asks servers for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dbdyno.resources import HOST, SERVER
from dbdyno.watch.server import mysql, postgresql
from dbdyno.watch.server.question import Figure, counter, level

_PAGE_BYTES = float(os.sysconf("SC_PAGE_SIZE"))
_MEGAHERTZ = 1e-6

WHOLE_TIME = "cpu[{}].all_s"
"""Of a CPU; only to know its busy share, and in no table."""

_VOLUMES = re.compile(r"(dm-|md|zram|loop|ram|bcache|drbd)\d")
"""What lies on disks, or on memory: it would count the same bytes again."""


@dataclass(frozen=True)
class Name:
    """One use of an exporter's figure. Several for one metric are added up."""

    figure: Figure
    role: str
    label: str = ""
    """The label whose value has a place in the metric's name."""
    without: re.Pattern[str] | None = None
    """Values of that label that are left out, by their beginning."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By label, the values that are meant."""


Names = dict[str, tuple[Name, ...]]
"""By the name that an exporter gives it."""

_BUSY = ("user", "nice", "system", "irq", "softirq", "steal")
_MODES = {
    "cpu.user_s": ("user", "nice"),
    "cpu.system_s": ("system",),
    "cpu.interrupt_s": ("irq", "softirq"),
    "cpu.softirq_s": ("softirq",),
    "cpu.iowait_s": ("iowait",),
    "cpu.steal_s": ("steal",),
    "cpu.idle_s": ("idle",),
}


def _cpu_times() -> Iterable[Name]:
    for metric, modes in _MODES.items():
        yield Name(counter(metric), HOST, only={"mode": modes})
    for metric, modes in (
        ("cpu[{}].busy_s", _BUSY),
        ("cpu[{}].softirq_s", ("softirq",)),
        (WHOLE_TIME, (*_BUSY, "idle", "iowait")),
    ):
        yield Name(counter(metric), HOST, label="cpu", only={"mode": modes})


_HOST = {
    "context_switches_total": counter("cpu.context_switches"),
    "procs_running": level("cpu.running_tasks"),
    "procs_blocked": level("cpu.blocked_tasks"),
    "memory_MemAvailable_bytes": level("memory.available_bytes"),
    "memory_Cached_bytes": level("memory.page_cache_bytes"),
    "memory_Buffers_bytes": level("memory.page_cache_bytes"),
    # Shared memory is counted among what is cached, and can't be written back to any file.
    "memory_Shmem_bytes": level("memory.page_cache_bytes", -1.0),
    "memory_Dirty_bytes": level("memory.dirty_bytes"),
    "memory_Writeback_bytes": level("memory.writeback_bytes"),
    "vmstat_pgmajfault": counter("memory.major_faults"),
    "vmstat_pswpin": counter("swap.in_bytes", _PAGE_BYTES),
    "vmstat_pswpout": counter("swap.out_bytes", _PAGE_BYTES),
    "pressure_cpu_waiting_seconds_total": counter("pressure.cpu_some_s"),
    "pressure_io_waiting_seconds_total": counter("pressure.io_some_s"),
    "pressure_io_stalled_seconds_total": counter("pressure.io_full_s"),
    "pressure_memory_waiting_seconds_total": counter("pressure.memory_some_s"),
    "pressure_memory_stalled_seconds_total": counter("pressure.memory_full_s"),
    "netstat_Tcp_InSegs": counter("tcp.segments_in"),
    "netstat_Tcp_OutSegs": counter("tcp.segments_out"),
    "netstat_Tcp_RetransSegs": counter("tcp.segments_sent_again"),
}
_DISKS = {
    "reads_completed_total": counter("disk[{}].reads"),
    "read_bytes_total": counter("disk[{}].read_bytes"),
    "read_time_seconds_total": counter("disk[{}].read_wait_s"),
    "writes_completed_total": counter("disk[{}].writes"),
    "written_bytes_total": counter("disk[{}].write_bytes"),
    "write_time_seconds_total": counter("disk[{}].write_wait_s"),
    "io_time_seconds_total": counter("disk[{}].busy_s"),
    "io_time_weighted_seconds_total": counter("disk[{}].queue_s"),
    "flush_requests_total": counter("disk[{}].flushes"),
    "flush_requests_time_seconds_total": counter("disk[{}].flush_wait_s"),
    "io_now": level("disk[{}].in_flight"),
}
_DIRECTIONS = {"receive": "receive", "transmit": "send"}
_CARRIED = {"bytes": "bytes", "packets": "packets", "errs": "errors", "drop": "drops"}


def _node_exporter() -> Names:
    names: Names = {"node_cpu_seconds_total": tuple(_cpu_times())}
    frequency = level("cpu[{}].frequency_mhz", _MEGAHERTZ)
    names["node_cpu_scaling_frequency_hertz"] = (Name(frequency, HOST, label="cpu"),)
    for name, figure in _HOST.items():
        names[f"node_{name}"] = (Name(figure, HOST),)
    for name, figure in _DISKS.items():
        names[f"node_disk_{name}"] = (Name(figure, HOST, label="device", without=_VOLUMES),)
    for way, direction in _DIRECTIONS.items():
        for what, carried in _CARRIED.items():
            figure = counter(f"network[{{}}].{direction}_{carried}")
            names[f"node_network_{way}_{what}_total"] = (Name(figure, HOST, label="device"),)
    return names


def _mysqld_exporter() -> Names:
    """Return status variables, which are in small letters there; some are put together."""
    figures = mysql.STATUS.figures
    names: Names = {
        f"mysql_global_status_{name.lower()}": (Name(figure, SERVER),)
        for name, figure in figures.items()
    }
    names["mysql_global_status_commands_total"] = tuple(
        Name(figures[f"Com_{command}"], SERVER, only={"command": (command,)})
        for command in ("commit", "rollback")
    )
    pages, dirty, free = (
        figures[f"Innodb_buffer_pool_pages_{kind}"] for kind in ("total", "dirty", "free")
    )
    names["mysql_global_status_buffer_pool_dirty_pages"] = (Name(dirty, SERVER),)
    names["mysql_global_status_buffer_pool_pages"] = (
        Name(pages, SERVER, only={"state": ("data", "free", "misc")}),
        Name(free, SERVER, only={"state": ("free",)}),
    )
    # MySQL from 8.0.30 on, which has no checkpoint age among its status variables.
    for end, sign in (("current", 1.0), ("checkpoint", -1.0)):
        age = level("innodb.checkpoint_age_bytes", sign)
        names[f"mysql_global_status_innodb_redo_log_{end}_lsn"] = (Name(age, SERVER),)
    return names


def _postgres_exporter() -> Names:
    """Return columns of statistics; newer exporters write ``_total`` behind those that grow."""
    views = {
        "pg_stat_database": postgresql.DATABASE,
        "pg_stat_bgwriter": postgresql.BACKGROUND_WRITER | postgresql.OLD_CHECKPOINTS,
        "pg_stat_checkpointer": postgresql.CHECKPOINTS,
        "pg_stat_user_tables": {
            column.removeprefix("sum(").removesuffix(")"): figure
            for column, figure in postgresql.TABLES.items()
        },
    }
    return {
        f"{view}_{column}{ending}": (Name(figure, SERVER),)
        for view, figures in views.items()
        for column, figure in figures.items()
        for ending in ("", "_total")
    }


NAMES: Names = {
    **_node_exporter(),
    **_mysqld_exporter(),
    **_postgres_exporter(),
}

UP = ("mysql_up", "pg_up")
"""0 where an exporter does not reach its server."""

EXPECTED = {
    "node_": {
        "cpu.": "CPU time",
        "memory.available_bytes": "memory",
        "disk[": "disks",
        "network[": "the network",
    },
    "mysql_": {"mysql.": "the server's status", "innodb.": "InnoDB"},
    "pg_": {"postgresql.commits": "databases", "postgresql.checkpoints": "checkpoints"},
}
"""By how names begin: of what at least something is to be told, and that in words."""
