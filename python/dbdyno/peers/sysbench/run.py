"""``run``: makes the load and prints while it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable

from dbdyno.errors import RunError
from dbdyno.interruption import Interruption
from dbdyno.ledger import Evidence, Standing
from dbdyno.peers.call.generator import trial_events
from dbdyno.peers.sysbench import text
from dbdyno.peers.sysbench.document import document
from dbdyno.peers.sysbench.request import Request
from dbdyno.peers.sysbench.tables import missing_rows
from dbdyno.peers.sysbench.totals import Totals
from dbdyno.protocol.events import Connected, End
from dbdyno.protocol.intervals import Interval, Phase

Say = Callable[[str], None]


def run(request: Request, say: Say) -> None:
    """Carry a run out; ``RunError`` with the server's words where it fails.

    What was measured until then is in the result directory, if one is wanted.
    """
    is_quiet = request.shown.quiet or request.shown.json
    speak = Speaker(request, _mute if is_quiet else say)
    missing = None if request.shown.quiet and not request.shown.json else missing_rows(request)
    if missing and not is_quiet:
        say(f"WARNING: {missing}\n")
    with Interruption(noted=_nothing, advice="the figures are of the time until then") as stop:
        end, ledger = _listen(request, speak, stop)
        end.refuse_failure()
        speak.end(end.elapsed_s - request.warmup_s)
        if request.shown.json:
            said = document(request, speak.total, end, ledger, missing)
            say(json.dumps(said, indent=2) + "\n")
        elif ledger.standing is Standing.MORE and not is_quiet:
            say(f"WARNING: {ledger.sentence}\n")
        if ledger.standing is Standing.LESS:
            raise RunError(ledger.sentence)
        stop.check()


def _listen(request: Request, speak: Speaker, stop: Interruption) -> tuple[End, Evidence]:
    """Have everything said that is to be said while the load goes on.

    Returns the generator's last word, and how the acknowledged stands to the stored.
    """
    speak.begin()
    end, ledger = None, Evidence()
    call = request.call() if request.shown.out else None
    for event in trial_events(request.trial_plan(), request.address, stop.is_requested, call):
        match event:
            case Connected():
                speak.started()
            case Interval() if event.phase != Phase.WARMUP:
                speak.interval(event)
            case End():
                end = event
            case Evidence():
                ledger = event
    if end is None:
        raise RunError("the generator ended without saying how the run ended")
    return end, ledger


def _mute(_: str) -> None:
    """Say nothing."""


def _nothing() -> None:
    """Wait for the generator, which is told by whoever reads its events."""


class Speaker:
    """Prints what there is to print, interval by interval."""

    def __init__(self, request: Request, say: Say) -> None:
        self._request = request
        self._say = say
        self._line = Totals()
        self._since_checkpoint = Totals()
        self._checkpoints_s = list(request.shown.checkpoints_s)
        self._is_over = False
        self.total = Totals()

    def begin(self) -> None:
        """Say what will be done."""
        self._say(text.header(self._request))

    def started(self) -> None:
        """Say that all clients are connected; there is a warm-up first, if one is wanted."""
        if self._request.warmup_s:
            self._say(f"Warming up for {self._request.warmup_s} seconds...\n\n")
        self._say("Threads started!\n\n")

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

    def end(self, elapsed_s: float) -> None:
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

    def _counted(self, totals: Totals) -> Totals:
        return totals if self._request.compatible else totals.without_zero_row_writes()
