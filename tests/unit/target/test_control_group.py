"""Control groups for servers: where they are made, what is written, what is refused and swept.

Version 2 and systemd are seen here alone, by a tree and a program that stand for them; what version
1 does to real servers, ``tests/live`` sees.
"""

from __future__ import annotations

import os
import subprocess
import sys
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

import pytest

from dbdyno.errors import InputError, RunError
from dbdyno.experiment.plan import ServerLimits
from dbdyno.target.local import control_group, control_group_ways, group_folders
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.control_group import ControlGroup
from dbdyno.target.local.control_group_ways import find_way
from dbdyno.target.local.group_folders import make_locked, sweep
from dbdyno.target.local.process import ServerProcess
from tests.unit.target.fake_kernel import FakeKernel

BOTH = ServerLimits(memory_bytes=200 << 20, cpus=1.5)
OURS, INIT = str(os.getpid()), "1"
ALL = {"cgroup.controllers": "cpu memory pids"}
HANDS_DOWN = ALL | {"cgroup.subtree_control": "cpu memory"}
WRITTEN_2 = {"memory.max": "209715200", "memory.swap.max": "0", "cpu.max": "150000 100000"}


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    """Return a machine without systemd whose groups are still to be made."""
    monkeypatch.setattr(control_group_ways, "_SYSTEMD", tmp_path / "no systemd")
    monkeypatch.setenv("PATH", str(tmp_path))
    return FakeKernel(tmp_path, monkeypatch)


def limited(kernel: FakeKernel, membership: str, limits: ServerLimits = BOTH) -> ControlGroup:
    """Make the group of a server of a process with this membership."""
    kernel.membership.write_text(membership)
    return ControlGroup(find_way(limits, kernel.root, kernel.membership), limits, kernel.root)


def refusal(kernel: FakeKernel, membership: str) -> str:
    """Return what is said where nothing can be limited."""
    kernel.membership.write_text(membership)
    with pytest.raises(InputError) as refused:
        find_way(BOTH, kernel.root, kernel.membership)
    return str(refused.value)


def test_version_1_has_a_group_for_each_controller(kernel: FakeKernel) -> None:
    kernel.group("memory", {})
    kernel.group("cpu", {})
    kernel.group("memory/session", {})
    group = limited(kernel, "2:memory:/session\n1:cpu:/\n0::/")
    memory, cpu = group.folders
    assert (memory.parent, cpu.parent) == (kernel.root / "memory/session", kernel.root / "cpu")
    assert memory.name == cpu.name
    assert kernel.contents(memory) == {
        "memory.limit_in_bytes": "209715200",
        "memory.memsw.limit_in_bytes": "209715200",
    }
    assert kernel.contents(cpu) == {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "150000"}
    group.remove()
    assert not memory.exists()
    assert not cpu.exists()


def test_only_what_is_limited_has_a_group(kernel: FakeKernel) -> None:
    kernel.group("cpu", {})
    group = limited(kernel, "2:memory:/not/mounted\n1:cpu:/", ServerLimits(cpus=0.5))
    assert [folder.parent.name for folder in group.folders] == ["cpu"]
    assert kernel.contents(group.folders[0])["cpu.cfs_quota_us"] == "50000"


def test_a_limit_is_not_evaded_where_swap_is_not_counted(kernel: FakeKernel) -> None:
    kernel.counts_swap = False
    kernel.group("memory", {})
    group = limited(kernel, "2:memory:/", ServerLimits(memory_bytes=1 << 30))
    assert kernel.contents(group.folders[0]) == {
        "memory.limit_in_bytes": "1073741824",
        "memory.swappiness": "0",
    }


def test_in_a_container_the_path_may_be_the_hosts(kernel: FakeKernel) -> None:
    kernel.group("memory", {})
    kernel.group("cpu", {})
    group = limited(kernel, "2:memory:/docker/4711\n1:cpu:/docker/4711")
    assert [folder.parent for folder in group.folders] == [
        kernel.root / "memory",
        kernel.root / "cpu",
    ]


def test_version_2_below_the_root(kernel: FakeKernel) -> None:
    kernel.group("", HANDS_DOWN)
    (folder,) = limited(kernel, "0::/").folders
    assert folder.parent == kernel.root
    assert kernel.contents(folder) == WRITTEN_2


