"""``dbdyno tpcc`` on the tables of sysbench-tpcc: they are found, run on, and stay consistent."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from dbdyno.ledger import Standing
from tests.live.engine.fixed_server import MariaDb, PostgreSql
from tests.live.tpcc_commands.conftest import Place, dbdyno, must
from tests.live.tpcc_commands.sysbench_tables import drop_set, load_first_set, make_tables

SEVERAL_SETS = "warning: sysbench-tpcc has made several sets of tables"


@pytest.fixture(scope="module", params=[MariaDb, PostgreSql])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Return a server of each kind with sysbench-tpcc's tables, and no others."""
    with request.param() as server:
        place = Place(server, user="", password="")
        load_first_set(place)
        yield place
        must("tpcc", "drop", place.url, "--schema", "sysbench-tpcc")
        with pytest.raises(RuntimeError, match="warehouse1"):
            place.query("SELECT COUNT(*) FROM warehouse1")


@pytest.mark.live
def test_a_run_finds_the_tables_and_leaves_them_consistent(place: Place) -> None:
    assert must("tpcc", "check", place.url, "--cardinality").output.endswith("All hold.\n")
    paid = "SELECT SUM(d_next_o_id - 3001), SUM(d_ytd - 30000) FROM district1"
    assert [float(sum or 0) for sum in place.query(paid)[0]] == [0, 0]
    words = ("--terminals", "4", "--transactions", "300", "--mix", "40,40,5,10,5", "--json")
    ended = must("tpcc", "run", place.url, *words)
    assert ended.errors == ""
    document = json.loads(ended.output)
    kinds = document["kinds"]
    assert document["options"]["schema"] == "sysbench_tpcc"
    assert all(kinds[kind]["failed"] == 0 for kind in kinds)
    assert document["ledger"]["standing"] == Standing.HOLDS
    orders, amount = (float(sum or 0) for sum in place.query(paid)[0])
    assert orders == kinds["new_order"]["committed"] > 0
    assert amount > 0
    assert must("tpcc", "check", place.url).output.endswith("All hold.\n")


@pytest.mark.live
def test_the_first_of_several_sets_is_run_on_and_that_is_said(place: Place) -> None:
    words = ("--schema", "sysbench-tpcc", "--transactions", "20")
    make_tables(place, 2)
    try:
        ended = must("tpcc", "run", place.url, *words)
        several = dbdyno("tpcc", "check", place.url)
    finally:
        drop_set(place, 2)
    assert ended.errors.startswith(SEVERAL_SETS)
    assert "sysbench_tpcc_1 and sysbench_tpcc_2" in several.errors
    assert SEVERAL_SETS not in must("tpcc", "run", place.url, *words).errors
