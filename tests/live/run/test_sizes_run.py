"""What a run stores of its tables and locks with each trial, on a server of each kind."""

from __future__ import annotations

from typing import Any

import pytest

from dbdyno.store.reader import read_result
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

ROWS = 5000
TARGETS = ("sqlite", "mysql", "postgresql")


def facts_of(stage: Stage, target: str, start: str) -> list[dict[str, Any]]:
    """Run two trials and return what is known of the dataset of each."""
    stage.write(
        target=f"{{{target}: {{}}}}",
        table_size=ROWS,
        rounds=1,
        procedure=f"start: {start}",
    )
    assert stage.run().status == 0
    facts: list[dict[str, Any]] = [stage.trial(number)["dataset"] for number in (1, 2)]
    return facts


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_known_of_tables_is_stored_with_each_trial(stage: Stage, target: str) -> None:
    for facts in facts_of(stage, target, "snapshot"):
        schema = facts["table_schema"]
        assert (schema["kind"], schema["reason"]) == (target, None)
        (definition,) = schema["definitions"]
        assert definition["tables"] == ["sbtest1"]
        assert definition["keys"] == ["index (k)", "primary key (id)"]
        assert (facts["statistics"]["missing"], facts["statistics"]["reason"]) == ([], None)
        assert facts["statistics"]["rows"] == pytest.approx(ROWS, rel=0.2)
        # Not even one scan in all of the load, which looks for rows by their keys.
        assert sum(facts["scans"]["by_table"].values()) < ROWS
        # sysbench's c has 119 characters and pad has 59; id and k have up to four digits each.
        values = facts["logical"]
        assert values["rows"] == ROWS
        assert ROWS * (119 + 59 + 2) < values["size_bytes"] < ROWS * (119 + 59 + 8)
        # Random digits, of which each takes eight bits and says as much as three.
        assert 1.5 < facts["compression"]["ratio"] < 3
        disk = facts["disk"]
        for size in (disk["before"], disk["after"]):
            assert size["size_bytes"] > values["size_bytes"]
            assert size["directory_bytes"] >= size["size_bytes"]
            assert size["reason"] is None
    assert 'id="sizes"' in (stage.result / "report.html").read_text()


def test_sleeps_for_the_lock_of_sqlite_are_counted_and_told(stage: Stage) -> None:
    stage.write(factors="clients: [1, 8]", rounds=1, duration="1s")
    assert stage.run().status == 0
    facts = {
        trial.planned.cell.level("clients"): trial.facts
        for trial in read_result(stage.result).trials
    }
    alone, together = facts["1"], facts["8"]
    assert (alone["sqlite_lock_waits"], alone["sqlite_lock_wait_us"]) == (0, 0)
    assert together["sqlite_lock_waits"] not in (0, None)
    assert "sqlite-lock-waits" in (stage.result / "report.html").read_text()


def test_tables_that_were_changed_have_no_logical_size(stage: Stage) -> None:
    first, second = facts_of(stage, "sqlite", "continue")
    assert first["logical"]["rows"] == ROWS
    assert "logical" not in second
    assert second["disk"]["before"]["size_bytes"] > 0