def test_version_2_below_the_root_that_hands_nothing_down_yet(kernel: FakeKernel) -> None:
    kernel.group("", ALL | {"cgroup.subtree_control": "pids", "cgroup.procs": INIT})
    (folder,) = limited(kernel, "0::/").folders
    assert folder.parent == kernel.root
    assert (kernel.root / "cgroup.subtree_control").read_text() == "+memory +cpu"
    assert (kernel.root / "cgroup.procs").read_text() == INIT


def test_version_2_moves_us_out_of_a_group_that_is_ours_alone(kernel: FakeKernel) -> None:
    scope = kernel.group("scope", ALL | {"cgroup.procs": OURS})
    group = limited(kernel, "0::/scope")
    (folder,) = group.folders
    itself = scope / f"dbdyno-itself-{OURS}"
    assert (itself / "cgroup.procs").read_text() == OURS
    assert (scope / "cgroup.subtree_control").read_text() == "+memory +cpu"
    assert folder.parent == scope
    assert kernel.contents(folder) == WRITTEN_2
    group.remove()
    # The next server of the same process: the kernel has left the scope empty.
    (scope / "cgroup.subtree_control").write_text("memory cpu")
    (scope / "cgroup.procs").write_text("")
    again = limited(kernel, f"0::/scope/{itself.name}")
    assert [each.parent for each in again.folders] == [scope]


def test_version_2_beside_a_group_with_others_in_it(kernel: FakeKernel) -> None:
    slice_ = kernel.group("slice", HANDS_DOWN)
    kernel.group("slice/scope", ALL | {"cgroup.procs": f"{INIT}\n{OURS}"})
    (folder,) = limited(kernel, "0::/slice/scope").folders
    assert folder.parent == slice_
    assert kernel.contents(folder) == WRITTEN_2
    assert (slice_ / "scope/cgroup.procs").read_text() == f"{INIT}\n{OURS}"


@pytest.mark.parametrize("limit", [{"memory.max": "1073741824"}, {"cpu.max": "50000 100000"}])
def test_no_limit_of_our_own_group_is_got_round(kernel: FakeKernel, limit: dict[str, str]) -> None:
    kernel.group("slice", HANDS_DOWN)
    kernel.group("slice/scope", ALL | {"cgroup.procs": INIT} | limit)
    assert "holds other processes besides" in refusal(kernel, "0::/slice/scope")


