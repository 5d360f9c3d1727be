"""Makes the load of one trial, and tells whoever prints what comes."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from dbdyno.direct.address import Address
from dbdyno.direct.generator import Event, trial_events
from dbdyno.direct.totals import Totals
from dbdyno.errors import RunError
from dbdyno.interruption import Interruption
from dbdyno.ledger import Evidence, Standing
from dbdyno.times import counted_times

if TYPE_CHECKING:
    from dbdyno.direct.result import Call


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

    def trial_plan(self) -> dict[str, Any]:
        """Return the plan of ARCHITECTURE.md for a run."""

    def call(self) -> Call | None:
        """Return what a result directory says of the call; None where none is wanted."""


Request = TypeVar("Request", bound=TrialRequest)


class Speaker(Protocol[Request]):
    """Prints what there is to print. Nothing is ever asked of it."""

    def connected(self, event: Event) -> None:
        """All terminals are connected; there is a warm-up first, if one is wanted."""

    def warming(self, event: Event) -> None:
        """Take an interval of the warm-up."""

    def interval(self, event: Event) -> None:
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
        self.end: dict[str, Any] = {}
        self.ledger: dict[str, Any] = Evidence().to_dict()

    def add(self, event: Event) -> bool:
        """Take an interval in; tell whether what ended in it counts.

        The times of what was under way at the window's end do, though it ended later.
        """
        self.whole.add(event)
        counts = event["phase"] in self.request.counted_phases
        if counts:
            self.totals.add_counts(event)
        self.totals.add_times(counted_times(event))
        return counts

    def close(self, event: Event) -> None:
        """Take the end event in. A run that ended with its transactions took as long as they."""
        self.end = event
        if self.request.transactions is not None and self.totals.elapsed_s:
            self.totals.elapsed_s = event["elapsed_s"] - self.request.warmup_s

    @property
    def facts(self) -> dict[str, float | str]:
        """What the generator says of the transactions' input."""
        facts: dict[str, float | str] = self.end.get("facts", {})
        return facts


def run(request: Request, speaker: Speaker[Request]) -> Outcome[Request]:
    """Carry a run out; ``RunError`` with the server's words where it fails.

    What was measured until then has been told, and is in the result directory if one is wanted.
    """
    outcome = Outcome(request)
    with Interruption(noted=_nothing, advice="the figures are of the time until then") as stop:
        plan, call = request.trial_plan(), request.call()
        for event in trial_events(plan, request.address, stop.is_requested, call):
            _tell(event, outcome, speaker)
        if outcome.totals.elapsed_s:
            speaker.ended(outcome)
        if outcome.end["status"] == "failed":
            raise RunError(outcome.end["reason"])
        if outcome.ledger["standing"] == Standing.LESS:
            raise RunError(outcome.ledger["sentence"])
        stop.check()
    return outcome


def _tell(event: Event, outcome: Outcome[Request], speaker: Speaker[Request]) -> None:
    match event["event"]:
        case "connected":
            speaker.connected(event)
        case "interval" if outcome.add(event):
            speaker.interval(event)
        case "interval" if event["phase"] == "warmup":
            speaker.warming(event)
        case "end":
            outcome.close(event)
        case "ledger":
            outcome.ledger = event


def _nothing() -> None:
    """Wait for the generator, which is told by whoever reads its events."""
