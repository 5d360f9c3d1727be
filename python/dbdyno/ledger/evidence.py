"""What was found when the acknowledged was held against the stored: as values, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from dbdyno.ledger.amounts import Amount
from dbdyno.ledger.rows import RowsFound
from dbdyno.protocol.events import Change


class Standing(StrEnum):
    """How the stored stands to the acknowledged."""

    HOLDS = "holds"
    LESS = "less"
    """Less is stored than was acknowledged: a contradiction."""
    MORE = "more"
    """More is stored, or something else: somebody else writes to the tables."""
    NOT_CHECKED = "not checked"
    NOTHING_WRITTEN = "nothing written"


@dataclass(frozen=True)
class Entry:
    """One amount: ``unknown`` is the range that transactions of unknown outcome leave open.

    ``difference`` is what is missing or too much beyond that range.
    """

    name: str
    title: str
    source: str
    queries: tuple[str, ...]
    before: int
    after: int
    acknowledged: int
    unknown: tuple[int, int]
    difference: int
    standing: Standing
    sentence: str


def compare(
    amount: Amount, change: Change, before: int, after: int, *, is_alone: bool
) -> Entry | str:
    """Return how an amount stands; a reason where nobody can tell.

    ``is_alone``: nobody else has written to the server. Where somebody may have, less of what does
    not only grow proves nothing.
    """
    if change.unknown is None:
        return (
            f"{amount.title}: a statement that may change any number of rows was under way on a "
            "connection that was lost"
        )
    stored, acknowledged = after - before, change.acknowledged
    low, high = change.unknown
    difference = min(stored - acknowledged - low, 0) or max(stored - acknowledged - high, 0)
    standing = Standing.HOLDS
    if abs(difference) > amount.tolerance:
        # Where an amount was to shrink, what was lost is stored too much.
        is_missing = difference > 0 if acknowledged < 0 else difference < 0
        is_lost = is_missing and (amount.only_grows or is_alone)
        standing = Standing.LESS if is_lost else Standing.MORE
    unknown = ""
    if low or high:
        bounds = [amount.shown(bound) for bound in (low, high) if bound]
        unknown = f" (and {' to '.join(bounds)} of unknown outcome)"
    sentence = (
        f"{amount.title}: {amount.shown(acknowledged)} acknowledged{unknown}, "
        f"{amount.shown(stored)} stored by {amount.source}"
    )
    return Entry(
        name=amount.name,
        title=amount.title,
        source=amount.source,
        queries=amount.queries[:QUERIES_KEPT],
        before=before,
        after=after,
        acknowledged=acknowledged,
        unknown=(low, high),
        difference=difference,
        standing=standing,
        sentence=sentence,
    )


QUERIES_KEPT = 3
"""There is one for each of many tables."""

LESS_IS_STORED = "the server acknowledged more than it has stored"
MORE_IS_STORED = (
    "something is stored that was not acknowledged to us: somebody else writes to these tables, or "
    "it cannot be excluded, and what the server may have lost cannot be told"
)


@dataclass(frozen=True)
class Evidence:
    """All that was found after a trial. ``left_out`` says why something was not checked."""

    entries: tuple[Entry, ...] = ()
    left_out: tuple[str, ...] = ()
    rows: RowsFound | None = None
    is_alone: bool = False
    """Nobody else has written to the server, by its own counters."""
    writes: bool = True

    @property
    def standing(self) -> Standing:
        """Return the worst of all entries; what is missing weighs more than what is too much."""
        if not self.writes:
            return Standing.NOTHING_WRITTEN
        standings = {standing for standing, _ in self._found()}
        for standing in (Standing.LESS, Standing.MORE, Standing.HOLDS):
            if standing in standings:
                return standing
        return Standing.NOT_CHECKED

    def _found(self) -> Iterator[tuple[Standing, str]]:
        """Yield how each thing stands that was looked at, in words too."""
        for entry in self.entries:
            yield entry.standing, entry.sentence
        if self.rows is not None and self.rows.checked:
            wrong = Standing.LESS if self.is_alone else Standing.MORE
            yield wrong if self.rows.wrong else Standing.HOLDS, self.rows.sentence

    @property
    def sentence(self) -> str:
        """Say in one sentence how it stands, with the figures that matter."""
        standing = self.standing
        if standing is Standing.NOT_CHECKED:
            return f"not checked: {'; '.join(self.left_out) or 'nothing was acknowledged'}"
        if standing is Standing.NOTHING_WRITTEN:
            return "nothing to check: the workload only reads"
        said = "; ".join(sentence for found, sentence in self._found() if found is standing)
        if standing is Standing.LESS:
            return f"{LESS_IS_STORED}: {said}"
        if standing is Standing.MORE:
            return f"{MORE_IS_STORED}: {said}"
        return f"all that was acknowledged is stored: {said}"

    def to_dict(self) -> dict[str, object]:
        """Return it as plain values, as trial.json has it."""
        return {
            "standing": self.standing.value,
            "sentence": self.sentence,
            "amounts": [asdict(entry) for entry in self.entries],
            "rows": None if self.rows is None else asdict(self.rows),
            "is_alone": self.is_alone,
            "left_out": list(self.left_out),
        }
