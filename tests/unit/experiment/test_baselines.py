"""Baselines that are chosen for a report: which level is one, and what is said of wrong ones."""

from __future__ import annotations

import pytest

from dbdyno.errors import InputError
from dbdyno.experiment.baselines import (
    changed_baselines,
    label_of,
    read_baselines,
    with_baselines,
)
from dbdyno.experiment.plan import FactorLevels, Plan
from tests.unit.store.result_builder import make_plan

FACTORS = [
    FactorLevels("mode", ("delete", "wal", "off/x"), "server.journal_mode"),
    FactorLevels("clients", ("1", "8"), "load.clients", 1),
]


def plan() -> Plan:
    return make_plan(FACTORS)


def test_each_factor_that_is_named_has_another_baseline() -> None:
    own = plan()
    used = with_baselines(own, {"mode": "wal"})
    assert [each.baseline_level for each in used.factors] == ["wal", "8"]
    changed = changed_baselines(own.factors, used.factors)
    assert changed == {"mode": "delete"}
    assert label_of(used.factors, changed) == "mode=wal"
    assert used.trials == own.trials


def test_the_own_baseline_is_no_other_one() -> None:
    used = with_baselines(plan(), {"mode": "delete", "clients": "8"})
    assert used == plan()
    assert changed_baselines(plan().factors, used.factors) == {}
    assert label_of(used.factors, {}) == ""


def test_a_file_has_no_sign_that_parts_folders() -> None:
    used = with_baselines(plan(), {"mode": "off/x", "clients": "1"})
    changed = changed_baselines(plan().factors, used.factors)
    assert label_of(used.factors, changed) == "mode=off_x,clients=1"


def test_levels_are_read_with_whatever_is_in_them() -> None:
    assert read_baselines(["mode=a=b", "clients="]) == {"mode": "a=b", "clients": ""}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["wal"], "baseline wal: must be FACTOR=LEVEL, as in clients=8"),
        (["mode=wal", "mode=delete"], "baseline mode=delete: mode has a baseline already: wal"),
        (["engine=x"], "baseline engine: the experiment has no such factor; its factors are "
         "mode, clients"),
        (["mode=x"], "baseline mode=x: no such level; there are delete, wal, off/x"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused(texts: list[str], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        with_baselines(plan(), read_baselines(texts))
