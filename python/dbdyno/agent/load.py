"""What a runner has done on another host: a generator is started there, told things, and heard.

The load itself is made by a process of its own, never by the worker: what holds up one must not
hold up the other. A load is made once: a file on the host refuses a second execution of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import FileIO
from typing import TypedDict

from dbdyno.agent.place import claim_load
from dbdyno.errors import DbdynoError, InputError, RunError
from dbdyno.generator.process import GeneratorProcess
from dbdyno.protocol.events import to_document


@dataclass(frozen=True)
class Order:
    """One load: a name that no other load has, and what the generator receives."""

    name: str
    plan: bytes
    password: str | None
    cpus: tuple[int, ...]
    silence_limit_s: float


class Message(TypedDict, total=False):
    """What an agent says of a load: one line of the generator's, or that it is over, and why."""

    line: str
    over: bool
    kind: str
    """Of an error: whether an ``input`` was wrong, or the ``run`` failed."""
    message: str


_running: dict[str, GeneratorProcess] = {}
"""The generators that run in this agent, by the names of their orders."""

_given_up: set[str] = set()
"""Orders that nobody waits for any more; word of it may come before the generator runs."""


def make_load(order: Order) -> None:
    """Run a generator to its end, and tell under the order's name what it says.

    Each event is written to a file on this host first.
    """
    from distributed import get_worker

    worker = get_worker()

    def tell(message: Message) -> None:
        worker.log_event(order.name, message)

    try:
        with claim_load(order.name).open("ab", buffering=0) as kept:
            _run(order, kept, tell)
    except DbdynoError as error:
        kind = "input" if isinstance(error, InputError) else "run"
        tell({"over": True, "kind": kind, "message": str(error)})
    else:
        tell({"over": True})


def _run(order: Order, kept: FileIO, tell: Callable[[Message], None]) -> None:
    with GeneratorProcess(
        order.plan,
        password=order.password,
        cpus=order.cpus,
        silence_limit_s=order.silence_limit_s,
    ) as generator:
        _running[order.name] = generator
        try:
            if order.name in _given_up:
                raise RunError("it was given up before it began")
            for event in generator.events():
                line = json.dumps(to_document(event))
                kept.write(line.encode() + b"\n")
                tell({"line": line})
        finally:
            del _running[order.name]


def start_at(name: str, time_ns: int) -> None:
    """Say when a load begins, by this host's monotonic clock."""
    if name in _running:
        _running[name].start_at(time_ns)


def begin_window_at(name: str, index: int) -> None:
    """Say with which interval of the warm-up the window of a load begins."""
    if name in _running:
        _running[name].begin_window_at(index)


def stop(name: str) -> None:
    """Ask a generator to end its load now."""
    if name in _running:
        _running[name].stop()


def end_by_force(name: str) -> None:
    """End a generator where it stands, or as soon as it runs."""
    _given_up.add(name)
    if name in _running:
        _running[name].end_by_force()


def read_clock() -> tuple[int, int]:
    """Return the monotonic clock when this was asked and when it is answered."""
    return time.monotonic_ns(), time.monotonic_ns()
