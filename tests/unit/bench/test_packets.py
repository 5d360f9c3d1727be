"""Clients at work, seen from outside: of a server and a client that take a known time each."""

from __future__ import annotations

import os
import socket
import threading
import time
from itertools import pairwise

import pytest
from bench.packets import Packet, share_at_work, watched_packets

EXCHANGES = 40


def test_a_client_is_at_work_from_its_statement_to_the_end_of_its_answer() -> None:
    # A statement in two packets, an answer in two, and a pause of 60 of 100 ns.
    packets = [Packet(0, 1, is_answer=False), Packet(5, 1, is_answer=False)]
    packets += [Packet(30, 1, is_answer=True), Packet(40, 1, is_answer=True)]
    packets += [Packet(100, 1, is_answer=False)]
    assert share_at_work(packets) == pytest.approx(0.4)
    # One that waits all the time, and one of whom a single packet was seen.
    others = [Packet(50, 2, is_answer=False), Packet(150, 2, is_answer=True)]
    mixed = [*packets, *others, Packet(70, 3, is_answer=True)]
    assert share_at_work(sorted(mixed)) == pytest.approx(0.7)
    assert share_at_work([]) is None


@pytest.mark.parametrize(("server_s", "client_s"), [(0.008, 0.002), (0.002, 0.008)])
def test_the_kernel_shows_who_was_waited_for(server_s: float, client_s: float) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        serving = threading.Thread(target=_serve, args=(listener, server_s))
        serving.start()
        with (
            socket.create_connection(("127.0.0.1", port)) as client,
            watched_packets(port) as packets,
        ):
            answered = _ask(client, client_s)
        serving.join()
    if os.geteuid() != 0:
        assert packets == []
        return
    assert [packet.is_answer for packet in packets] == [False, True] * EXCHANGES
    assert all(one.time_ns <= next_one.time_ns for one, next_one in pairwise(packets))
    # A busy machine makes either side slower, so that the client's own clock is what is compared.
    assert share_at_work(packets) == pytest.approx(answered, abs=0.05)


def _serve(listener: socket.socket, time_s: float) -> None:
    connection, _ = listener.accept()
    with connection:
        while statement := connection.recv(100):
            time.sleep(time_s)
            connection.sendall(statement)


def _ask(client: socket.socket, pause_s: float) -> float:
    """Exchange something in turns; return in what share of the time an answer was waited for."""
    waited_s = 0.0
    begin_s = time.monotonic()
    for _ in range(EXCHANGES):
        time.sleep(pause_s)
        asked_s = time.monotonic()
        client.sendall(b"statement")
        client.recv(100)
        waited_s += time.monotonic() - asked_s
    return waited_s / (time.monotonic() - begin_s)
