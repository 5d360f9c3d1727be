"""Makes the load of one trial, and tells whoever prints what comes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from dbdyno.database.address import Address
from dbdyno.errors import RunError
from dbdyno.interruption import Interruption
from dbdyno.ledger import Evidence, Standing
from dbdyno.peers.call.clients import ClientTimes
from dbdyno.peers.call.sending import SendingOptions, describe_sending
from dbdyno.peers.call.totals import Totals
from dbdyno.protocol.events import Connected, End, Facts, TrialEvent
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.protocol.rows_not_found import rows_not_found
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.run.trial import TrialLoad, Watched
from dbdyno.times import counted_times

if TYPE_CHECKING:
    from dbdyno.peers.call.result import Call


class TrialRequest(Protocol):
    """A call that asks for one trial."""

    @property
    def address(self) -> Address:
        """Where the server is."""

    @property
    def transactions(self) -> int | None:
        """How many there are to be; None where the run ends by its time."""

    @property
    def warmup_s(self) -> float:
        """Load before anything counts."""

    @property
    def counted_phases(self) -> Collection[str]:
        """The phases whose transactions count."""

    @property
    def sending(self) -> SendingOptions:
        """How the generator sends."""

    def trial_plan(self) -> TrialPlan:
        """Return what a generator is asked for by a run."""

    def call(self) -> Call | None:
        """Return what a result directory says of the call; None where none is wanted."""


Request = TypeVar("Request", bound=TrialRequest)


class Speaker(Protocol[Request]):
    """Prints what there is to print. Nothing is ever asked of it."""

    def connected(self, event: Connected) -> None:
        """All terminals are connected; there is a warm-up first, if one is wanted."""

    def warming(self, interval: Interval) -> None:
        """Take an interval of the warm-up."""

    def interval(self, interval: Interval) -> None:
        """Take an interval that counts."""

    def ended(self, outcome: Outcome[Request]) -> None:
        """Say what came out, also of a run that ended early."""


class Outcome(Generic[Request]):
    """What a run measured: ``totals`` is what counts, ``whole`` has warm-up and drain in it.

    ``ledger`` says how the acknowledged stands to the stored.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.totals = Totals()
        self.whole = Totals()
        self.end: End | None = None
        self.ledger = Evidence()

    def add(self, interval: Interval) -> bool:
        """Take an interval in; tell whether what ended in it counts.

        The times of what was under way at the window's end do, though it ended later.
        """
        self.whole.add(interval)
        counts = interval.phase in self.request.counted_phases
        if counts:
            self.totals.add_counts(interval)
        self.totals.add_times(counted_times(interval))
        return counts

    def close(self, end: End) -> None:
        """Take the end event in. A run that ended with its transactions took as long as they."""
        self.end = end
        if self.request.transactions is not None and self.totals.elapsed_s:
            self.totals.elapsed_s = end.elapsed_s - self.request.warmup_s

    def client_times(self) -> ClientTimes:
        """Return the times of all that counts, and the clients that they account for."""
        request = self.request
        return self.totals.client_times(
            request.trial_plan(), is_embedded=request.address.is_embedded
        )

    def remarks(self) -> list[str]:
        """Return a line for each class of errors, and the warnings."""
        return [*self.totals.error_lines(), *self.warnings()]

    def warnings(self) -> list[str]:
        """Return a line where the generator read answers late, and one where rows are missing."""
        late, missing = self.client_times().warning(), self.missing_rows()
        return [line for line in (late, f"WARNING: {missing}\n" if missing else "") if line]

    def missing_rows(self) -> str:
        """Say that statements did not find the rows that they expect; empty where they did."""
        statements = () if self.end is None else self.end.statements
        found = rows_not_found(statements, self.request.trial_plan().workload)
        if not found.is_notable:
            return ""
        return (
            f"{found.share:.0%} of SELECT and UPDATE statements found no row "
            f"({found.without_rows} of {found.statements}), which is faster than finding one. Load "
            "tables of the size that the run expects, and run as a user who may see their rows"
        )

    @property
    def has_failed(self) -> bool:
        """Whether the generator says so."""
        return self.end is not None and self.end.status == "failed"

    @property
    def facts(self) -> Facts:
        """What the generator says of the transactions' input."""
        return {} if self.end is None else self.end.facts


def run(request: Request, speaker: Speaker[Request]) -> Outcome[Request]:
    """Carry a run out; ``RunError`` with the server's words where it fails.

    What was measured until then has been told, and is in the result directory if one is wanted.
    """
    outcome = Outcome(request)
    if request.sending.is_verbose:
        print(f"dbdyno: {describe_sending(request.trial_plan())}", file=sys.stderr)
    with Interruption(noted=_nothing, advice="the figures are of the time until then") as stop:
        _make_load(request, stop.is_requested, outcome, speaker)
        if outcome.totals.elapsed_s:
            speaker.ended(outcome)
        if outcome.end is not None:
            outcome.end.refuse_failure()
        if outcome.ledger.standing is Standing.LESS:
            raise RunError(outcome.ledger.sentence)
        stop.check()
    return outcome


def _make_load(
    request: Request,
    wants_stop: Callable[[], bool],
    outcome: Outcome[Request],
    speaker: Speaker[Request],
) -> None:
    """Make the load, tell what comes of it, and store it where a result is wanted."""
    call = request.call()
    load = TrialLoad(request.trial_plan(), request.address)

    def tell(event: TrialEvent) -> None:
        _tell(event, outcome, speaker)

    if call is None:
        load.make(tell, wants_stop=wants_stop)
        outcome.ledger = load.close_books()
        return
    # What it needs is heavy, and most calls do without it.
    from dbdyno.peers.call.result import ResultDirectory

    with ResultDirectory(call, request.trial_plan(), request.address, load) as result:

        def keep(event: TrialEvent) -> None:
            result.event(event)
            tell(event)

        load.make(keep, wants_stop=wants_stop, watched=Watched(), hosts_used=result.usage)
        outcome.ledger = load.close_books()
        result.keep_ledger(outcome.ledger)


def _tell(event: TrialEvent, outcome: Outcome[Request], speaker: Speaker[Request]) -> None:
    match event:
        case Connected():
            speaker.connected(event)
        case Interval() if outcome.add(event):
            speaker.interval(event)
        case Interval(phase=Phase.WARMUP):
            speaker.warming(event)
        case End():
            outcome.close(event)


def _nothing() -> None:
    """Wait for the generator, which is told by whoever reads its events."""
