"""What each of several hosts did, by the name that it keeps from trial to trial."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dbdyno.analysis.hosts import summarise_hosts, uneven
from dbdyno.analysis.window_totals import measure
from tests.unit.store.result_builder import TrialScript, build_result, make_plan


def spread(script: TrialScript, *shares: tuple[str, int], clients: int) -> None:
    """Let hosts do so much a second each."""
    hosts = [{"host": host, "transactions": done, "live_clients": 1} for host, done in shares]
    for event in script.events:
        if event["event"] == "interval":
            event["hosts"] = hosts
    ends = [
        {"host": host, "connections": 1, "failed_attempts": 0, "last_failure": None}
        for host, _ in shares
    ]
    script.events[-1]["hosts"] = ends
    script.generator_plan["clients"] = clients


def members(**addresses: str) -> list[dict[str, Any]]:
    return [
        {"name": name.replace("_", "-"), "role": "compute", "address": address}
        for name, address in addresses.items()
    ]


@pytest.mark.parametrize("are_named", [True, False])
def test_servers_that_are_elsewhere_at_each_start_are_told_by_their_names(
    are_named: bool, tmp_path: Path
) -> None:
    def change(script: TrialScript) -> None:
        net = script.planned.round
        first, second = f"10.0.{net}.4:3306", f"10.0.{net}.5:3306"
        spread(script, (first, 60), (second, 40), clients=2)
        if are_named:
            script.server["members"] = members(compute_1=first, compute_2=second)

    result = build_result(tmp_path / "r", make_plan(rounds=2), change)
    found = summarise_hosts([measure(trial) for trial in result.trials])
    if not are_named:
        assert len(found) == 4
        return
    assert [(each.host, round(each.share, 2), each.connections) for each in found] == [
        ("compute-1", 0.6, 2),
        ("compute-2", 0.4, 2),
    ]
    assert {(each.fewest_clients, each.most_clients) for each in found} == {(1, 1)}


@pytest.mark.parametrize(("busiest", "is_uneven"), [(39, False), (45, True)])
def test_clients_that_cannot_be_spread_evenly_are_allowed_for(
    busiest: int, is_uneven: bool, tmp_path: Path
) -> None:
    def change(script: TrialScript) -> None:
        rest = (100 - busiest) // 2
        spread(script, ("a:1", busiest), ("b:1", rest), ("c:1", rest), clients=8)

    (trial, *_) = build_result(tmp_path / "r", make_plan(rounds=1), change).trials
    assert bool(uneven(measure(trial))) is is_uneven
