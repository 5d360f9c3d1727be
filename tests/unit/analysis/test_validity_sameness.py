"""What changes in the middle of a campaign is told: which trial, from what to what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.sameness import hosts_by_trial
from dbdyno.store.journal import JournalEvent, RunStarted, TrialStarted
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import POOL, findings, spoken
from tests.unit.store.result_builder import TrialScript, build_result, make_plan


def from_round_2(change: Callable[[TrialScript], None]) -> Callable[[TrialScript], None]:
    return lambda script: change(script) if script.planned.round >= 2 else None


def upgraded(script: TrialScript) -> None:
    script.server["version"] = "10.11.15"


def flushed_seldom(script: TrialScript) -> None:
    script.server["settings"]["sync_binlog"] = "0"
    script.server["durability"] = "once a second"


def isolated_otherwise(script: TrialScript) -> None:
    script.events[0] |= {"session": {"isolation": "read_committed"}}


@pytest.mark.parametrize(
    ("change", "evidence"),
    [
        (upgraded, "version was 10.11.14 until trial 1 and 10.11.15 from trial 3"),
        (
            flushed_seldom,
            "durability was every commit until trial 1 and once a second from trial 3; "
            "sync_binlog was 1 until trial 1 and 0 from trial 3",
        ),
        (
            isolated_otherwise,
            "isolation was not known until trial 1 and read_committed from trial 3",
        ),
    ],
    ids=["version", "settings", "isolation"],
)
def test_a_change_in_mid_campaign_is_told(
    tmp_path: Path, change: Callable[[TrialScript], None], evidence: str
) -> None:
    found = spoken(findings(tmp_path / "r", from_round_2(change), make_plan([POOL], rounds=3)))
    warning = found[Code.SERVER_CHANGED]
    assert evidence_of(warning) == evidence
    assert warning.trials == (3, 4)
    # All cells changed alike, so those of one round can still be compared.
    assert Code.SETTINGS_DIFFER not in found
    assert Code.DURABILITY_DIFFERS not in found


def test_a_change_in_the_middle_of_a_round_is_a_difference_too(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        if script.planned.number >= 4:
            flushed_seldom(script)

    result = findings(tmp_path / "r", change, make_plan([POOL], rounds=3))
    assert result.differences == (("sync_binlog", "pool=64M", "0", "1"),)
    found = spoken(result)
    assert evidence_of(found[Code.DURABILITY_DIFFERS]) == (
        "pool=64M has once a second, its baseline every commit; this is so in 1 of 1 comparisons"
    )
    assert found[Code.SERVER_CHANGED].trials == (4, 5)


def test_names_and_places_may_change(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.server["settings"] |= {"port": str(3300 + script.planned.number), "socket": "/x"}

    assert Code.SERVER_CHANGED not in spoken(findings(tmp_path / "r", change))


def test_another_host_is_told(tmp_path: Path) -> None:
    result = build_result(tmp_path / "r", make_plan(rounds=3))
    journal = (
        RunStarted(host={"kernel": "6.1", "boot_id": "a"}),
        TrialStarted(trial=1),
        TrialStarted(trial=2),
        RunStarted(host={"kernel": "6.2", "boot_id": "b"}),
        TrialStarted(trial=2),
        TrialStarted(trial=3),
    )
    assert spoken(analyse(result)).keys() == set()
    warning = spoken(analyse(replace(result, journal=journal)))[Code.SERVER_CHANGED]
    assert evidence_of(warning) == (
        "host boot_id was a until trial 1 and b from trial 2; "
        "host kernel was 6.1 until trial 1 and 6.2 from trial 2"
    )


def test_a_journal_without_hosts_tells_of_none() -> None:
    journal: list[JournalEvent] = [RunStarted(pending=2), TrialStarted(trial=1)]
    assert hosts_by_trial(journal) == {}
