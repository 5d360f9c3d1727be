"""``dbdyno tpcc durability`` on a server that is not durable, and in wrong calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

LIMIT_S = 300.0


def call(*words: str) -> subprocess.CompletedProcess[str]:
    """Call the command."""
    return subprocess.run(
        [sys.executable, "-m", "dbdyno", "tpcc", "durability", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )


def test_a_server_that_flushes_each_second_loses_orders() -> None:
    # Not each second, in fact: just after a flush there is next to nothing to lose.
    settings = ("innodb_flush_log_at_trx_commit=0", "innodb_flush_log_at_timeout=60")
    options = [word for setting in settings for word in ("--set", setting)]
    done = call("mysql", *options, "--run", "2", "--terminals", "4", "--json")
    assert done.returncode == 1, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert said["acknowledged"] == said["found"] + len(said["lost"])
    assert len(said["lost"]) > 0
    assert said["conditions_violated"] == []
    assert said["server"]["durability"] == "flushed each second"


def test_a_run_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "dbdyno", "tpcc", "durability", "mysql", "--run", "60"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("loading")
        (folder,) = tmp_path.iterdir()
        assert (folder / "server" / "data").is_dir()
        running.terminate()
        _, errors = running.communicate(timeout=LIMIT_S)
    assert running.returncode == 1
    assert errors == "stopped by SIGTERM; nothing of it is kept\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mysq",), "no server 'mysq'; did you mean 'mysql'?"),
        (("mysql", "--set", "x"), "--set x: write NAME=VALUE, as in sync_binlog=0"),
    ],
)
def test_wrong_calls_of_durability(words: tuple[str, ...], message: str) -> None:
    done = call(*words)
    assert done.returncode == 2
    assert message in done.stderr
