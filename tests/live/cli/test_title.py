"""What ``ps`` shows of a call with a password, while it runs."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing

import psutil
import pytest

pytestmark = pytest.mark.live

SECRET = "verysecret42"
LIMIT_S = 60.0


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Return a port on which somebody listens who never says anything."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (
            "sysbench oltp_read_only --mysql-port={port} --mysql-host=127.0.0.1 "
            "--mysql-password={secret} run",
            "--mysql-password=***",
        ),
        ("tpcc-mysql start -h127.0.0.1 -P{port} -p {secret} -w1", "tpcc-mysql start ***"),
        ("check mysql://root:{secret}@127.0.0.1:{port}/tpcc", "mysql://root:***@"),
    ],
)
def test_ps_shows_no_password(silent_port: int, words: str, shown: str) -> None:
    call = words.format(port=silent_port, secret=SECRET).split()
    with subprocess.Popen(
        [sys.executable, "-m", "dbdyno", *call],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            seen = _title(process, shown)
        finally:
            process.kill()
    assert shown in seen
    assert SECRET not in seen


def _title(process: subprocess.Popen[bytes], shown: str) -> str:
    """Return the command lines of a process and its children, once the first one is hidden."""
    deadline_s = time.monotonic() + LIMIT_S
    own = psutil.Process(process.pid)
    while shown not in " ".join(own.cmdline()) and time.monotonic() < deadline_s:
        assert process.poll() is None
        time.sleep(0.02)
    return " ".join(word for each in (own, *own.children()) for word in each.cmdline())
