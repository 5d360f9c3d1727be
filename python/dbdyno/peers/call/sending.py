"""How the generator of a command sends: what was asked for, and what was chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.errors import InputError
from dbdyno.experiment.design.workers import Sending, sending
from dbdyno.peers.call.words import counted
from dbdyno.protocol.generators import Placement
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.protocol.waiting import (
    AUTO,
    NAP,
    PRIORITY,
    PRIORITY_NICE,
    SLEEP,
    SPIN,
    WAIT_PATTERN,
    WAITS,
)

_WAITING: Mapping[str, str] = {
    SLEEP: "sleep until an answer comes",
    PRIORITY: f"sleep until an answer comes and go first then (nice {PRIORITY_NICE})",
    NAP: "take short naps where answers queue",
    SPIN: "look for answers without sleeping",
}
_PLACES: Mapping[Placement, str] = {
    "elsewhere": "the server is on another machine",
    "other_cpus": "the server has other CPUs",
    "same_cpus": "the server may use the same CPUs",
    "unknown": "which CPUs the server may use is not known",
}


@dataclass(frozen=True)
class SendingOptions:
    """What a call asks for."""

    workers: int | None = None
    """Threads that send; None leaves it to dbdyno."""
    wait: str = AUTO
    is_verbose: bool = False

    def plan(self, clients: int, url: str) -> Sending:
        """Return the fields of the trial plan for a server."""
        return sending(clients, url, self.workers, self.wait)


AS_IS_BEST = SendingOptions()


def read_wait(option: str, text: str) -> str:
    """Return how workers wait; InputError says what there is."""
    if re.fullmatch(WAIT_PATTERN, text):
        return text
    raise InputError(
        f"{option}: {text!r} is not known; write {', '.join(WAITS)}, or as in 50us how long "
        "workers wait for more answers"
    )


def describe_sending(plan: TrialPlan) -> str:
    """Return what was chosen, in one line."""
    wait_us = plan.wait.removesuffix("us")
    waiting = _WAITING.get(plan.wait, f"wait {wait_us} µs for more answers")
    return (
        f"{counted(plan.workers, 'worker')} for {counted(plan.clients, 'client')}, which "
        f"{waiting}: {_PLACES[plan.placement]}"
    )
