"""``run``: makes the load and prints while it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable

from dbdyno.ledger import Standing
from dbdyno.peers.call import run as call
from dbdyno.peers.call.clients import ClientTimes
from dbdyno.peers.sysbench import text
from dbdyno.peers.sysbench.document import document
from dbdyno.peers.sysbench.request import Request
from dbdyno.peers.sysbench.tables import missing_rows
from dbdyno.peers.sysbench.totals import Totals
from dbdyno.protocol.events import Connected
from dbdyno.protocol.intervals import Interval, Phase

Say = Callable[[str], None]
Outcome = call.Outcome[Request]


def run(request: Request, say: Say, warn: Say) -> None:
    """Carry a run out; ``RunError`` with the server's words where it fails.

    What was measured until then is in the result directory, if one is wanted.
    """
    missing = None
    if request.shown.json or not request.shown.quiet:
        missing = missing_rows(request)
    speaker = Speaker(request, say, warn, missing)
    speaker.begin()
    call.run(request, speaker)


def _mute(_: str) -> None:
    """Say nothing."""


class Speaker:
    """Prints what there is to print, interval by interval."""

    def __init__(self, request: Request, say: Say, warn: Say, missing: str | None) -> None:
        is_mute = request.shown.quiet or request.shown.json
        self._request = request
        self._say = _mute if is_mute else say
        self._warn = _mute if is_mute else warn
        self._say_document = say
        self._missing = missing
        self._line = Totals()
        self._since_checkpoint = Totals()
        self._checkpoints_s = list(request.shown.checkpoints_s)
        self._is_over = False
        self.total = Totals()

    def begin(self) -> None:
        """Say what will be done."""
        if self._missing:
            self._say(f"WARNING: {self._missing}\n")
        self._say(text.header(self._request))

    def connected(self, event: Connected) -> None:
        """Say that all clients are connected; there is a warm-up first, if one is wanted."""
        del event
        if self._request.warmup_s:
            self._say(f"Warming up for {self._request.warmup_s} seconds...\n\n")
        self._say("Threads started!\n\n")

    def warming(self, interval: Interval) -> None:
        """Say nothing of the warm-up."""

    def interval(self, interval: Interval) -> None:
        """Take an interval in, and print the lines that are due at its end."""
        for totals in (self._line, self._since_checkpoint, self.total):
            totals.add(interval)
        end_s = interval.end_s
        report_interval_s = self._request.shown.report_interval_s
        # In the drain sysbench prints no lines any more.
        is_due = 0 < report_interval_s < self._line.elapsed_s + 0.5
        if is_due and interval.phase == Phase.WINDOW:
            self._say(text.interval(end_s, self._counted(self._line), self._request) + "\n")
            self._line = Totals()
        if self._checkpoints_s and end_s > self._checkpoints_s[0] - 0.5:
            self._say(f"[ {self._checkpoints_s.pop(0)}s ] Checkpoint report:\n")
            self._summarise(end_s)
            self._since_checkpoint = Totals()

    def ended(self, outcome: Outcome) -> None:
        """Print the final report, or all of the run as JSON; nothing of a run that failed."""
        if outcome.end is None or outcome.has_failed:
            return
        self._report(outcome.end.elapsed_s - self._request.warmup_s)
        # What was said before the run is not said twice.
        missing = "" if self._missing else outcome.missing_rows()
        if self._request.shown.json:
            warning = self._missing or missing or None
            said = document(self._request, self.total, outcome.end, outcome.ledger, warning)
            wanted = (self._request.shown.percentile, *self._request.shown.percentiles)
            said |= self._client_times(self.total).document([float(p) for p in wanted if p])
            self._say_document(json.dumps(said, indent=2) + "\n")
            return
        if missing:
            self._warn(f"WARNING: {missing}\n")
        if outcome.ledger.standing is Standing.MORE:
            self._say(f"WARNING: {outcome.ledger.sentence}\n")

    def _report(self, elapsed_s: float) -> None:
        """Print the final report, which after a checkpoint covers what came since.

        Rates are per second of the whole time, as sysbench divides, though nothing is counted any
        more in the last of it.
        """
        self._is_over = True
        uncounted_s = max(0.0, elapsed_s - self.total.elapsed_s)
        for totals in (self._since_checkpoint, self.total):
            totals.elapsed_s += uncounted_s
        self._summarise(elapsed_s)

    def _summarise(self, total_time_s: float) -> None:
        totals = self._counted(self._since_checkpoint)
        if self._request.shown.histogram:
            self._say(text.histogram(totals.times.done))
        self._say(text.summary(totals, total_time_s, self._request.shown))
        if warning := text.failures(totals, self._request.shown.percentile):
            self._say(warning)
        if warning := self._client_times(totals).warning():
            self._warn(warning)
        if totals.dropped:
            self._say(
                f"WARNING: {totals.dropped} transactions that were due were never started: the "
                "server does not keep up with --rate\n"
            )
        if totals.in_flight and self._is_over:
            self._say(
                f"WARNING: {totals.in_flight} transactions were under way when the run was ended "
                "by force; their response times are missing from the figures\n"
            )

    def _client_times(self, totals: Totals) -> ClientTimes:
        request = self._request
        return totals.client_times(request.trial_plan(), is_embedded=request.address.is_embedded)

    def _counted(self, totals: Totals) -> Totals:
        return totals if self._request.compatible else totals.without_zero_row_writes()
