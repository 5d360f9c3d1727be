"""What a process does shows up in the host's figures: on its CPU, on its disk, on its interface."""

from __future__ import annotations

import os
import re
import socket
import threading
from pathlib import Path

import polars as pl
import pytest

from dbdyno.resources import CPU_TIMES, HOST, SERVER
from dbdyno.watch.local.control_group import ControlGroup
from dbdyno.watch.local.cpu import CpuTimes
from dbdyno.watch.local.disk import disk_figures
from dbdyno.watch.local.memory import memory_levels
from dbdyno.watch.local.network import interface_counters, tcp_counters
from dbdyno.watch.local.watcher import LocalMember, watch_local
from dbdyno.watch.series.source import Growth, Subject, Values
from tests.unit.watch.burner import program, series, tell, wait_for_intervals, wait_until

BURN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
print("burning", flush=True)
while True:
    pass
"""

SYNC = """
import os, sys
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
sys.stdin.readline()
for _ in range(200):
    os.pwrite(file, os.urandom(4096), 0)
    os.fsync(file)
print("done", flush=True)
sys.stdin.readline()
"""


def test_a_burner_shows_up_on_its_cpu() -> None:
    cpu = max(os.sched_getaffinity(0))
    with program(BURN, str(cpu)) as burner:
        assert burner.stdout is not None
        burner.stdout.readline()
        member = LocalMember(SERVER, SERVER, (burner.pid,))
        with watch_local([member], 0.1) as watcher:
            wait_until(lambda: sum(series(watcher, SERVER, "process.cpu_user_s")) > 0.5)
    own_s = sum(series(watcher, SERVER, "process.cpu_user_s"))
    assert sum(series(watcher, HOST, f"cpu[{cpu}].busy_s")) >= own_s - 0.1
    assert sum(series(watcher, HOST, "cpu.user_s")) >= own_s - 0.1
    assert max(series(watcher, HOST, "cpu.running_tasks")) >= 1
    # Two on one CPU: what one of them does not get, it waits for.
    table = watcher.table()
    elapsed_s = table.select("start_s", "duration_s").unique()["duration_s"].sum()
    waited_s = sum(series(watcher, SERVER, "process.run_queue_wait_s"))
    assert own_s + waited_s == pytest.approx(elapsed_s, rel=0.2)


def test_a_loop_of_fsync_shows_up_on_the_disk(tmp_path: Path) -> None:
    with program(SYNC, str(tmp_path / "file")) as writer:
        member = LocalMember(SERVER, SERVER, (writer.pid,))
        with watch_local([member], 0.05) as watcher:
            wait_for_intervals(watcher, 1)
            tell(writer)
            wait_for_intervals(watcher, 2)
    assert sum(series(watcher, SERVER, "process.write_bytes")) >= 200 * 4096
    sums = disk_sums(watcher.table())
    assert sums["writes"] >= 200
    assert sums["write_bytes"] >= 200 * 4096
    assert sums["write_wait_s"] + sums["flush_wait_s"] > 0
    assert sums["busy_s"] > 0
    assert sums["queue_s"] > 0


def disk_sums(table: pl.DataFrame) -> dict[str, float]:
    """Return what all disks did, by metric."""
    figures = table.with_columns(pl.col("metric").cast(pl.String)).filter(
        pl.col("metric").str.starts_with("disk[")
    )
    by_metric = figures.group_by(pl.col("metric").str.split("].").list.last()).agg(
        pl.col("value").sum()
    )
    return dict(by_metric.iter_rows())


def test_what_is_sent_shows_up_on_the_interface() -> None:
    one, other = _loopback_pair()
    received = threading.Thread(target=_receive_all, args=(other,))
    received.start()
    with watch_local([], 0.05) as watcher:
        wait_for_intervals(watcher, 1)
        one.sendall(bytes(1 << 20))
        one.close()
        received.join()
        wait_for_intervals(watcher, 2)
    assert sum(series(watcher, HOST, "network[lo].send_bytes")) >= 1 << 20
    assert sum(series(watcher, HOST, "network[lo].receive_packets")) > 0
    assert sum(series(watcher, HOST, "tcp.segments_out")) > 0


def _loopback_pair() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        one = socket.create_connection(listener.getsockname())
        return one, listener.accept()[0]


def _receive_all(connection: socket.socket) -> None:
    with connection:
        while connection.recv(1 << 16):
            pass


def test_cpu_times_add_up_and_the_busiest_is_found() -> None:
    times = CpuTimes()
    times.sample(b"cpu  10 0 0 0 0 0 0 0 0 0\ncpu0 5 0 0 0 0 0 0 0 0 0\ncpu1 5 0 0 0 0 0 0 0 0 0\n")
    values = times.sample(
        b"cpu  20 1 2 40 3 4 5 6 9 9\n"
        b"cpu0 5 0 0 40 3 0 0 0 0 0\n"
        b"cpu1 20 1 2 0 0 4 5 6 9 9\n"
        b"ctxt 77\nprocs_running 3\nprocs_blocked 1\n"
    )
    ticks = os.sysconf("SC_CLK_TCK")
    assert sum(values[name] for name in CPU_TIMES) * ticks == pytest.approx(71)
    assert values["cpu.interrupt_s"] * ticks == pytest.approx(9)
    assert values["cpu[1].softirq_s"] * ticks == pytest.approx(5)
    assert values["cpu[0].busy_s"] == pytest.approx(0)
    assert values["cpu.busiest_share"] == pytest.approx(1)
    assert (values["cpu.running_tasks"], values["cpu.blocked_tasks"]) == (3, 1)


def test_a_counter_that_began_again_is_left_out() -> None:
    growth = Growth()
    assert growth.added({"a": 5.0, "b": 1.0}) == {}
    assert growth.added({"a": 2.0, "b": 4.0}) == {"b": 3.0}
    assert growth.added({"a": 3.0, "c": 9.0}) == {"a": 1.0}


def test_old_kernels_tell_less() -> None:
    line = b"8 0 sda 1 0 8 250 2 0 16 500 3 750 1000"
    counters, levels = disk_figures(
        line + b"\n8 1 sda1 9 9 9 9 9 9 9 9 9 9 9\n", lambda name: name == "sda"
    )
    assert counters["disk[sda].read_bytes"] == 4096
    assert counters["disk[sda].write_wait_s"] == 0.5
    assert counters["disk[sda].queue_s"] == 1.0
    assert "disk[sda].flushes" not in counters
    assert levels == {"disk[sda].in_flight": 3.0}
    assert tcp_counters(b"Ip: Forwarding\nIp: 1\n") == {}
    assert memory_levels(b"Cached: 8 kB\n") == {"memory.page_cache_bytes": 8192.0}


def test_interfaces_with_a_vlan_and_without_traffic() -> None:
    heading = b"Inter-|   Receive\n face |bytes    packets errs drop\n"
    idle = b"  dummy0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    counters = interface_counters(heading + idle + b"eth0.100: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n")
    assert counters["network[eth0.100].receive_drops"] == 4
    assert counters["network[eth0.100].send_errors"] == 7
    assert not re.search("dummy0|face", " ".join(counters))


def test_the_group_that_held_back_most_counts(tmp_path: Path) -> None:
    inner, outer = tmp_path / "outer" / "inner", tmp_path / "outer"
    inner.mkdir(parents=True)
    write_group(inner, throttled_usec=0, limit_events=0)
    write_group(outer, throttled_usec=0, limit_events=0)
    source = ControlGroup(Subject(SERVER, SERVER), 1, {"": [inner, outer]})
    first: Values = source.sample()
    assert first == {}
    write_group(inner, throttled_usec=1_000_000, limit_events=4)
    write_group(outer, throttled_usec=2_500_000, limit_events=1)
    values = source.sample()
    assert values["control_group.cpu_throttled_s"] == 2.5
    assert values["control_group.memory_limit_events"] == 4


FIRST_LIMIT = "blkio.throttle.write_iops_device"
FIRST_COUNTERS = "blkio.throttle.io_serviced_recursive"


@pytest.mark.parametrize(
    ("limits", "counters"),
    [
        (
            {FIRST_LIMIT: "0:9 200"},
            {FIRST_COUNTERS: "0:9 Read {reads}\n0:9 Write {writes}\nTotal 9"},
        ),
        (
            {"io.max": "0:9 rbps=max wbps=max riops=max wiops=200"},
            {"io.stat": "0:8 rios=9\n0:9 rbytes=0 wbytes=0 rios={reads} wios={writes} dios=3"},
        ),
    ],
    ids=["version 1", "version 2"],
)
def test_what_a_group_may_have_of_a_disk_and_took(
    limits: dict[str, str], counters: dict[str, str], tmp_path: Path
) -> None:
    def tell(reads: int, writes: int) -> None:
        for file, text in (limits | counters).items():
            (tmp_path / file).write_text(text.format(reads=reads, writes=writes))

    tell(5, 10)
    source = ControlGroup(Subject(SERVER, SERVER), 1, {"": [tmp_path]})
    source.sample()
    tell(6, 60)
    assert source.sample() == {
        "control_group.disk[0:9].reads": 1.0,
        "control_group.disk[0:9].writes": 50.0,
        "control_group.disk[0:9].read_bytes": 0.0,
        "control_group.disk[0:9].write_bytes": 0.0,
        "control_group.disk[0:9].writes_limit_used_s": 0.25,
    }


def write_group(group: Path, throttled_usec: int, limit_events: int) -> None:
    """Write what version 2 tells of a group."""
    stat = f"usage_usec 9\nnr_periods 5\nnr_throttled 1\nthrottled_usec {throttled_usec}\n"
    (group / "cpu.stat").write_text(stat)
    (group / "memory.events").write_text(f"low 0\nmax {limit_events}\noom_kill 0\n")
