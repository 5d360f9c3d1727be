"""One program under load, looked at from outside between two instants of its steady state."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from bench.packets import share_at_work, watched_packets
from bench.process import ObservedProcess, ProcessCost, machine_busy_s
from bench.programs import Command
from bench.response_times import Percentiles, response_times_ms
from bench.server import BenchServer, difference
from dbdyno.errors import RunError

START_LIMIT_S = 60.0
END_LIMIT_S = 60.0
POLL_S = 0.02
TRIES = 3


class TooBusyError(RunError):
    """The machine stood still while a program was measured."""


@dataclass(frozen=True)
class Instant:
    """What the clock, the server and the kernel said at one time."""

    time_s: float
    statements: int
    client: ProcessCost
    server_cpu_s: float
    machine_busy_s: float


@dataclass(frozen=True)
class Measurement:
    """One trial of one program.

    ``other_cpus`` is how many CPUs were busy for neither client nor server. ``sent`` are the
    statements by verb as the server counted them from before the program's start to after its end,
    ``events`` what the program itself said, where it is dbdyno's, and ``response_ms`` its own
    percentiles for its whole run, None where it has none. ``share_at_work`` is the share of its
    clients that waited for the server, on average, None where it was not seen (see ``packets``).
    """

    statements_per_s: float
    client_cpu_us: float
    client_user_us: float
    server_cpu_us: float
    resident_bytes: int
    other_cpus: float
    sent: dict[str, int]
    events: tuple[dict[str, Any], ...]
    response_ms: Percentiles | None = None
    share_at_work: float | None = None


def measure(
    server: BenchServer, command: Command, *, cpu: int | None, warmup_s: float, window_s: float
) -> Measurement:
    """Run a program to its end, and measure a window that begins ``warmup_s`` after its start.

    The program must load the server for longer than that; its start is when the server is sent the
    first statement, after all connections have been made and prepared. Where the machine stood
    still, it is measured again.
    """
    for _ in range(TRIES - 1):
        with suppress(TooBusyError):
            return _measure_once(server, command, cpu, warmup_s, window_s)
    return _measure_once(server, command, cpu, warmup_s, window_s)


def _measure_once(
    server: BenchServer, command: Command, cpu: int | None, warmup_s: float, window_s: float
) -> Measurement:
    before = server.statement_counts()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as folder:
        with running(command, cpu, output, folder) as process:
            client = ObservedProcess(process.pid)
            _wait_for_load(server, before, command, process, output)
            time.sleep(warmup_s)
            with watched_packets(server.address.port) as packets:
                first = _look(server, client)
                time.sleep(window_s)
                last = _look(server, client)
            _refuse_early_end(command, process, output)
            status = process.wait(END_LIMIT_S)
        said = checked(command, status, output)
        events = events_of(command, said)
        response_ms = response_times_ms(said, events, Path(folder))
    server.wait_until_alone()
    sent = difference(server.statement_counts(), before)
    return replace(
        _measurement(first, last, sent, events),
        response_ms=response_ms,
        share_at_work=share_at_work(packets),
    )


def run_to_end(command: Command, *, cpu: int | None, limit_s: float) -> None:
    """Run a program to its end; RunError with its own words where it fails."""
    with tempfile.TemporaryFile() as output:
        with running(command, cpu, output) as process:
            status = process.wait(limit_s)
        checked(command, status, output)


@contextmanager
def running(
    command: Command, cpu: int | None, output: IO[bytes], folder: str | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program in a folder, on one CPU if one is given; it is gone when the context ends."""
    binding = ("taskset", "--cpu-list", str(cpu)) if cpu is not None else ()
    process = subprocess.Popen(
        [*binding, *command.arguments],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.STDOUT,
        env={**os.environ, **command.environment},
        cwd=folder,
        # As dbdyno starts its generators: the kernel shares CPUs between sessions.
        start_new_session=True,
    )
    assert process.stdin is not None
    try:
        # One that has ended already has said why.
        with suppress(BrokenPipeError):
            process.stdin.write(command.standard_input)
            process.stdin.flush()
            if not command.listens:
                process.stdin.close()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        with suppress(BrokenPipeError):
            process.stdin.close()


def _wait_for_load(
    server: BenchServer,
    before: Mapping[str, int],
    command: Command,
    process: subprocess.Popen[bytes],
    output: IO[bytes],
) -> None:
    """Wait for the first statement; ``before`` is what the server had counted until the start."""
    deadline_s = time.monotonic() + START_LIMIT_S
    while server.statement_counts() == before:
        _refuse_early_end(command, process, output)
        if time.monotonic() > deadline_s:
            raise RunError(f"{command.name} has sent nothing in {START_LIMIT_S:.0f} s")
        time.sleep(POLL_S)


def _refuse_early_end(
    command: Command, process: subprocess.Popen[bytes], output: IO[bytes]
) -> None:
    status = process.poll()
    if status is not None:
        checked(command, status, output)
        raise TooBusyError(f"{command.name} ended before the window did; is the machine busy?")


def _look(server: BenchServer, client: ObservedProcess) -> Instant:
    # The server answers some milliseconds after it was asked. What the client used meanwhile is
    # halved, as if the server had counted in the middle.
    cpu_before_s = client.cpu_s()
    time_before_s = time.monotonic()
    statements = sum(server.statement_counts().values())
    time_after_s = time.monotonic()
    cost = client.cost()
    return Instant(
        time_s=(time_before_s + time_after_s) / 2,
        statements=statements,
        client=ProcessCost(
            cpu_s=(cpu_before_s + cost.cpu_s) / 2,
            user_s=cost.user_s,
            resident_bytes=cost.resident_bytes,
        ),
        server_cpu_s=server.cpu_s(),
        machine_busy_s=machine_busy_s(),
    )


def _measurement(
    first: Instant,
    last: Instant,
    sent: dict[str, int],
    events: tuple[dict[str, Any], ...],
) -> Measurement:
    elapsed_s = last.time_s - first.time_s
    statements = last.statements - first.statements
    if statements == 0:
        raise TooBusyError("no statement came to its end in the window; is the machine busy?")
    client_cpu_s = last.client.cpu_s - first.client.cpu_s
    server_cpu_s = last.server_cpu_s - first.server_cpu_s
    other_s = last.machine_busy_s - first.machine_busy_s - client_cpu_s - server_cpu_s
    return Measurement(
        statements_per_s=statements / elapsed_s,
        client_cpu_us=client_cpu_s / statements * 1e6,
        client_user_us=(last.client.user_s - first.client.user_s) / statements * 1e6,
        server_cpu_us=server_cpu_s / statements * 1e6,
        resident_bytes=last.client.resident_bytes,
        other_cpus=max(0.0, other_s / elapsed_s),
        sent=sent,
        events=events,
    )


def events_of(command: Command, said: bytes) -> tuple[dict[str, Any], ...]:
    """Return the events in what a program said; a peer says none."""
    if command.name != "dbdyno":
        return ()
    return tuple(json.loads(line) for line in said.splitlines() if line.startswith(b"{"))


def checked(command: Command, status: int, output: IO[bytes]) -> bytes:
    """Return what a program said; RunError with its last words where it failed."""
    output.seek(0)
    said = output.read()
    if status != 0:
        words = said.decode(errors="replace").strip()[-500:]
        raise RunError(f"{command.name} ended with status {status}: {words}")
    return said
