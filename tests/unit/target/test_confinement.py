"""What a server is confined to: limits that the machine cannot give, and how it was killed."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.experiment.plan import NO_LIMITS, ServerLimits
from dbdyno.target.local import confinement, control_group
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.control_group_ways import Way, find_way
from tests.unit.target.fake_kernel import FakeKernel

MIB = 1 << 20
OF_THE_SERVER = ServerLimits(memory_bytes=300 * MIB)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that says what our own group of a machine with four CPUs allows."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr(confinement, "find_way", lambda _, **__: Way())
    membership = tmp_path / "membership"
    membership.write_text("0::/session")
    monkeypatch.setattr(confinement, "ROOT", tmp_path)
    monkeypatch.setattr(confinement, "OWN_MEMBERSHIP", membership)
    (tmp_path / "session").mkdir()

    def allow(**files: str) -> None:
        for name, text in files.items():
            (tmp_path / "session" / name.replace("_", ".")).write_text(text)

    return allow


def refusal(limits: ServerLimits, cpus: tuple[int, ...] = ()) -> str:
    """Return what is said of limits before anything is started."""
    with pytest.raises(InputError) as refused:
        Confinement(cpus).check(limits)
    return str(refused.value)


@pytest.mark.usefixtures("machine")
def test_more_cpus_than_the_server_may_use_are_refused() -> None:
    Confinement().check(ServerLimits(cpus=4.0))
    assert refusal(ServerLimits(cpus=8.0)) == (
        "limits.cpus is 8, more than the 4 CPUs that the server may use; lower it"
    )
    assert refusal(ServerLimits(cpus=1.5), (2,)) == (
        "limits.cpus is 1.5, more than the 1 CPU that the server may use; lower it"
    )


@pytest.mark.usefixtures("machine")
def test_more_memory_than_the_machine_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "machine_memory_bytes", lambda: 32 << 30)
    Confinement().check(ServerLimits(memory_bytes=32 << 30))
    assert refusal(ServerLimits(memory_bytes=64 << 30)) == (
        "limits.memory is 65,536 MiB, more than the 32,768 MiB of this machine; lower it"
    )
    assert "is 32,769 MiB, more than the 32,768 MiB" in refusal(ServerLimits((32 << 30) + 1))


@pytest.mark.usefixtures("machine")
def test_files_that_are_on_no_disk_have_no_limit_of_one(tmp_path: Path) -> None:
    there = Path("/sys/kernel/server")
    with pytest.raises(InputError) as refused:
        Confinement(directory=there).check(ServerLimits(reads_per_s=9, write_bytes_per_s=MIB))
    assert str(refused.value) == (
        "limits.reads_per_s and limits.write_bytes_per_s: the server's files are in "
        "/sys/kernel/server, which lies on no disk that the kernel can limit; write the result to "
        "a directory on a disk, or remove limits"
    )


def test_more_than_our_own_group_has_is_refused(machine: Callable[..., None]) -> None:
    machine(memory_max=str(200 * MIB), cpu_max="250000 100000")
    Confinement().check(ServerLimits(memory_bytes=200 * MIB, cpus=2.5))
    assert refusal(ServerLimits(cpus=3.0)) == (
        "limits.cpus is 3, more than the 2.5 CPUs that dbdyno's own control group allows; lower it"
    )
    assert refusal(OF_THE_SERVER) == (
        "limits.memory is 300 MiB, more than the 200 MiB that dbdyno's own control group allows; "
        "lower it"
    )


def begun(kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch) -> tuple[Confinement, Path]:
    """Return a server's confinement, and its group."""
    kernel.group("", {"cgroup.controllers": "memory", "cgroup.subtree_control": "memory"})
    kernel.membership.write_text("0::/")
    way = find_way(OF_THE_SERVER, kernel.root, kernel.membership)
    monkeypatch.setattr(confinement, "find_way", lambda _, **__: way)
    begun = Confinement()
    begun.begin(OF_THE_SERVER)
    (folder,) = (path for path in kernel.root.iterdir() if path.is_dir())
    return begun, folder


KILLED_FOR_MEMORY = (
    "the kernel killed server db for lack of memory: limits.memory is 300 MiB; raise it, or make "
    "the server's caches smaller"
)
KILLED_BY_SOMEBODY = (
    "server db was killed; if nobody did that, the kernel did for want of memory (look in dmesg)"
)


def test_a_group_counts_its_own_kills_from_the_start_on_until_they_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = FakeKernel(tmp_path, monkeypatch)
    kernel.counts_kills = True
    # Other programs of the machine.
    kills = iter(range(0, 100, 7))
    monkeypatch.setattr(control_group, "out_of_memory_kills_anywhere", lambda: next(kills))
    confined, folder = begun(kernel, monkeypatch)
    assert confined.killed_for_memory("db") is None
    assert confined.killed("db") == KILLED_BY_SOMEBODY
    kernel.kill_in(folder, 2)
    assert confined.killed_for_memory("db") == KILLED_FOR_MEMORY
    confined.end()
    assert not folder.exists()
    assert (confined.out_of_memory_kills(), confined.killed_for_memory("db")) == (
        2,
        KILLED_FOR_MEMORY,
    )
    confined.forget()
    assert (confined.out_of_memory_kills(), confined.killed_for_memory("db")) == (None, None)


def test_without_a_counter_of_its_own_no_cause_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = FakeKernel(tmp_path, monkeypatch)
    kills = iter([5, 5, 6, 8])
    monkeypatch.setattr(control_group, "out_of_memory_kills_anywhere", lambda: next(kills))
    confined, _ = begun(kernel, monkeypatch)
    assert confined.killed("db") == KILLED_BY_SOMEBODY
    told = "server db was killed; {} on this machine {} killed for lack of memory since it started"
    assert confined.killed("db").startswith(told.format("1 process", "was"))
    assert confined.killed("db").startswith(told.format("3 processes", "were"))
    assert confined.out_of_memory_kills() is None
    assert confined.killed_for_memory("db") is None
    confined.end()


FORBID = """
import ctypes, struct, sys
from dbdyno.errors import InputError
from dbdyno.target.local.confinement import _check_memory_policy
from dbdyno.target.local.launch import SET_MEMPOLICY
call = SET_MEMPOLICY[sys.argv[1]]
program = b"".join(struct.pack("HBBI", *line) for line in [
    (0x20, 0, 0, 0), (0x15, 0, 1, call), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000),
])
kept = ctypes.create_string_buffer(program)
filter = struct.pack("HxxxxxxP", 4, ctypes.addressof(kept))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, filter, 0, 0) == 0
try:
    _check_memory_policy((0,))
except InputError as error:
    print(error)
"""
"""Has the kernel refuse one call, as the usual containers do, and tries to bind memory."""


def test_a_container_that_forbids_to_bind_memory_is_told_how_to_allow_it() -> None:
    command = [sys.executable, "-c", FORBID, platform.machine()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == (
        "numa: this system does not allow set_mempolicy (Operation not permitted); in a container "
        "start it with --cap-add SYS_NICE, or remove numa\n"
    )


def test_nodes_that_the_kernel_does_not_take_are_refused_in_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(confinement, "bound_cpus", lambda *_: (0,))
    with pytest.raises(InputError) as refused:
        Confinement(nodes=(1023,)).check(NO_LIMITS)
    assert str(refused.value) == (
        "numa: this system does not allow set_mempolicy (Invalid argument); name other nodes, or "
        "remove numa"
    )
