"""What a server acknowledged with durable settings is there after its crash."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget, Target
from dbdyno.experiment.workload.tpcc import Tpcc, plan_of
from dbdyno.ledger import Standing
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.opening import open_server
from dbdyno.tpcc.durability.durability import (
    DurabilityPlan,
    DurabilityResult,
    check_durability,
    compare,
)

pytestmark = pytest.mark.live

TARGETS: dict[str, Target] = {"mysql": MysqlTarget(), "postgresql": PostgresqlTarget()}


RUNS_S = (1.0, 4.0, 16.0)
"""A slow disk, or a busy machine, needs longer for enough New-Orders."""


def crash(
    kind: str, settings: Mapping[str, str], directory: Path, run_s: float
) -> DurabilityResult:
    """Kill a server of a kind under load, and ask it for what it had acknowledged."""
    directory.mkdir()
    server = open_server(TARGETS[kind], kind, directory)
    assert isinstance(server, PrivateServer)
    plan = DurabilityPlan(
        tpcc=plan_of(Tpcc(warehouses=1)),
        orders_table="orders",
        terminals=8,
        connections=2,
        run_s=run_s,
        settings=settings,
    )
    told: list[str] = []
    with server:
        return check_durability(server, plan, directory, told.append)


@pytest.mark.parametrize("kind", TARGETS)
def test_nothing_is_lost_with_durable_settings(kind: str, tmp_path: Path) -> None:
    for run_s in RUNS_S:
        result = crash(kind, {}, tmp_path / f"{run_s:.0f}", run_s)
        assert result.lost == ()
        if result.acknowledged > 20:
            break
    assert result.acknowledged > 20
    assert result.ledger.standing is Standing.HOLDS, result.ledger.sentence


def test_orders_are_compared_one_by_one() -> None:
    result = compare([(1, 1, 3001), (1, 2, 3001), (2, 1, 3001)], [(1, 1, 3001), (9, 9, 3001)])
    assert (result.acknowledged, result.found, result.unacknowledged) == (3, 1, 1)
    assert result.lost == ((1, 2, 3001), (2, 1, 3001))