def test_in_a_container_with_others_in_its_group_the_way_out_is_told(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    root = kernel.group("", ALL | {"cgroup.procs": f"{INIT}\n{OURS}", "cgroup.type": "domain"})
    (root / "cgroup.subtree_control").touch()
    assert (
        f"; in a container move what is in it into another, the shell with `mkdir {root}/init && "
        f"echo $$ > {root}/init/cgroup.procs`, or start the container with dbdyno as its command; "
    ) in refusal(kernel, "0::/")
    (root / "cgroup.procs").write_text("")
    kernel.group("init", {"cgroup.controllers": "", "cgroup.procs": f"{INIT}\n{OURS}"})
    (folder,) = limited(kernel, "0::/init").folders
    assert folder.parent == root
    assert (root / "cgroup.subtree_control").read_text() == "+memory +cpu"


def test_version_2_beside_version_1(kernel: FakeKernel) -> None:
    kernel.group("cpu", {})
    unified = kernel.group("unified", {"cgroup.controllers": "memory"})
    (unified / "cgroup.type").unlink()
    (unified / "cgroup.subtree_control").write_text("memory")
    cpu, memory = limited(kernel, "1:cpu:/\n0::/").folders
    assert (cpu.parent.name, memory.parent) == ("cpu", unified)
    assert kernel.contents(memory)["memory.max"] == "209715200"


def test_what_was_tried_is_told(kernel: FakeKernel) -> None:
    root = kernel.root
    no_systemd = "there is no systemd-run"
    advice = (
        "run dbdyno as root, or by systemd-run --user --scope -p Delegate=yes, or in a container "
        f"that may write to {root}, or remove limits"
    )
    beginning = "limits: this machine does not let dbdyno limit a server"
    assert refusal(kernel, "") == (
        f"{beginning} (there are no control groups at {root}; {no_systemd}); {advice}"
    )
    assert refusal(kernel, "2:memory:/\n1:cpu:/") == (
        f"{beginning} (the controller memory is not mounted at {root / 'memory'}; {no_systemd}); "
        f"{advice}"
    )
    scope = kernel.group("scope", {"cgroup.controllers": "pids cpu"})
    assert refusal(kernel, "0::/scope") == (
        f"{beginning} ({scope} is not given the controller memory; {no_systemd}); {advice}"
    )


STAND_IN = """\
#!/bin/sh
[ "$1" = --version ] && echo 'systemd {version} ({version}.38-1)' && exit
printf '%s\\n' "$@" > "$0.words"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""


@pytest.mark.parametrize(
    ("version", "policy"), [(252, []), (253, ["--property=OOMPolicy=continue"])]
)
def test_systemd_is_asked_where_no_group_may_be_made(
    kernel: FakeKernel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: int,
    policy: list[str],
) -> None:
    program = tmp_path / "systemd-run"
    program.write_text(STAND_IN.format(version=version))
    program.chmod(0o755)
    assert f"; systemd does not run: there is no {tmp_path}" in refusal(kernel, "")
    (tmp_path / "no systemd").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    users = tmp_path / "uid_map"
    monkeypatch.setattr(control_group_ways, "_USER_MAP", users)
    users.write_text("         0          0          1\n")
    assert "; systemd is not asked by the root of a namespace of users)" in refusal(kernel, "")
    users.write_text("         0          0 4294967295\n")
    way = find_way(BOTH, kernel.root, kernel.membership)
    monkeypatch.setattr("dbdyno.target.local.confinement.find_way", lambda _, **__: way)
    confinement = Confinement()
    confinement.begin(BOTH)
    output = tmp_path / "output"
    process = ServerProcess(
        ["/bin/echo", "here"], directory=tmp_path, log=output, confinement=confinement
    )
    assert process.wait(60) == 0
    assert output.read_text() == "here\n"
    words = Path(f"{program}.words").read_text().splitlines()
    assert [word for word in words if "OOMPolicy" in word] == policy
    words = [word for word in words if "OOMPolicy" not in word]
    assert words[:7] == [
        "--scope",
        "--quiet",
        "--collect",
        "--property=MemoryMax=209715200",
        "--property=MemorySwapMax=0",
        "--property=CPUQuota=150%",
        words[6],
    ]
    assert words[6].startswith(f"--unit=dbdyno-{OURS}-")
    assert words[7:9] == ["--", sys.executable]


def test_systemd_is_told_hundredths_of_a_percent(
    kernel: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "systemd-run"
    program.write_text(STAND_IN.format(version=252))
    program.chmod(0o755)
    (tmp_path / "no systemd").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    kernel.membership.write_text("")
    for cpus, quota in ((0.0725, "7.25%"), (1234.5678, "123456.78%"), (1 / 3, "33.33%")):
        way = find_way(ServerLimits(cpus=cpus), kernel.root, kernel.membership)
        assert way.command[-1] == f"--property=CPUQuota={quota}"


OF_DISK = ServerLimits(reads_per_s=200, write_bytes_per_s=1 << 20)


def test_version_1_limits_a_disk(kernel: FakeKernel) -> None:
    kernel.group("blkio", {})
    kernel.membership.write_text("7:blkio:/\n0::/")
    way = find_way(OF_DISK, kernel.root, kernel.membership, "254:0")
    (folder,) = ControlGroup(way, OF_DISK, kernel.root, "254:0").folders
    assert folder.parent == kernel.root / "blkio"
    assert kernel.contents(folder) == {
        "blkio.throttle.read_iops_device": "254:0 200",
        "blkio.throttle.write_bps_device": "254:0 1048576",
    }


def test_version_2_limits_a_disk(
    kernel: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.group("", {"cgroup.controllers": "io", "cgroup.subtree_control": "io"})
    kernel.membership.write_text("0::/")
    way = find_way(OF_DISK, kernel.root, kernel.membership, "254:0")
    group = ControlGroup(way, OF_DISK, kernel.root, "254:0")
    (folder,) = group.folders
    assert kernel.contents(folder) == {"io.max": "254:0 riops=200 wbps=1048576"}
    joined = tmp_path / "joined"
    monkeypatch.setattr(control_group, "membership_of", lambda _: joined)
    joined.write_text(f"0::/{folder.name}")
    (folder / "io.max").write_text("254:0 rbps=max wbps=1048576 riops=200 wiops=max")
    group.confirm(os.getpid())
    (folder / "io.max").write_text("8:0 rbps=max wbps=1048576 riops=200 wiops=max")
    with pytest.raises(RunError) as refused:
        group.confirm(os.getpid())
    assert str(refused.value) == (
        "limits.reads_per_s has no effect: the server's control group has no reads a second limit; "
        "limits.write_bytes_per_s has no effect: the server's control group has no write bytes a "
        "second limit; run dbdyno as root, or remove limits"
    )


def test_systemd_limits_a_disk(
    kernel: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "systemd-run"
    program.write_text(STAND_IN.format(version=252))
    program.chmod(0o755)
    (tmp_path / "no systemd").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    kernel.membership.write_text("")
    way = find_way(OF_DISK, kernel.root, kernel.membership, "254:0")
    assert way.command[-2:] == (
        "--property=IOReadIOPSMax=/dev/block/254:0 200",
        "--property=IOWriteBandwidthMax=/dev/block/254:0 1048576",
    )


def test_limits_that_do_not_hold_are_refused(
    kernel: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.group("", HANDS_DOWN)
    group = limited(kernel, "0::/")
    joined = tmp_path / "joined"
    monkeypatch.setattr(control_group, "membership_of", lambda _: joined)
    joined.write_text(f"0::/{group.folders[0].name}")
    group.confirm(os.getpid())
    joined.write_text("0::/")
    advice = "; run dbdyno as root, or remove limits"
    with pytest.raises(RunError) as refused:
        group.confirm(os.getpid())
    assert str(refused.value) == (
        "limits.memory has no effect: the server's control group has no memory limit; limits.cpus "
        f"has no effect: the server's control group has no CPU limit{advice}"
    )
    (group.folders[0] / "memory.max").write_text(str(1 << 30))
    (group.folders[0] / "cpu.max").write_text("50000 100000")
    joined.write_text(f"0::/{group.folders[0].name}")
    with pytest.raises(RunError) as refused:
        group.confirm(os.getpid())
    assert str(refused.value) == (
        "limits.memory has no effect: the server's control group allows 1,024 MiB of memory; "
        "limits.cpus has another effect than asked for: the server's control group allows 0.5 CPUs"
        f"{advice}"
    )


OWNER = """
import sys, time
from pathlib import Path
from dbdyno.target.local.group_folders import make_locked
make_locked(Path(sys.argv[1]))
print("made", flush=True)
time.sleep(60)
"""


def test_what_was_killed_is_swept_and_what_lives_is_not(tmp_path: Path) -> None:
    folders = [tmp_path / "dbdyno-1", tmp_path / "dbdyno-2"]
    owners = [
        subprocess.Popen([sys.executable, "-c", OWNER, folder], stdout=subprocess.PIPE, text=True)
        for folder in folders
    ]
    other = tmp_path / "others"
    other.mkdir()
    for owner in owners:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "made\n"
    owners[0].kill()
    owners[0].communicate()
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dbdyno-2", "others"]
    owners[1].kill()
    owners[1].communicate()
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == [other]


def test_a_group_that_was_swept_before_it_was_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dbdyno-1"
    sweeps = iter([True])

    def lock(descriptor: int, how: int) -> None:
        if how == LOCK_EX and next(sweeps, False):
            sweep(tmp_path)
        flock(descriptor, how)

    monkeypatch.setattr(group_folders, "flock", lock)
    os.close(make_locked(folder))
    assert next(sweeps, None) is None
    assert folder.exists()


def test_a_group_that_was_swept_before_it_was_opened_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dbdyno-1"
    make = Path.mkdir
    sweeps = iter([True])

    def mkdir(path: Path, **options: bool) -> None:
        make(path, **options)
        if next(sweeps, False):
            sweep(tmp_path)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    os.close(make_locked(folder))
    assert next(sweeps, None) is None
    assert folder.exists()


def test_the_group_that_we_move_into_is_locked_until_it_has_a_member(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = kernel.group("scope", ALL | {"cgroup.procs": OURS})
    write = group_folders.write
    swept_before = []

    def sweep_and_write(path: Path, text: str) -> None:
        if path.parent.name.startswith("dbdyno-itself-"):
            swept_before.append(path.parent)
            sweep(scope)
        write(path, text)

    monkeypatch.setattr(group_folders, "write", sweep_and_write)
    limited(kernel, "0::/scope")
    (itself,) = swept_before
    assert (itself / "cgroup.procs").read_text() == OURS
    descriptor = os.open(itself, os.O_RDONLY)
    flock(descriptor, LOCK_EX | LOCK_NB)
    os.close(descriptor)
