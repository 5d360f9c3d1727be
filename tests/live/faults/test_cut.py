"""Connections that are cut in the middle of an answer, by a proxy between clients and server."""

from __future__ import annotations

import threading

import pytest

from tests.live.engine.conftest import intervals, total
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.proxy import CuttingProxy
from tests.live.faults.trials import Trial, assert_that_all_is_accounted_for, counted, refusal

pytestmark = pytest.mark.live

READ_ONLY = {"sysbench": {"script": "oltp_read_only", "table_size": 1000}}

ROWS_BYTES = 3000
"""An answer of this size has rows of a range in it: nothing else is so long."""
SERVED_BYTES = 100_000
"""What a connection may carry before it is cut."""
CUTS = 12


@pytest.mark.parametrize("resets", [False, True], ids=["closed", "reset"])
def test_an_answer_that_breaks_off(server: FixedServer, resets: bool) -> None:
    cuts_left = threading.Semaphore(CUTS)

    def is_to_cut(chunk: bytes, said_bytes: int) -> bool:
        is_due = said_bytes > SERVED_BYTES and len(chunk) > ROWS_BYTES
        return is_due and cuts_left.acquire(blocking=False)

    with CuttingProxy(server, is_to_cut, resets=resets) as proxy:
        trial = Trial(proxy.url, workload=READ_ONLY)
        trial.wait_until(lambda _: proxy.cuts == CUTS)
        trial.wait_until_it_reconnected(CUTS)
        trial.wait_until_it_commits()
        events = trial.stop()
    assert_that_all_is_accounted_for(events)
    assert counted(events) == {"connection_lost": CUTS}
    assert total(events, "failed") == CUTS
    assert sum(event["reconnects"] for event in intervals(events)) == CUTS
    samples = {error["sample"] for event in intervals(events) for error in event["errors"]}
    assert all("connection lost while waiting for the" in sample for sample in samples), samples
    assert events[-1]["status"] == "interrupted"


def test_a_greeting_that_breaks_off(server: FixedServer) -> None:
    with CuttingProxy(server, lambda _, said_bytes: said_bytes == 0) as proxy:
        message = refusal(proxy.url)
    assert proxy.cuts > 0
    assert "could not connect and prepare: connection lost while waiting for the" in message
    assert "the server closed the connection" in message
