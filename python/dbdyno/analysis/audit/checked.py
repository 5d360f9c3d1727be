"""Which claims of tables were checked, and why others could not be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dbdyno.analysis.audit.aggregates import judged_aggregates
from dbdyno.analysis.audit.baselines import is_trivial
from dbdyno.analysis.audit.change_checks import is_understood
from dbdyno.analysis.audit.changes import resolve_claims
from dbdyno.analysis.audit.join import join_tables
from dbdyno.analysis.audit.means import means_of
from dbdyno.analysis.audit.model import Joined
from dbdyno.analysis.audit.sentences import sentences_of
from dbdyno.results_table.model import Claim, Figure, Place, ResultsTable


class Reason(StrEnum):
    """Why a claim was not checked."""

    NO_FIGURES = "no-figures"
    """The table of its figures is not among those that are audited."""
    NO_PAIR = "no-pair"
    """No two figures are known that it may compare."""
    NO_RATIO = "no-ratio"
    """A figure that it may compare is zero or below."""
    NOTHING_FOLLOWS = "nothing-follows"
    """No claim of its column follows from two figures in any way that is known."""
    NO_CELLS = "no-cells"
    """It is one figure for several cells, of which less than two are known."""
    NO_ROUNDS = "no-rounds"
    """It is a mean, and its rounds are not known."""


@dataclass(frozen=True)
class Unchecked:
    """A claim that was not checked, as it is written and where."""

    place: Place
    text: str
    reason: Reason


@dataclass(frozen=True)
class Checked:
    """How many claims there are, and those that were not checked."""

    claims: int
    unchecked: tuple[Unchecked, ...]


def checked_claims(tables: Sequence[ResultsTable]) -> Checked:
    """Return which claims of tables an audit checks.

    InputError where a description names a file of figures that is not among the tables.
    """
    every: list[Claim | Figure] = [each for table in tables for each in table.claims]
    every += [each for table in tables for each in table.stated]
    joined = join_tables(tables)
    taken: list[Claim | Figure] = [each for table in joined for each in table.claims]
    taken += [each for table in joined for each in table.stated]
    owned = {_key(each) for each in taken}
    without = [_unchecked(each, Reason.NO_FIGURES) for each in every if _key(each) not in owned]
    found = [each for table in joined for each in _of_table(table)]
    said = [each for table in joined for each in sentences_of(table)]
    unclear = [Unchecked(s.place, s.amount, Reason.NO_PAIR) for s in said if s.follows is None]
    claims = len(without) + len(owned) + len(said)
    return Checked(claims, (*without, *found, *unclear))


def _of_table(joined: Joined) -> Iterator[Unchecked]:
    reasons = _reasons(joined)
    means = {id(mean.stated) for mean in means_of(joined)}
    aggregates = {id(claim) for claim in judged_aggregates(joined)}
    for claim in joined.claims:
        if claim.over and id(claim) not in aggregates:
            yield _unchecked(claim, Reason.NO_CELLS)
        elif not claim.over and (reason := reasons.get(claim.place, Reason.NO_PAIR)) is not None:
            yield _unchecked(claim, reason)
    yield from (_unchecked(e, Reason.NO_ROUNDS) for e in joined.stated if id(e) not in means)


def _reasons(joined: Joined) -> dict[Place, Reason | None]:
    """Return by place why a claim was not checked; None for those that were."""
    reasons: dict[Place, Reason | None] = {}
    columns: set[tuple[str, str]] = set()
    for column in resolve_claims(joined):
        understood = is_understood(column)
        for each in column:
            place = each.claim.place
            if each.pairs and all(pair.ratio() is None for pair in each.pairs):
                reasons[place] = Reason.NO_RATIO
            elif each.pairs:
                reasons[place] = None if understood else Reason.NOTHING_FOLLOWS
                columns |= {(place.table, each.claim.column)} if understood else set()
    for claim in joined.claims:
        # That the baseline is once itself says which row the others of its column are compared to.
        if is_trivial(claim) and (claim.place.table, claim.column) in columns:
            reasons.setdefault(claim.place, None)
    return reasons


def _key(each: Claim | Figure) -> tuple[Place, str]:
    return each.place, each.number.text


def _unchecked(each: Claim | Figure, reason: Reason) -> Unchecked:
    return Unchecked(each.place, each.number.text, reason)
