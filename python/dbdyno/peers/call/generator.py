"""Has a generator make the load of a trial at an address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from dbdyno.database.session import connectors
from dbdyno.generator.process import GeneratorProcess
from dbdyno.ledger import Evidence, open_books
from dbdyno.peers.call.address import Address
from dbdyno.protocol.events import End, TrialEvent
from dbdyno.protocol.trial_plan import TrialPlan

if TYPE_CHECKING:
    from dbdyno.peers.call.result import Call

SILENCE_MARGIN_S = 60.0
"""Beside a trial's own limits."""


def _never() -> bool:
    return False


def trial_events(
    plan: TrialPlan,
    address: Address,
    wants_stop: Callable[[], bool] = _never,
    call: Call | None = None,
) -> Iterator[TrialEvent | Evidence]:
    """Yield what the generator says of a trial, and then how the acknowledged stands to the stored.

    With a call it is stored as the call's result.
    """
    connects = connectors(address.host_urls, address.password)
    books = open_books(connects, address.kind, plan.workload)
    with ExitStack() as stack:
        result = end = None
        if call is not None:
            # What it needs is heavy, and most calls do without it.
            from dbdyno.peers.call.result import ResultDirectory

            result = stack.enter_context(ResultDirectory(call, plan, address))
        generator = stack.enter_context(
            GeneratorProcess(
                plan.to_json(address.url),
                password=address.password,
                silence_limit_s=SILENCE_MARGIN_S + plan.limits.silence_s,
            )
        )
        if result is not None:
            result.watch(generator.process_id)
        for event in generator.trial_events(wants_stop):
            if isinstance(event, End):
                end = event
            if result is not None:
                result.event(event)
            yield event
        evidence = books.close(end)
        if result is not None:
            result.keep_ledger(evidence)
        yield evidence
