"""Watching machines: the facts of one at the start, and what is used each second."""

from dbdyno.control_groups import machine_memory_bytes
from dbdyno.watch.cpu_use import CpuReading, CpuUse, cpu_reading
from dbdyno.watch.exporter.watcher import ExporterAddress, watch_exporters
from dbdyno.watch.facts import host_facts, host_identity
from dbdyno.watch.host_usages import host_usages
from dbdyno.watch.limits import GroupWatch
from dbdyno.watch.local.watcher import LocalMember, watch_local
from dbdyno.watch.remote.host import watch_hosts
from dbdyno.watch.series.source import Subject
from dbdyno.watch.series.watcher import Watcher
from dbdyno.watch.server.watcher import watch_servers

__all__ = [
    "CpuReading",
    "CpuUse",
    "ExporterAddress",
    "GroupWatch",
    "LocalMember",
    "Subject",
    "Watcher",
    "cpu_reading",
    "host_facts",
    "host_identity",
    "host_usages",
    "machine_memory_bytes",
    "watch_exporters",
    "watch_hosts",
    "watch_local",
    "watch_servers",
]
