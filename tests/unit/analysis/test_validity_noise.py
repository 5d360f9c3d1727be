"""Steal that explains the scatter between rounds is named as the likely cause, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.validity.codes import Code
from dbdyno.resources import GENERATOR, HOST, PROCESS_CPU_TIMES, SERVER
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import POOL, Change, findings, spoken
from tests.unit.store.resource_rows import IDLE_HOST, resource_table
from tests.unit.store.result_builder import TrialScript, make_plan, trial_events

STOLEN_S = (0.02, 0.3, 0.1, 0.4, 0.0, 0.2)
"""Of two seconds of CPU time each, by round."""

TWO_PROGRAMS = (
    IDLE_HOST
    | {(HOST, "cpu.idle_s"): 1.0}
    | {(role, metric): 0.0 for role in (SERVER, GENERATOR) for metric in PROCESS_CPU_TIMES}
)
"""An idle host, and what server and generator take of it."""


def slowed_by(stolen_s: tuple[float, ...], metric: str, cost: float, base: float = 0.0) -> Change:
    """Let each round take so much of a load from outside, and lose so much throughput by it."""

    def change(script: TrialScript) -> None:
        load_s = stolen_s[script.planned.round - 1]
        faster = 2 if script.planned.cell.level("pool") == "64M" else 1
        scatter = script.planned.number % 3
        script.events = trial_events([round(faster * (1000 - cost * load_s) + scatter)] * 12)
        figures = TWO_PROGRAMS | {(HOST, metric): base + load_s}
        script.resources = resource_table([figures, figures])

    return change


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("cpu.steal_s", "CPU steal"),
        ("cpu.user_s", "the CPU time of other programs"),
    ],
)
def test_a_load_from_outside_that_goes_with_throughput_is_named(
    tmp_path: Path, metric: str, name: str
) -> None:
    change = slowed_by(STOLEN_S, metric, cost=1000.0)
    found = findings(tmp_path / "r", change, make_plan([POOL], rounds=6))
    warning = spoken(found)[Code.NOISE_EXPLAINED]
    assert evidence_of(warning).startswith(
        f"between the rounds of a cell, throughput falls as {name} rises (correlation "
    )
    assert "over 12 trials" in evidence_of(warning)
    effect = found.comparisons[0].effect
    assert effect is not None
    assert effect.percent == pytest.approx(100.0, abs=1.0)


@pytest.mark.parametrize(
    "change",
    [
        slowed_by(STOLEN_S, "cpu.steal_s", cost=-1000.0),
        slowed_by(STOLEN_S, "cpu.steal_s", cost=10.0),
        slowed_by(tuple(load / 100 for load in STOLEN_S), "cpu.steal_s", cost=100000.0),
    ],
    ids=["throughput rises with it", "hardly any scatter", "hardly any load"],
)
def test_what_is_no_cause_or_too_little_is_not_named(tmp_path: Path, change: Change) -> None:
    found = findings(tmp_path / "r", change, make_plan([POOL], rounds=6))
    assert Code.NOISE_EXPLAINED not in spoken(found)


def test_three_rounds_are_too_few_to_say(tmp_path: Path) -> None:
    def one_cell(script: TrialScript) -> None:
        load_s = STOLEN_S[script.planned.round - 1]
        script.events = trial_events([round(1000 - 1000 * load_s)] * 12)
        script.resources = resource_table([TWO_PROGRAMS | {(HOST, "cpu.steal_s"): load_s}])

    assert Code.NOISE_EXPLAINED not in spoken(findings(tmp_path / "r", one_cell))
