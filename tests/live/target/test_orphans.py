"""Servers of a process that ends in whatever way, and servers of all sorts of users."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from dbdyno.target.mysql.binaries import find_binaries
from tests.live.target import shared_memory
from tests.live.target.kinds import POSTGRESQL, Kind
from tests.unit.watch.burner import wait_until

pytestmark = pytest.mark.live

NOBODY = 65534
LIMIT_S = 180

OPEN = """
import os, sys
from pathlib import Path
from dbdyno.dataset import Snapshots
from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget
from dbdyno.target.opening import open_server
target = {"mysql": MysqlTarget, "postgresql": PostgresqlTarget}[sys.argv[1]]()
directory = Path(sys.argv[2])
"""

START_AND_WAIT = """
server = open_server(target, "server", directory)
server.start({})
print(*server.process_ids(), flush=True)
sys.stdin.read()
"""

START_AND_STOP = """
with open_server(target, "server", directory) as server:
    server.start({})
    (process_id,) = server.process_ids()
    owner = os.stat(f"/proc/{process_id}").st_uid
    snapshots = Snapshots(directory / "snapshots")
    snapshots.take(server, "empty")
    snapshots.restore(server, "empty")
    server.start({})
    print(os.geteuid(), owner, server.describe().product)
"""


@pytest.fixture
def everybodys_directory() -> Iterator[Path]:
    """Return a directory that any user can reach, unlike pytest's own."""
    directory = Path(tempfile.mkdtemp(prefix="dbdyno-"))
    directory.chmod(0o777)
    yield directory
    shutil.rmtree(directory)


def program(what: str, kind: Kind, directory: Path) -> list[str]:
    """Return a command that runs a program with a server of a kind."""
    return [sys.executable, "-c", OPEN + what, kind.name, str(directory)]


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command where everybody may be."""
    return subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd="/"
    )


def as_user(user: int) -> list[str]:
    """Return a prefix that runs a command as a user with one privilege: to read everything.

    Our interpreter may be installed where only root can reach it.
    """
    identity = [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return ["setpriv", *identity, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]


def as_root_where(something_is_so: str) -> list[str]:
    """Return a prefix that runs a command as root of a small world, once a shell has changed it."""
    world = ["unshare", "--user", "--map-root-user", "--mount"]
    return [*world, "sh", "-c", f'{something_is_so} && exec "$@"', "sh"]


def test_killing_the_parent_ends_the_server(kind: Kind, tmp_path: Path) -> None:
    command = program(START_AND_WAIT, kind, tmp_path)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        server = psutil.Process(int(parent.stdout.readline()))
        assert server.name() in kind.processes
        processes = [server, *server.children(recursive=True)]
        used = shared_memory.of_process(server.pid)
        parent.send_signal(signal.SIGKILL)
        parent.wait(LIMIT_S)
    _, alive = psutil.wait_procs(processes, LIMIT_S)
    assert alive == []
    assert used.left() == shared_memory.NONE


def test_a_user_who_is_not_root_runs_a_server(kind: Kind, everybodys_directory: Path) -> None:
    command = program(START_AND_STOP, kind, everybodys_directory)
    user = os.geteuid()
    if user == 0:
        user = NOBODY
        command = [*as_user(user), *command]
    done = run(command)
    assert done.stderr == ""
    assert done.stdout.split() == [str(user), str(user), kind.product]


def test_root_runs_a_server_on_a_machine_without_users(
    kind: Kind, everybodys_directory: Path
) -> None:
    users = everybodys_directory / "passwd"
    system = (line for line in Path("/etc/passwd").read_text().splitlines() if _is_system(line))
    users.write_text("".join(f"{line}\n" for line in system))
    world = as_root_where(f"mount --bind '{users}' /etc/passwd")
    done = run([*world, *program(START_AND_STOP, kind, everybodys_directory)])
    assert done.stderr == ""
    assert done.stdout.split() == ["0", "0", kind.product]


def _is_system(user: str) -> bool:
    """Tell whether every Debian has a user: the one who logs in first gets the number 1000."""
    return int(user.split(":")[2]) < 100


def test_a_machine_on_which_root_cannot_be_another(everybodys_directory: Path) -> None:
    world = as_root_where("echo 0 > /proc/sys/user/max_user_namespaces")
    done = run([*world, *program(START_AND_STOP, POSTGRESQL, everybodys_directory)])
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "it does not run as root, and this machine does not let root be seen as another user "
        "(No space left on device); run dbdyno as an ordinary user"
    )


SHELLS = """
import sys
from pathlib import Path
from dbdyno.target.mysql.binaries import find_binaries
from dbdyno.target.mysql.data import MysqlDirectory
directory = MysqlDirectory(Path(sys.argv[1]), find_binaries(None))
directory.run_to_end(["/bin/sh", "-c", "sleep 600 | sleep 600"], Path(sys.argv[1], "log"), "sleep")
"""


def test_the_shells_of_an_installer_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SHELLS, str(tmp_path)], cwd="/") as process:
        wait_until(lambda: len(sleeping(tmp_path)) == 2)
        process.kill()
    wait_until(lambda: not sleeping(tmp_path))


def sleeping(directory: Path) -> list[psutil.Process]:
    """Return the programs that sleep in a directory."""
    found = psutil.process_iter(["name", "cwd"])
    return [each for each in found if each.info == {"name": "sleep", "cwd": str(directory)}]


@pytest.mark.parametrize(
    ("factors", "call"),
    [("", 1), ("factors: {sort: {sets: server.sort_buffer_size, levels: [1M, 2M]}}\n", 2)],
    ids=["settings that are checked", "levels that are read"],
)
def test_an_option_file_does_not_outlive_a_plan_that_is_killed(
    tmp_path: Path, factors: str, call: int
) -> None:
    programs, temporary = tmp_path / "base/bin", tmp_path / "tmp"
    programs.mkdir(parents=True)
    temporary.mkdir()
    # A server that takes its time to read its settings, the first time or the second.
    server, installer = find_binaries(None).server, find_binaries(None).installer
    counted = f"echo >> {tmp_path}/calls; [ $(wc -l < {tmp_path}/calls) -lt {call} ] || sleep 30"
    slow = f'case "$*" in *--help*) {counted};; esac; exec {server} "$@"'
    (programs / "mariadbd").write_text(f"#!/bin/sh\n{slow}\n")
    (programs / "mariadbd").chmod(0o755)
    (programs / "mariadb-install-db").symlink_to(str(installer))
    (tmp_path / "my.cnf").write_text("[mysqld]\nmax_connections=77\n")
    (tmp_path / "x.yaml").write_text(
        "experiment: x\nquestion: Is it?\nworkload: {sysbench: {}}\n"
        f"target: {{mysql: {{basedir: {tmp_path / 'base'}, option_file: my.cnf}}}}\n"
        f"{factors}"
    )
    command = [sys.executable, "-m", "dbdyno", "plan", str(tmp_path / "x.yaml")]
    with subprocess.Popen(command, env=os.environ | {"TMPDIR": str(temporary)}) as process:
        calls = tmp_path / "calls"
        wait_until(lambda: calls.exists() and len(calls.read_text()) == call)
        assert "77" in "".join(map(Path.read_text, temporary.rglob("my.cnf")))
        process.kill()
    wait_until(lambda: not list(temporary.rglob("my.cnf")))
