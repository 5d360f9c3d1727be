"""Has a generator carry a plan out, and turns its last words into errors.

What it says of a trial has one event more in the end, ``ledger``: how the acknowledged stands to
the stored.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.direct.address import Address
from dbdyno.errors import InputError, RunError
from dbdyno.generator import GeneratorProcess
from dbdyno.ledger import open_books, take_ledger
from dbdyno.server.session import connectors

if TYPE_CHECKING:
    from dbdyno.direct.result import Call

Event = dict[str, Any]

SILENCE_MARGIN_S = 60.0
"""Beside a trial's own limits."""

SILENCE_LIMIT_S = 24 * 3600.0
"""An index over a large table is made without a word."""


def _never() -> bool:
    return False


def trial_events(
    plan: Mapping[str, Any],
    address: Address,
    wants_stop: Callable[[], bool] = _never,
    call: Call | None = None,
) -> Iterator[Event]:
    """Yield what the generator says of a trial; with a call it is stored as the call's result."""
    silence_limit_s = SILENCE_MARGIN_S + sum(plan["limits"].values())
    connects = connectors(address.host_urls, address.password)
    books = open_books(connects, address.kind, plan["workload"])
    with ExitStack() as stack:
        result = ledger = None
        if call is not None:
            # What it needs is heavy, and most calls do without it.
            from dbdyno.direct.result import ResultDirectory

            result = stack.enter_context(ResultDirectory(call, plan, address))
        generator = stack.enter_context(_generator(plan, address, silence_limit_s))
        if result is not None:
            result.watch(generator.process_id)
        for event in generator.events(wants_stop):
            _raise_refusal(event)
            if event["event"] == "end":
                ledger = take_ledger(event)
            if result is not None:
                result.event(event)
            yield event
        evidence = books.close(ledger).to_dict()
        if result is not None:
            result.keep_ledger(evidence)
        yield {"event": "ledger"} | evidence


def carry_out(
    plan: Mapping[str, Any],
    address: Address,
    wants_stop: Callable[[], bool] = _never,
    hear: Callable[[Event], None] = lambda _: None,
) -> dict[str, Event]:
    """Have something done with a dataset; return the last event of each kind."""
    words = {}
    with _generator(plan, address, SILENCE_LIMIT_S) as generator:
        for event in generator.events(wants_stop):
            _raise_refusal(event)
            words[event["event"]] = event
            hear(event)
    return words


@contextmanager
def _generator(
    plan: Mapping[str, Any], address: Address, silence_limit_s: float
) -> Iterator[GeneratorProcess]:
    with (
        tempfile.TemporaryDirectory(prefix="dbdyno-") as folder,
        GeneratorProcess(
            json.dumps(plan).encode(),
            password=address.password,
            log_path=Path(folder, "generator.log"),
            silence_limit_s=silence_limit_s,
        ) as generator,
    ):
        yield generator


def _raise_refusal(event: Event) -> None:
    if event["event"] == "error":
        kind = InputError if event["kind"] == "input" else RunError
        raise kind(event["message"])
