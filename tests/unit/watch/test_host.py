"""Facts of this machine, checked against other ways to ask for them."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from dbdyno.watch.facts import limits, neighbours, storage
from dbdyno.watch.facts.host import host_facts, host_identity

SPIN = """
import pathlib, sys, time
pathlib.Path("/proc/self/comm").write_text(sys.argv[1])
end_s = time.monotonic() + 20
while time.monotonic() < end_s:
    pass
"""


@pytest.fixture
def neighbour() -> Iterator[int]:
    """Return a busy process that is no child of ours, for its parent has ended."""
    spin = [
        "sh",
        "-c",
        '"$@" >/dev/null 2>&1 & echo $!',
        "sh",
        sys.executable,
        "-c",
        SPIN,
        "neighbour",
    ]
    process = psutil.Process(int(ask(*spin)))
    comm = Path(f"/proc/{process.pid}/comm")
    while comm.read_text() != "neighbour\n":
        time.sleep(0.01)
    yield process.pid
    process.kill()


def ask(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_facts_are_those_that_the_systems_own_programs_tell(tmp_path: Path) -> None:
    facts = host_facts(tmp_path, observe_s=0.05).to_document()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["kernel"] == ask("uname", "-r")
    assert facts["cpu_count"] == int(ask("getconf", "_NPROCESSORS_ONLN"))
    page_bytes, pages = int(ask("getconf", "PAGE_SIZE")), int(ask("getconf", "_PHYS_PAGES"))
    assert facts["memory_total_bytes"] == page_bytes * pages
    assert facts["work_file_system"] == ask("findmnt", "-no", "FSTYPE", "--target", str(tmp_path))
    assert facts["python_version"] == platform.python_version()
    assert facts["cpu_busy_cores"] is not None


def test_a_file_system_in_memory_has_no_disk() -> None:
    facts = vars(storage.storage_facts(Path("/dev/shm")))
    assert facts["work_file_system"] == "tmpfs"
    disks = {name: fact for name, fact in facts.items() if name.startswith("work_disk")}
    assert len(disks) == 6
    assert set(disks.values()) == {"none"}


def test_busy_neighbours_are_named_and_we_ourselves_are_not(
    tmp_path: Path, neighbour: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a machine that is busy already, the neighbour may not be among the busiest.
    monkeypatch.setattr(neighbours, "SHOWN_MAX", 1000)
    monkeypatch.setattr(neighbours, "SHARE_MIN", 0.001)
    with subprocess.Popen([sys.executable, "-c", SPIN, "ours"]) as child:
        facts = host_facts(tmp_path, observe_s=0.5).to_document()
        child.kill()
    assert "neighbour" in str(facts["other_processes_busiest"])
    assert "ours" not in str(facts["other_processes_busiest"])
    assert float(facts["cpu_busy_cores"] or 0) > 0
    assert float(facts["other_processes_cpu_cores"] or 0) > 0


VERSION_2 = {
    "cpu.max": "max 100000",
    "memory.max": "max",
    "outer/cpu.max": "150000 100000",
    "outer/memory.max": "1073741824",
    "outer/pids.max": "300",
    "outer/inner/cpu.max": "200000 100000",
    "outer/inner/memory.max": "2147483648",
    "outer/inner/pids.max": "max",
}
VERSION_1 = {
    "cpu/cgroup.procs": "1",
    "memory/cgroup.procs": "1",
    "cpu/cpu.cfs_quota_us": "-1",
    "cpu/cpu.cfs_period_us": "100000",
    "cpu/outer/inner/cpu.cfs_quota_us": "50000",
    "cpu/outer/inner/cpu.cfs_period_us": "100000",
    "memory/memory.limit_in_bytes": "9223372036854771712",
    "memory/outer/memory.limit_in_bytes": "4096",
}


@pytest.mark.parametrize(
    ("groups", "files", "cores", "memory_bytes", "tasks"),
    [
        ("0::/outer/inner", VERSION_2, 1.5, 1 << 30, 300),
        ("4:memory:/outer/inner\n1:cpu,cpuacct:/outer/inner\n0::/", VERSION_1, 0.5, 4096, None),
        ("4:memory:/of/the/host\n1:cpu:/of/the/host", VERSION_1, "none", "none", None),
        ("0::/", {"cgroup.procs": "1"}, "none", "none", "none"),
        ("4:memory:/\n1:cpu:/", {"cpu/cgroup.procs": "1"}, "none", None, None),
        ("", VERSION_2, None, None, None),
    ],
)
def test_the_narrowest_limit_on_the_way_up_counts(
    groups: str,
    files: dict[str, str],
    cores: float | str | None,
    memory_bytes: int | str | None,
    tasks: int | str | None,
    tmp_path: Path,
) -> None:
    for name, text in files.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    membership = tmp_path / "cgroup"
    membership.write_text(groups)
    assert limits.limit_facts(tmp_path / "root", membership) == {
        "control_group_cpu_limit_cores": cores,
        "control_group_memory_limit_bytes": memory_bytes,
        "control_group_task_limit": tasks,
    }


def test_a_host_is_known_again_by_some_of_its_facts(tmp_path: Path) -> None:
    identity = host_identity()
    facts = host_facts(tmp_path, observe_s=0.0).to_document()
    assert {name: facts[name] for name in identity} == identity
    assert identity["kernel"] == platform.release()
    assert identity["boot_id"]
