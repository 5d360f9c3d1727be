"""What a server's control groups cost it, by files that stand for the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.watch.limits import GroupWatch

VERSION_1 = "4:memory:/session/server\n1:cpu:/session\n0::/"
VERSION_2 = "0::/session/server"


class Machine:
    """A tree of groups, and a process in one of them."""

    def __init__(self, directory: Path, membership: str, own: str = "") -> None:
        self._root = directory / "root"
        self._membership = directory / "membership"
        self._membership.write_text(membership)
        self._own = directory / "own"
        self._own.write_text(own)

    def write(self, path: str, text: str) -> None:
        """Write one of the kernel's files."""
        file = self._root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def watch(self) -> GroupWatch:
        """Watch the process from now on."""
        return GroupWatch((1,), self._root, self._membership, self._own)


def test_version_1_counts_from_when_the_watch_began(tmp_path: Path) -> None:
    machine = Machine(tmp_path, VERSION_1)
    machine.write("memory/session/server/cgroup.procs", "1")
    machine.write("memory/session/server/memory.limit_in_bytes", "1048576")
    kills = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"
    machine.write("memory/session/server/memory.oom_control", kills.format(2))
    # Another program of the session's.
    machine.write("memory/session/memory.oom_control", kills.format(0))
    machine.write("cpu/session/cpu.cfs_quota_us", "50000")
    machine.write("cpu/session/cpu.cfs_period_us", "100000")
    throttled = "nr_periods {}\nnr_throttled {}\nthrottled_time {}\n"
    machine.write("cpu/session/cpu.stat", throttled.format(10, 5, 3_000_000_000))
    machine.write("cpu/cpu.stat", throttled.format(0, 0, 0))
    watch = machine.watch()
    machine.write("memory/session/server/memory.oom_control", kills.format(3))
    machine.write("memory/session/memory.oom_control", kills.format(7))
    machine.write("cpu/session/cpu.stat", throttled.format(40, 25, 5_500_000_000))
    assert watch.facts() == {
        "control_group_cpu_limit_cores": 0.5,
        "control_group_memory_limit_bytes": 1 << 20,
        "control_group_task_limit": None,
        "out_of_memory_kills": 1,
        "cpu_periods": 30,
        "cpu_throttled_periods": 20,
        "cpu_throttled_s": 2.5,
        "cpu_throttled_limit_cores": 0.5,
        "shared_cpu_periods": None,
        "shared_cpu_throttled_periods": None,
        "shared_cpu_throttled_s": None,
        "shared_cpu_throttled_limit_cores": None,
    }


def test_version_2_finds_the_group_that_is_throttled_on_the_way_up(tmp_path: Path) -> None:
    machine = Machine(tmp_path, VERSION_2)
    machine.write("session/server/cgroup.procs", "1")
    events = "low 0\nhigh 0\nmax 9\noom 1\noom_kill {}\noom_group_kill 0\n"
    machine.write("session/server/memory.events", events.format(0))
    throttled = "usage_usec 9\nnr_periods {}\nnr_throttled {}\nthrottled_usec {}\n"
    machine.write("session/server/cpu.stat", throttled.format(0, 0, 0))
    machine.write("session/cpu.max", "150000 100000")
    machine.write("session/cpu.stat", throttled.format(100, 50, 1_000_000))
    machine.write("cpu.stat", "usage_usec 9\n")
    watch = machine.watch()
    machine.write("session/server/memory.events", events.format(2))
    machine.write("session/cpu.stat", throttled.format(160, 51, 1_250_000))
    assert watch.limits()["control_group_cpu_limit_cores"] == 1.5
    facts = watch.facts()
    assert facts["out_of_memory_kills"] == 2
    assert [facts[f"cpu_{name}"] for name in ("periods", "throttled_periods", "throttled_s")] == [
        60,
        1,
        pytest.approx(0.25),
    ]


def test_what_holds_cpu_time_from_the_generator_too_is_told_of_apart(tmp_path: Path) -> None:
    machine = Machine(tmp_path, VERSION_2, own="0::/session/itself")
    machine.write("session/server/cgroup.procs", "1")
    throttled = "nr_periods {}\nnr_throttled {}\nthrottled_usec {}\n"
    machine.write("session/server/cpu.max", "50000 100000")
    machine.write("session/server/cpu.stat", throttled.format(0, 0, 0))
    machine.write("session/cpu.max", "150000 100000")
    machine.write("session/cpu.stat", throttled.format(0, 0, 0))
    watch = machine.watch()
    machine.write("session/server/cpu.stat", throttled.format(20, 3, 1_000_000))
    machine.write("session/cpu.stat", throttled.format(30, 9, 4_000_000))
    facts = watch.facts()
    assert facts["control_group_cpu_limit_cores"] == 0.5
    names = ("periods", "throttled_periods", "throttled_s", "throttled_limit_cores")
    assert [facts[f"cpu_{name}"] for name in names] == [20, 3, 1.0, 0.5]
    assert [facts[f"shared_cpu_{name}"] for name in names] == [30, 9, 4.0, 1.5]


def test_what_is_gone_is_not_known(tmp_path: Path) -> None:
    machine = Machine(tmp_path, VERSION_2)
    machine.write("session/memory.events", "oom_kill 5\n")
    machine.write("session/server/memory.events", "oom_kill 0\n")
    watch = machine.watch()
    for file in (tmp_path / "root/session/server").iterdir():
        file.unlink()
    facts = watch.facts()
    assert facts["out_of_memory_kills"] is None
    assert facts["cpu_throttled_s"] is None


def test_of_a_server_on_another_machine_nothing_is_told() -> None:
    assert GroupWatch(()).facts() == {}
