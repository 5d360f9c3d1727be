"""TPC-C on servers that acknowledge what they do not store, and on honest ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.store.reader import read_result
from tests.live.faults.liar import LyingProxy
from tests.live.tpcc_commands.conftest import Place, dbdyno, must

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("settles_soon")]

SHORT = ("--transactions", "300", "--warmup", "0s", "--interval", "0", "--terminals", "4")
"""So many that each kind is among them, however slow the machine is."""

EVERY_KIND = ("--mix", "40,40,5,10,5")


@pytest.mark.parametrize("protocol", ["prepared", "multi", "text"])
def test_a_server_that_keeps_nothing_is_found(loaded: Place, protocol: str, tmp_path: Path) -> None:
    options = (*SHORT, *EVERY_KIND, "--protocol", protocol, "--out", tmp_path / "result")
    with LyingProxy(loaded.server) as proxy:
        ended = dbdyno("tpcc", "run", proxy.url, *options)
        assert proxy.lies > 0
    assert ended.status == 1
    assert "the server acknowledged more than it has stored: New-Orders: " in ended.errors
    assert ended.errors.count(", 0 stored by the sum of ") + ended.errors.count(", 0.00 stored") > 1
    (trial,) = read_result(tmp_path / "result").trials
    assert trial.dataset.ledger.standing == "less"
    found = {entry.name: entry for entry in trial.dataset.ledger.amounts}
    orders = trial.intervals.filter(transaction="new_order")["committed"].sum()
    assert found["new_orders"].acknowledged == orders > 0
    assert found["new_orders"].difference == -orders
    assert "left out" not in must("tpcc", "check", loaded.url).output


def test_a_server_that_keeps_every_second_commit_is_found(loaded: Place) -> None:
    with LyingProxy(loaded.server, keeps_every=2) as proxy:
        ended = dbdyno("tpcc", "run", proxy.url, *SHORT)
    assert ended.status == 1
    assert "the server acknowledged more than it has stored" in ended.errors


def test_an_honest_server_is_not_accused(loaded: Place) -> None:
    ended = must("tpcc", "run", loaded.url, *SHORT, *EVERY_KIND, "--json")
    document = json.loads(ended.output)
    assert document["ledger"]["standing"] == "holds"
    amounts = {entry["name"]: entry for entry in document["ledger"]["amounts"]}
    assert set(amounts) == {"new_orders", "paid_cents", "delivered_orders"}
    for entry in amounts.values():
        assert entry["after"] - entry["before"] == entry["acknowledged"] > 0
