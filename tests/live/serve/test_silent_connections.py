"""Clients that open connections and say nothing keep nobody else out."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.live.serve.served import LIMIT_S, Served
from tests.unit.store.result_builder import build_result, make_plan

pytestmark = pytest.mark.live

HALF_A_REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build_result(tmp_path / "results" / "tiny", make_plan(rounds=1))
    return tmp_path / "results"


@pytest.fixture
def served(folder: Path, tmp_path: Path) -> Iterator[Served]:
    with Served(folder, tmp_path / "log", wrapper=["prlimit", "--nofile=256:256"]) as server:
        yield server


@pytest.mark.parametrize("said", [b"", HALF_A_REQUEST])
def test_four_hundred_silent_connections_keep_nobody_out(served: Served, said: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(400):
            opened = socket.create_connection(("127.0.0.1", served.port), timeout=LIMIT_S)
            stack.enter_context(opened)
            if said:
                opened.send(said)
        assert served.ask("/").status in (200, 303)
        # The one that has said nothing for too long is closed from the other side.
        assert opened.recv(1) == b""
    assert "Traceback" not in served.told()
    assert served.stop() == 0


def test_a_hundred_that_do_not_read_their_answers_keep_nobody_out(
    folder: Path, served: Served
) -> None:
    report = folder / "tiny" / "report.html"
    report.write_text("x" * 8_000_000)
    with ExitStack() as stack:
        for _ in range(100):
            opened = stack.enter_context(socket.socket())
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            opened.connect(("127.0.0.1", served.port))
            opened.send(b"GET /files/tiny/report.html HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert answered(served, "/")
        # One that reads, however slowly, gets all of it.
        assert len(served.ask("/files/tiny/report.html").body) == report.stat().st_size
    assert served.stop() == 0


def answered(served: Served, path: str) -> bool:
    """Ask until there is an answer, for as long as a test may take."""
    deadline_s = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline_s:
        with suppress(OSError, http.client.HTTPException):
            return served.ask(path).status in (200, 303)
        time.sleep(0.5)
    return False


def test_a_pipe_in_the_place_of_a_plan_keeps_nobody_waiting(folder: Path, served: Served) -> None:
    other = shutil.copytree(folder / "tiny", folder / "piped")
    (other / "plan.json").unlink()
    os.mkfifo(other / "plan.json")
    answer = served.ask("/")
    assert answer.status == 200
    assert "plan.json is damaged: it should be a regular file" in answer.body
    assert served.stop() == 0
