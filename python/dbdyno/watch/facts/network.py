"""Looks up network interfaces, and the kernel's settings that matter for databases and load."""

from __future__ import annotations

from pathlib import Path

import psutil

from dbdyno.facts.system import NetworkFacts, NetworkInterface
from dbdyno.watch.kernel import PORT_RANGE, kernel_setting

_INTERFACES = Path("/sys/class/net")
_DUPLEX = {int(psutil.NIC_DUPLEX_FULL): "full", int(psutil.NIC_DUPLEX_HALF): "half"}

KERNEL_SETTINGS = (
    "fs.aio-max-nr",
    "fs.file-max",
    "fs.nr_open",
    "kernel.numa_balancing",
    "kernel.pid_max",
    "kernel.sched_autogroup_enabled",
    "kernel.sched_rt_runtime_us",
    "kernel.sem",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.threads-max",
    "net.core.busy_poll",
    "net.core.busy_read",
    "net.core.default_qdisc",
    "net.core.netdev_budget",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.somaxconn",
    "net.core.wmem_max",
    PORT_RANGE,
    "net.ipv4.tcp_autocorking",
    "net.ipv4.tcp_fastopen",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_low_latency",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_wmem",
    "net.netfilter.nf_conntrack_max",
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.max_map_count",
    "vm.min_free_kbytes",
    "vm.nr_hugepages",
    "vm.overcommit_memory",
    "vm.overcommit_ratio",
    "vm.vfs_cache_pressure",
    "vm.zone_reclaim_mode",
)


def network_facts() -> NetworkFacts:
    """Return interfaces that are up, and the kernel's settings by the names that sysctl has."""
    return NetworkFacts(
        tcp_congestion_control=kernel_setting("net.ipv4.tcp_congestion_control"),
        network_interfaces=_interfaces(),
        kernel_settings={
            name: value for name in KERNEL_SETTINGS if (value := kernel_setting(name)) is not None
        },
    )


def _interfaces() -> tuple[NetworkInterface, ...]:
    states = sorted(psutil.net_if_stats().items())
    return tuple(_interface(name, state) for name, state in states if state.isup)


def _interface(name: str, state: psutil._ntuples.snicstats) -> NetworkInterface:
    """Return what is known of one; the speed of a virtual one is not, which is shown as 0."""
    folder = _INTERFACES / name
    driver = folder / "device" / "driver"
    return NetworkInterface(
        name=name,
        speed_mbit_per_s=state.speed if 0 < state.speed < 1 << 31 else None,
        mtu_bytes=state.mtu,
        duplex=_DUPLEX.get(int(state.duplex)),
        driver=driver.resolve().name if driver.exists() else None,
        receive_queues=len(list((folder / "queues").glob("rx-*"))) or None,
    )
