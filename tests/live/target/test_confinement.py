"""Private servers in control groups and on NUMA nodes of their own, as the kernel sees them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from dbdyno.control_group_disks import FIRST_CONTROLLER, disk_amounts, disk_limits_per_s
from dbdyno.control_groups import (
    cpu_limit_cores,
    groups_of,
    membership_of,
    memory_limit_bytes,
    narrowest,
)
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.plan import ServerLimits
from dbdyno.target.local.private import PrivateServer
from tests.live.limits import (
    groups_with_limits,
    left_behind,
    require_disk_limits,
    require_limits,
    require_numa,
)
from tests.live.target.kinds import POSTGRESQL, Kind
from tests.live.target.queries import MakeServer, query
from tests.live.target.test_orphans import LIMIT_S, as_root_where, program, run

pytestmark = pytest.mark.live

LIMITS = ServerLimits(memory_bytes=700 << 20, cpus=0.75)

HUNGRY = {
    "mysql": "SET @much = REPEAT('x', 400000000)",
    "postgresql": "SELECT length(repeat('x', 400000000))",
}
TOO_LITTLE_TO_START = {"mysql": 40 << 20, "postgresql": 16 << 20}

START_LIMITED = """
from dbdyno.experiment.plan import ServerLimits
server = open_server(target, "server", directory)
server.start({}, ServerLimits(memory_bytes=700 << 20, cpus=0.75))
print(*server.process_ids(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def limits() -> None:
    """Skip where no server can be limited."""
    require_limits()


@pytest.fixture
def numa() -> None:
    """Skip where no server can be bound to a node."""
    require_numa()


def groups(server: PrivateServer) -> list[Path]:
    """Return the control groups of a running server; there must be at least one."""
    (process_id,) = server.process_ids()
    found = groups_with_limits(process_id)
    assert found != []
    assert all(group.is_dir() for group in found)
    return found


def are_gone(groups: list[Path]) -> bool:
    """Tell whether nothing is left of these groups, nor of any other of ours."""
    return left_behind() == [] and not any(group.exists() for group in groups)


def family(server: PrivateServer) -> list[psutil.Process]:
    """Return the server's processes, the first one first."""
    (process_id,) = server.process_ids()
    first = psutil.Process(process_id)
    return [first, *first.children(recursive=True)]


def disk_group(process: psutil.Process) -> Path | None:
    """Return the group that limits a process's disk; None for one that has ended."""
    membership = groups_of(membership_of(process.pid))
    return next(iter(membership.get(FIRST_CONTROLLER) or membership.get("", ())), None)


def ends(process: psutil.Process) -> bool:
    """Tell whether one is ending, as PostgreSQL's do that have served their client.

    The kernel takes a process out of its groups, and its memory away, a moment before it has ended.
    """
    deadline_s = time.monotonic() + LIMIT_S
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline_s:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.usefixtures("limits")
def test_limits_hold_for_all_its_processes_and_go_with_it(server: PrivateServer) -> None:
    server.start({}, LIMITS)
    for process in family(server):
        membership = groups_of(membership_of(process.pid))
        limits = (
            narrowest(membership, "memory", memory_limit_bytes),
            narrowest(membership, "cpu", cpu_limit_cores),
        )
        assert limits == (LIMITS.memory_bytes, LIMITS.cpus) or ends(process)
    limited = groups(server)
    assert left_behind() != []
    server.start({})
    assert are_gone(limited)
    membership = groups_of(membership_of(family(server)[0].pid))
    assert narrowest(membership, "memory", memory_limit_bytes) != LIMITS.memory_bytes


def test_a_limit_of_its_disk_holds_and_goes_with_it(server: PrivateServer, tmp_path: Path) -> None:
    require_disk_limits(tmp_path)
    server.start({}, ServerLimits(writes_per_s=2000))
    (first, *others) = family(server)
    own = disk_group(first)
    assert own is not None
    assert list(disk_limits_per_s(own).values()) == [{"writes": 2000}]
    assert all(disk_group(process) == own or ends(process) for process in others)
    assert sum(each.get("writes", 0) for each in disk_amounts(own).values()) > 0
    server.stop()
    assert not own.exists()


@pytest.mark.usefixtures("limits")
def test_all_its_memory_counts_there(server: PrivateServer) -> None:
    server.start({}, LIMITS)
    first = family(server)[0]
    membership = groups_of(membership_of(first.pid))
    (own, *_) = membership.get("memory") or membership[""]
    counted = dict(line.split() for line in (own / "memory.stat").read_text().splitlines())
    status = (Path("/proc") / str(first.pid) / "status").read_text()
    anonymous_bytes = 1024 * int(status.partition("RssAnon:")[2].split()[0])
    # Version 1 calls it rss. The kernel counts each CPU's pages in batches.
    assert int(counted.get("anon") or counted["rss"]) > 0.8 * anonymous_bytes > 0


@pytest.mark.usefixtures("limits")
def test_a_server_that_is_killed_leaves_no_group(server: PrivateServer) -> None:
    server.start({}, LIMITS)
    limited = groups(server)
    server.crash()
    assert are_gone(limited)


@pytest.mark.usefixtures("limits")
def test_a_server_that_cannot_start_leaves_no_group(shared_server: PrivateServer) -> None:
    with pytest.raises((InputError, RunError)):
        shared_server.start({"no_such_setting": "1"}, LIMITS)
    assert left_behind() == []


@pytest.mark.usefixtures("limits")
def test_what_a_killed_owner_left_is_swept_by_the_next(
    kind: Kind, server: PrivateServer, tmp_path: Path
) -> None:
    command = program(START_LIMITED, kind, tmp_path / "killed")
    (tmp_path / "killed").mkdir()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        process = psutil.Process(int(owner.stdout.readline()))
        processes = [process, *process.children(recursive=True)]
        left = groups_with_limits(process.pid)
        # Whoever starts another server meanwhile leaves alone what is somebody's.
        server.start({}, LIMITS)
        server.stop()
        assert groups_with_limits(process.pid) == left == left_behind(owner.pid) != []
        owner.send_signal(signal.SIGKILL)
        owner.wait(LIMIT_S)
    psutil.wait_procs(processes, LIMIT_S)
    # systemd removes a group with its last process; another test's server may have swept it.
    assert set(left_behind(owner.pid)) <= set(left)
    server.start({}, LIMITS)
    assert left_behind(owner.pid) == []


@pytest.mark.usefixtures("limits")
def test_a_server_that_needs_more_memory_is_killed_and_that_is_named(
    server: PrivateServer, kind: Kind
) -> None:
    settings = {"max_allowed_packet": "1G"} if kind.name == "mysql" else {}
    server.start(settings, ServerLimits(memory_bytes=300 << 20))
    assert server.killed_for_memory() is None
    with pytest.raises(RunError):
        query(server, HUNGRY[kind.name])
    cause = (
        f"the kernel killed server {kind.name} for lack of memory: limits.memory is 300 MiB; "
        "raise it, or make the server's caches smaller"
    )
    assert server.killed_for_memory() == cause
    if kind.name == "mysql":
        # PostgreSQL goes on: it has lost one process of many.
        with pytest.raises(RunError, match=cause):
            server.describe()


@pytest.mark.usefixtures("limits")
def test_a_server_that_is_killed_for_memory_while_it_starts_names_that(
    server: PrivateServer, kind: Kind
) -> None:
    limits = ServerLimits(memory_bytes=TOO_LITTLE_TO_START[kind.name])
    with pytest.raises(RunError) as refused:
        server.start({}, limits)
    cause = f"the kernel killed server {kind.name} for lack of memory: limits.memory is"
    assert str(refused.value).startswith(cause)
    # The test stand asks when the start has failed, and the next start has a cause of its own.
    assert server.killed_for_memory() == str(refused.value)
    assert left_behind() == []
    server.start({})
    assert server.killed_for_memory() is None


@pytest.mark.usefixtures("limits")
def test_a_server_that_ends_by_itself_when_it_has_lost_a_process_names_that(
    tmp_path: Path,
) -> None:
    with POSTGRESQL.open(tmp_path) as server:
        server.start({}, ServerLimits(memory_bytes=300 << 20))
        (process_id,) = server.process_ids()
        with pytest.raises(RunError):
            query(server, HUNGRY["postgresql"])
        os.kill(process_id, signal.SIGQUIT)
        os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOWAIT)
        with pytest.raises(RunError, match=r"^the kernel killed server postgresql for lack of"):
            server.describe()


UNSEEN = (
    "mount -t tmpfs none /sys/fs/cgroup && "
    "if [ -d /run/systemd ]; then mount -t tmpfs none /run/systemd; fi"
)
WITH_SYSTEMD = f"{UNSEEN} && mkdir -p /run/systemd/system"


@pytest.mark.parametrize("world", [UNSEEN, WITH_SYSTEMD], ids=["no systemd", "systemd"])
def test_where_no_group_can_be_made_that_is_told_before_anything_is_started(
    kind: Kind, tmp_path: Path, world: str
) -> None:
    done = run([*as_root_where(world), *program(START_LIMITED, kind, tmp_path)])
    assert done.returncode == 1
    refusal = done.stderr.splitlines()[-1]
    assert "InputError: limits: this machine does not let dbdyno limit a server (" in refusal
    assert refusal.endswith("or remove limits")
    assert list(tmp_path.iterdir()) == []


def policies(process: psutil.Process) -> list[str]:
    """Return where a process takes its memory from, a line a mapping; none where it has ended."""
    try:
        return (Path("/proc") / str(process.pid) / "numa_maps").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return []


@pytest.mark.usefixtures("numa")
def test_its_memory_is_of_the_node(make_server: MakeServer) -> None:
    server = make_server(numa=0)
    server.start({})
    assert policies(family(server)[0]) != []
    for process in family(server):
        found = policies(process)
        assert all(" bind:0" in policy for policy in found)
        assert found or ends(process)
    described = server.describe()
    assert described.numa_nodes == (0,)
    assert set(described.cpus) == set(family(server)[0].cpu_affinity() or ())


@pytest.mark.usefixtures("numa")
def test_a_node_that_is_not_there_is_refused(make_server: MakeServer) -> None:
    with pytest.raises(InputError, match=r"^numa: this machine has the NUMA nodes .* and not 999"):
        make_server(numa=999).check({})
