"""Clients at work, seen from outside: of a server and a client that take a known time each."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
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


CLIENT = """
import socket, sys, time
port, pause_s, exchanges = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
with socket.create_connection(("127.0.0.1", port)) as client:
    print("connected", flush=True)
    sys.stdin.readline()
    waited_s, begin_s = 0.0, time.monotonic()
    for _ in range(exchanges):
        time.sleep(pause_s)
        asked_s = time.monotonic()
        client.sendall(b"statement")
        client.recv(100)
        waited_s += time.monotonic() - asked_s
    print(waited_s / (time.monotonic() - begin_s))
"""
"""Says in what share of the time it waited for answers, by its own clock."""


@pytest.mark.parametrize(("server_s", "client_s"), [(0.008, 0.002), (0.002, 0.008)])
def test_the_kernel_shows_who_was_waited_for(server_s: float, client_s: float) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        serving = threading.Thread(target=_serve, args=(listener, server_s))
        serving.start()
        command = [sys.executable, "-c", CLIENT, f"{port}", f"{client_s}", f"{EXCHANGES}"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as client:
            assert client.stdin is not None
            assert client.stdout is not None
            assert client.stdout.readline() == "connected\n"
            with watched_packets(port) as packets:
                client.stdin.write("\n")
                client.stdin.flush()
                waited = float(client.stdout.readline())
        serving.join()
    if os.geteuid() != 0:
        assert packets == []
        return
    assert [packet.is_answer for packet in packets] == [False, True] * EXCHANGES
    assert all(one.time_ns <= next_one.time_ns for one, next_one in pairwise(packets))
    # A busy machine makes either side slower, so that the client's own clock is what is compared.
    assert share_at_work(packets) == pytest.approx(waited, abs=0.05)


def _serve(listener: socket.socket, time_s: float) -> None:
    connection, _ = listener.accept()
    with connection:
        while statement := connection.recv(100):
            time.sleep(time_s)
            connection.sendall(statement)
