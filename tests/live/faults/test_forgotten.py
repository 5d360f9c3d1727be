"""A layer that loses prepared statements, as after it has changed servers."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.live.engine.conftest import intervals, total
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.proxy import CuttingProxy
from tests.live.faults.trials import Trial, assert_that_all_is_accounted_for, counted

pytestmark = pytest.mark.live

CLIENTS = 4
MYSQL_PREPARE, MYSQL_EXECUTE = 0x16, 0x17
UNKNOWN_NUMBER = b"\xff\xff\xff\x7f"


def mysql_commands(words: bytes) -> Iterator[int]:
    """Yield the commands of all packets."""
    while words:
        yield words[4]
        words = words[4 + int.from_bytes(words[:3], "little") :]


class Forgetful:
    """Makes the statements of each connection unknown, once, until they are prepared anew."""

    def __init__(self, scheme: str) -> None:
        self._forget = self._forget_mysql if scheme == "mysql" else self._forget_postgresql
        self._is_lost: dict[int, bool] = {}
        self.is_due = threading.Event()

    def __call__(self, connection: int, words: bytes) -> bytes:
        """Return what the server is told."""
        if self.is_due.is_set():
            self._is_lost.setdefault(connection, True)
        if not self._is_lost.get(connection):
            return words
        return self._forget(connection, words)

    def _forget_mysql(self, connection: int, words: bytes) -> bytes:
        if MYSQL_PREPARE in mysql_commands(words):
            self._is_lost[connection] = False
        if words[4] == MYSQL_EXECUTE:
            return words[:5] + UNKNOWN_NUMBER + words[9:]
        return words

    def _forget_postgresql(self, connection: int, words: bytes) -> bytes:
        if words.startswith(b"P"):
            self._is_lost[connection] = False
        if words.startswith(b"B"):
            return words.replace(b"\0s", b"\0x", 1)
        return words


def test_lost_statements_are_prepared_anew(server: FixedServer) -> None:
    forgetful = Forgetful(server.scheme)
    with CuttingProxy(server, change_words=forgetful) as proxy:
        trial = Trial(proxy.url)
        trial.wait_until_it_commits()
        forgetful.is_due.set()
        trial.wait_until(lambda _: counted(trial.events)["statement_lost"] == CLIENTS)
        trial.wait_until_it_commits()
        events = trial.stop()
    assert_that_all_is_accounted_for(events)
    assert counted(events) == {"statement_lost": CLIENTS}
    assert total(events, "failed") == 0
    assert total(events, "retries") == CLIENTS
    assert sum(event["reconnects"] for event in intervals(events)) == 0
