"""What keeps two results from being compared is found, each thing by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analysis.joined.model import Unlike, UnlikeKind
from dbdyno.analysis.joined.unlike import unlike
from tests.unit.analysis.joined.results import CLIENTS, ENGINE, part, result
from tests.unit.store.result_builder import TrialScript

Change = Callable[[TrialScript], None]


def more_rows(script: TrialScript) -> None:
    script.generator_plan["workload"]["sysbench"]["table_size"] = 1


def longer(script: TrialScript) -> None:
    script.generator_plan["duration_s"] = 60.0


def another_seed(script: TrialScript) -> None:
    script.generator_plan["seed"] = 43


def other_data(script: TrialScript) -> None:
    script.dataset["fingerprint"] = "sysbench tables=4 seed=2"


def weaker(script: TrialScript) -> None:
    script.server["durability"] = "flushed each second"


def not_told(script: TrialScript) -> None:
    script.server["durability"] = "unknown"


def with_data(script: TrialScript) -> None:
    script.dataset["fingerprint"] = "sysbench tables=4 seed=1"


UNLIKE: dict[str, tuple[Change, Unlike]] = {
    "rows": (
        more_rows,
        Unlike(UnlikeKind.ASKED, "workload.sysbench.table_size", "100000", "1"),
    ),
    "duration": (longer, Unlike(UnlikeKind.ASKED, "duration_s", "12.0", "60.0")),
    "data": (other_data, Unlike(UnlikeKind.DATASET, "", "seed=1", "seed=2")),
    "durability": (
        weaker,
        Unlike(UnlikeKind.DURABILITY, "", "every commit", "flushed each second"),
    ),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_each_thing_is_found_alone(tmp_path: Path, name: str) -> None:
    change, expected = UNLIKE[name]

    def changed(script: TrialScript) -> None:
        with_data(script)
        change(script)

    old = part("old", result(tmp_path / "old", change=with_data))
    new = part("new", result(tmp_path / "new", change=changed))
    assert unlike(old, new) == (expected,)


@pytest.mark.parametrize("change", [with_data, another_seed, not_told])
def test_what_may_differ_keeps_nobody_from_comparing(tmp_path: Path, change: Change) -> None:
    old = part("old", result(tmp_path / "old", [CLIENTS]))
    new = part("new", result(tmp_path / "new", [CLIENTS], change=change))
    assert unlike(old, new) == ()


def test_other_factors_are_refused(tmp_path: Path) -> None:
    old = part("old", result(tmp_path / "old", [CLIENTS]))
    new = part("new", result(tmp_path / "new", [ENGINE]))
    assert unlike(old, new) == (Unlike(UnlikeKind.FACTORS, "", "clients", "engine"),)


def test_a_level_makes_factors_the_same(tmp_path: Path) -> None:
    old = part("old", result(tmp_path / "old", [CLIENTS]))
    new = part("new", result(tmp_path / "new", [ENGINE, CLIENTS]), engine="one")
    assert unlike(old, new) == ()


def test_no_common_cell_is_refused(tmp_path: Path) -> None:
    other = replace(CLIENTS, levels=("2", "4"))
    old = part("old", result(tmp_path / "old", [CLIENTS]))
    new = part("new", result(tmp_path / "new", [other]))
    (found,) = unlike(old, new)
    assert found.kind is UnlikeKind.NO_COMMON_CELL
    assert not found.can_be_forced


def test_a_smoke_run_is_refused(tmp_path: Path) -> None:
    stored = result(tmp_path / "old")
    smoke = replace(stored, plan=replace(stored.plan, is_smoke=True))
    (found,) = unlike(part("old", stored), part("new", smoke))
    assert found == Unlike(UnlikeKind.SMOKE, "", "false", "true")


def test_a_run_of_the_section_smoke_is_no_run_of_the_file(tmp_path: Path) -> None:
    stored = result(tmp_path / "old")
    stand_in = replace(stored, plan=replace(stored.plan, is_stand_in=True))
    (found,) = unlike(part("old", stored), part("new", stand_in))
    assert found == Unlike(UnlikeKind.STAND_IN, "", "false", "true")
    assert unlike(part("old", stand_in), part("new", stand_in)) == ()


def test_levels_of_one_result_may_promise_unlike_things(tmp_path: Path) -> None:
    def by_level(script: TrialScript) -> None:
        if script.planned.cell.level("engine") == "one":
            weaker(script)

    stored = result(tmp_path / "r", [ENGINE], change=by_level)
    assert unlike(part("a", stored, engine="one"), part("b", stored, engine="other")) == ()
