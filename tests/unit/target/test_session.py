"""A connection for administration, while the server takes its time."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from dbdyno._native import Session

THINKS = (
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) "
    "SELECT COUNT(*) FROM n"
)
"""Takes SQLite about a second."""


class _AlarmError(Exception):
    """What a signal raises here."""


@contextmanager
def alarm(after_s: float) -> Iterator[None]:
    """Send this process a signal after so many seconds."""

    def ring(*_: object) -> None:
        raise _AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, after_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def connect(directory: Path) -> Session:
    return Session.connect(f"sqlite:///{directory}/thinks.db")


def test_other_threads_go_on_meanwhile(tmp_path: Path) -> None:
    is_over, ticks = threading.Event(), 0

    def tick() -> None:
        nonlocal ticks
        while not is_over.wait(0.001):
            ticks += 1

    with closing(connect(tmp_path)) as session:
        ticking = threading.Thread(target=tick)
        ticking.start()
        before = ticks
        assert session.query(THINKS) == [("3000000",)]
        after = ticks
        is_over.set()
        ticking.join()
    assert after - before > 20


def test_a_signal_ends_the_wait_and_the_session(tmp_path: Path) -> None:
    session = connect(tmp_path)
    with pytest.raises(_AlarmError), alarm(0.1):
        session.query(THINKS)
    with pytest.raises(RuntimeError, match="the session is closed"):
        session.query("SELECT 1")
    session.close()


def test_it_may_be_used_and_closed_by_another_thread(tmp_path: Path) -> None:
    session = connect(tmp_path)
    answers: list[object] = []

    def ask() -> None:
        answers.append(session.query("SELECT 7"))
        session.close()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert answers == [[("7",)]]
    session.close()
