"""How the stored stands to the acknowledged, from figures alone."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dbdyno.ledger.amounts import Amount
from dbdyno.ledger.evidence import Entry, Evidence, Standing, compare
from dbdyno.ledger.others import most_sent, nobody_else_wrote
from dbdyno.ledger.rows import RowsFound
from dbdyno.protocol.events import Change, StatementCount
from dbdyno.store.facts import LedgerFacts

ROWS = Amount("rows", "rows inserted", "the number of rows", ("SELECT 1",))


def entry(
    acknowledged: int,
    stored: int,
    unknown: tuple[int, int] | None = (0, 0),
    amount: Amount = ROWS,
    *,
    is_alone: bool = True,
) -> Entry | str:
    """Compare an amount that was 100 before."""
    change = Change(acknowledged, unknown)
    return compare(amount, change, 100, 100 + stored, is_alone=is_alone)


@pytest.mark.parametrize(
    ("stored", "unknown", "standing", "difference"),
    [
        (10, (0, 0), Standing.HOLDS, 0),
        (9, (0, 0), Standing.LESS, -1),
        (11, (0, 0), Standing.MORE, 1),
        (12, (0, 2), Standing.HOLDS, 0),
        (13, (0, 2), Standing.MORE, 1),
        (9, (-1, 2), Standing.HOLDS, 0),
        (8, (-1, 2), Standing.LESS, -1),
    ],
)
def test_what_is_unknown_widens_the_range_and_no_more(
    stored: int, unknown: tuple[int, int], standing: Standing, difference: int
) -> None:
    found = entry(10, stored, unknown)
    assert isinstance(found, Entry)
    assert (found.standing, found.difference) == (standing, difference)


def test_a_difference_that_floats_make_is_none() -> None:
    money = replace(ROWS, units=100, tolerance=99)
    for stored, standing in ((1000 - 99, Standing.HOLDS), (1000 - 100, Standing.LESS)):
        found = entry(1000, stored, amount=money)
        assert isinstance(found, Entry)
        assert found.standing is standing
        sentence = found.sentence
    assert sentence == "rows inserted: 10.00 acknowledged, 9.00 stored by the number of rows"


def test_nobody_is_accused_of_what_others_may_have_done() -> None:
    found = entry(10, 5, is_alone=False)
    grows = entry(10, 5, amount=replace(ROWS, only_grows=True), is_alone=False)
    assert isinstance(found, Entry)
    assert isinstance(grows, Entry)
    assert (found.standing, grows.standing) == (Standing.MORE, Standing.LESS)
    rows = RowsFound(checked=9, wrong=1, ambiguous=0, sentence="1 of 9 rows")
    assert Evidence(rows=rows).standing is Standing.MORE
    assert Evidence(rows=rows, is_alone=True).standing is Standing.LESS


def test_what_has_no_bound_is_not_checked() -> None:
    assert str(entry(10, 5, None)).startswith("rows inserted: a statement that may change any")
    assert Evidence(left_out=("too large",)).sentence == "not checked: too large"
    assert Evidence(writes=False).standing is Standing.NOTHING_WRITTEN


def test_what_is_missing_weighs_more_than_what_is_too_much() -> None:
    entries = [entry(10, stored) for stored in (10, 11, 9)]
    evidence = Evidence(entries=tuple(e for e in entries if isinstance(e, Entry)))
    assert evidence.standing is Standing.LESS
    assert evidence.sentence == (
        "the server acknowledged more than it has stored: rows inserted: 10 acknowledged, 9 stored "
        "by the number of rows"
    )


def test_others_are_seen_by_the_servers_own_counters() -> None:
    statements = [
        StatementCount(sql="", verb="insert", executions=10, rows=0, affected=8),
        StatementCount(sql="", verb="delete", executions=10, rows=0, affected=5),
        StatementCount(sql="", verb="select", executions=99, rows=99, affected=0),
    ]
    assert most_sent("mysql", statements) == 20
    assert most_sent("postgresql", statements) == 15
    assert nobody_else_wrote(100, 120, 20)
    assert not nobody_else_wrote(100, 121, 20)
    # Started again, and counting from zero; or a server that does not count.
    assert not nobody_else_wrote(100, 20, 20)
    assert not nobody_else_wrote(None, None, 20)


def test_all_that_is_said_is_stored() -> None:
    """What the stored form does not know would be dropped without a word."""
    found = entry(10, 9)
    assert isinstance(found, Entry)
    evidence = Evidence((found,), ("rows: why",), RowsFound(5, 1, 2, "one row"), is_alone=True)
    stored = LedgerFacts.model_validate(evidence.to_dict()).model_dump(mode="json")
    assert stored == json.loads(json.dumps(evidence.to_dict()))
