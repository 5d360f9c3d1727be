"""``dbdyno tpcc``: load, run and drop, and what they print."""

from __future__ import annotations

import json
from collections.abc import Callable

from dbdyno.peers.call.run import run as run_trial
from dbdyno.peers.call.totals import Totals
from dbdyno.peers.call.words import counted
from dbdyno.peers.tpcc import size, text
from dbdyno.peers.tpcc.document import document
from dbdyno.peers.tpcc.load import load as load_tables
from dbdyno.peers.tpcc.progress import LoadProgress, describe_loaded
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.peers.tpcc.tables import unused_sets, with_tables
from dbdyno.protocol.events import Connected
from dbdyno.protocol.intervals import Interval, Phase

Say = Callable[[str], None]


def load(request: TpccRequest, say: Say, *, is_terminal: bool, as_json: bool) -> None:
    """Make the tables and fill them."""
    if as_json:
        loaded = load_tables(request, lambda _: None)
        words = {"options": dict(request.workload), "size": size.measure(request).to_dict()}
        say(json.dumps(vars(loaded) | words, indent=2) + "\n")
        return
    connections = counted(request.loader_connections, "connection")
    say(f"loading {_what_is_loaded(request)} over {connections}\n")
    progress = LoadProgress(say, is_terminal=is_terminal)
    try:
        loaded = load_tables(request, progress.tell)
    finally:
        progress.done()
    say(f"loaded {describe_loaded(loaded)} ({loaded.method})\n")
    for refusal in loaded.refusals:
        say(f"warning: the server would not have it: {refusal}\n")
    say(f"{size.describe(size.measure(request))}\n")


def _what_is_loaded(request: TpccRequest) -> str:
    if request.workload["load_range"] is None:
        return counted(request.warehouses, "warehouse")
    first, last = request.workload["load_range"]
    return f"warehouse {first}" if first == last else f"warehouses {first} to {last}"


def run(
    request: TpccRequest,
    say: Say,
    warn: Say,
    *,
    warehouses: int | None,
    interval_s: float,
    as_json: bool,
) -> None:
    """Make the load, and print while it goes on; ``interval_s`` of 0 is no lines."""
    request = with_tables(request, warehouses)
    if warning := unused_sets(request):
        warn(f"warning: {warning}\n")
    speaker = Speaker(request, _mute if as_json else say, interval_s)
    speaker.begin()
    if not as_json:
        run_trial(request, speaker)
        return
    try:
        run_trial(request, speaker)
    finally:
        if speaker.outcome is not None:
            say(json.dumps(document(speaker.outcome), indent=2) + "\n")


def _mute(_: str) -> None:
    """Say nothing."""


class Speaker:
    """Prints lines while the load goes on, and the tables at the end."""

    def __init__(self, request: TpccRequest, say: Say, interval_s: float) -> None:
        self._request = request
        self._say = say
        self._interval_s = interval_s
        self._line = Totals()
        self.outcome: Outcome | None = None

    def begin(self) -> None:
        """Say what will be done."""
        self._say(text.header(self._request))

    def connected(self, event: Connected) -> None:
        """Say to whom."""
        self._say(text.connected(event))

    def warming(self, interval: Interval) -> None:
        """Show intervals of the warm-up, too: their times are below zero."""
        self.interval(interval)

    def interval(self, interval: Interval) -> None:
        """Print a line where one is due."""
        self._line.add(interval)
        # A line is of the warm-up or of the window, never of both.
        is_warmup = interval.phase == Phase.WARMUP
        is_last_of_warmup = is_warmup and interval.end_s > -0.5
        if self._interval_s and (
            is_last_of_warmup or self._line.elapsed_s > self._interval_s - 0.5
        ):
            self._say(text.interval(interval.end_s, self._line, is_warmup=is_warmup))
            self._line = Totals()

    def ended(self, outcome: Outcome) -> None:
        """Print the closing tables."""
        self.outcome = outcome
        self._say(text.closing(outcome))
