"""A loader that is killed again and again: its successor puts right whatever it has left."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from typing import Any

import pytest

from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.target.base import Server
from dbdyno.tpcc.check import check_cardinality, check_consistency
from dbdyno.tpcc.schema import find_schema, find_warehouses
from tests.live.target.queries import query

pytestmark = pytest.mark.live

KILLS = 10
LONGEST_S = 1.2
LIMIT_S = 300.0


def _start(server: Server) -> subprocess.Popen[bytes]:
    plan = {
        "version": 1,
        "action": "load",
        "url": server.url,
        "workload": {"tpcc": {"warehouses": 1, "foreign_keys": True}},
        "seed": 7,
        "connections": 2,
        "connect_s": 10.0,
    }
    loader = subprocess.Popen(
        [sys.executable, "-m", "dbdyno.generator"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "DBDYNO_PASSWORD": server.password or ""},
    )
    assert loader.stdin is not None
    loader.stdin.write(json.dumps(plan).encode() + b"\n")
    loader.stdin.flush()
    return loader


def _hear_out(loader: subprocess.Popen[bytes]) -> bytes:
    """Return what it says to its end; it goes on only for as long as its standard input is open."""
    assert loader.stdin is not None
    assert loader.stdout is not None
    with loader.stdin, loader.stdout:
        output = loader.stdout.read()
        loader.wait(LIMIT_S)
    return output


def _wait_for_rows(loader: subprocess.Popen[bytes]) -> None:
    """Wait until it says for the first time how far it is."""
    assert loader.stdout is not None
    loader.stdout.readline()


def test_a_loader_is_killed_ten_times(any_server: Server) -> None:
    moments = random.Random(1)
    killed = 0
    for _ in range(KILLS):
        loader = _start(any_server)
        _wait_for_rows(loader)
        time.sleep(moments.uniform(0.0, LONGEST_S / KILLS))
        killed += loader.poll() is None
        loader.kill()
        _hear_out(loader)
    assert killed >= KILLS // 2, "it was too fast to be killed"
    output = _hear_out(_start(any_server))
    events = [json.loads(line) for line in output.splitlines()]
    loaded = next(event for event in events if event["event"] != "loading")
    assert loaded["event"] == "loaded", loaded
    assert loaded["resumed_rows"] > 0
    _check(any_server)
    with pytest.raises(RunError, match="dbdyno_loading"):
        query(any_server, "SELECT 1 FROM dbdyno_loading")


def _check(server: Server) -> None:
    """All conditions hold, and every table has the rows that it should have, none of them twice."""
    database = server.url.partition(":")[0]
    with open_session(server.url, server.password) as session:
        schema = find_schema(session, database, wanted=None)
        warehouses = find_warehouses(session, schema)

    def connect() -> Any:
        return open_session(server.url, server.password)

    results = check_consistency(connect, schema, warehouses)
    results += check_cardinality(connect, schema, warehouses)
    assert [result for result in results if not result.holds] == []
