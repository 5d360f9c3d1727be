"""``dbdyno tpcc durability`` on a server that is not durable, and in wrong calls."""

from __future__ import annotations

import json
import subprocess
import sys

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
