"""Makes the load and prints while it goes on."""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.errors import RunError
from dbdyno.interruption import RunEndedAtOnceError, RunInterruptedError
from dbdyno.peers.call.run import run as run_trial
from dbdyno.peers.call.totals import Totals
from dbdyno.peers.go_tpc import text
from dbdyno.peers.go_tpc.request import RunRequest
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.peers.tpcc.tables import with_tables
from dbdyno.protocol.events import Connected
from dbdyno.protocol.intervals import Interval, Phase

Say = Callable[[str], None]

UNPACED = (
    "without --wait terminals neither key in nor think: an efficiency above 100% is no figure of "
    "TPC-C"
)
FAILURE_ENDS = (
    "without --ignore-error an error that is no lost conflict ends the run; with it, failed "
    "transactions are counted and the run goes on"
)


def run(asked: RunRequest, warehouses: int, say: Say, warn: Say) -> None:
    """Carry a run out; ``RunError`` with the server's words where it fails."""
    request = with_tables(asked.request, warehouses)
    speaker = Speaker(asked, say)
    try:
        outcome = run_trial(request, speaker)
        for line in outcome.warnings():
            warn(line)
    except RunInterruptedError as error:
        if not asked.is_endless or isinstance(error, RunEndedAtOnceError):
            raise
        warn(f"note: {error}\n")
    except RunError as error:
        if speaker.is_ended_by_failure and not asked.ignores_errors:
            raise RunError(f"{error}; {FAILURE_ENDS}") from error
        raise
    finally:
        if not asked.is_silent:
            for line in speaker.errors.error_lines():
                warn(line)
    if not asked.waits:
        warn(f"note: {UNPACED}\n")


class Speaker:
    """Prints go-tpc's lines as the load goes on."""

    def __init__(self, asked: RunRequest, say: Say) -> None:
        self._asked = asked
        self._say = say
        self._line = Totals()
        self.errors = Totals()
        """Everything that has been told of so far."""
        self.is_ended_by_failure = False

    def connected(self, event: Connected) -> None:
        """Say nothing, as there."""

    def warming(self, interval: Interval) -> None:
        """There is no warm-up."""

    def interval(self, interval: Interval) -> None:
        """Print rows where they are due."""
        self.errors.add_counts(interval)
        self._line.add(interval)
        is_due = self._line.elapsed_s > self._asked.interval_s - 0.5
        if is_due and interval.phase == Phase.WINDOW:
            self._print(text.CURRENT, self._line)
            self._line = Totals()

    def ended(self, outcome: Outcome) -> None:
        """Print the summary."""
        has_failed = any(each.failed for each in outcome.whole.kinds.values())
        self.is_ended_by_failure = has_failed and outcome.has_failed
        self._say("Finished\n")
        self._print(text.SUMMARY, outcome.totals)
        self._say(text.throughput(self._asked.output, outcome.totals, outcome.request.warehouses))

    def _print(self, prefix: str, totals: Totals) -> None:
        self._say(text.transactions(self._asked.output, prefix, totals))
        if self._asked.waits:
            self._say(text.waits(self._asked.output, prefix, totals))
