"""Servers of a process that ends in whatever way, and servers of users who are not root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.live

NOBODY = 65534
LIMIT_S = 60

START_AND_WAIT = """
import sys, time
from pathlib import Path
from dbdyno.experiment.target import MysqlTarget
from dbdyno.server import open_server
server = open_server(MysqlTarget(), "mysql", Path(sys.argv[1]))
server.start({})
print(*server.process_ids(), flush=True)
sys.stdin.read()
"""

START_AND_STOP = """
import os, sys
from pathlib import Path
from dbdyno.dataset import Snapshots
from dbdyno.experiment.target import MysqlTarget
from dbdyno.server import open_server
with open_server(MysqlTarget(), "mysql", Path(sys.argv[1])) as server:
    server.start({})
    (process_id,) = server.process_ids()
    owner = os.stat(f"/proc/{process_id}").st_uid
    snapshots = Snapshots(Path(sys.argv[1]) / "snapshots")
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


def as_user(user: int) -> list[str]:
    """Return a prefix that runs a command as a user with one privilege: to read everything.

    Our interpreter may be installed where only root can reach it.
    """
    identity = [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return ["setpriv", *identity, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]


def test_killing_the_parent_ends_the_server(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START_AND_WAIT, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        server = psutil.Process(int(parent.stdout.readline()))
        assert server.name() in ("mariadbd", "mysqld")
        parent.send_signal(signal.SIGKILL)
        parent.wait(LIMIT_S)
    server.wait(LIMIT_S)
    assert not server.is_running()


def test_a_user_who_is_not_root_runs_a_server(everybodys_directory: Path) -> None:
    command = [sys.executable, "-c", START_AND_STOP, str(everybodys_directory)]
    user = os.geteuid()
    if user == 0:
        user = NOBODY
        command = [*as_user(user), *command]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd="/"
    )
    assert done.stderr == ""
    assert done.stdout.split() == [str(user), str(user), "MariaDB"]
