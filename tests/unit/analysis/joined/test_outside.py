"""A machine that others kept busy during one of two results is found, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.joined.join import join
from dbdyno.analysis.joined.part import Part
from dbdyno.analysis.validity.codes import Code
from dbdyno.facts.host import HostFacts
from dbdyno.resources import GENERATOR, HOST, PROCESS_CPU_TIMES, SERVER
from dbdyno.store.journal import RunStarted, TrialStarted
from tests.unit.analysis.joined.results import part, result
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import spoken
from tests.unit.store.resource_rows import IDLE_HOST, resource_table
from tests.unit.store.result_builder import HOST as HOST_FACTS
from tests.unit.store.result_builder import TrialScript

OURS_S = 0.5


def machine(others_s: float = 0.0, stolen_s: float = 0.0) -> Callable[[TrialScript], None]:
    """Let server and generator take a second of two, and others so much of each second."""
    figures = IDLE_HOST | {
        **{(role, metric): 0.0 for role in (SERVER, GENERATOR) for metric in PROCESS_CPU_TIMES},
        (SERVER, "process.cpu_user_s"): OURS_S,
        (GENERATOR, "process.cpu_user_s"): OURS_S,
        (HOST, "cpu.user_s"): 2 * OURS_S + others_s,
        (HOST, "cpu.steal_s"): stolen_s,
        (HOST, "cpu.idle_s"): 1.0 - others_s - stolen_s,
    }

    def change(script: TrialScript) -> None:
        script.resources = resource_table([figures] * 12)

    return change


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (machine(), machine(others_s=0.4), "other programs took 0.4 CPUs during new and 0 during"),
        (machine(others_s=0.4), machine(), "other programs took 0 CPUs during new and 0.4 during"),
        (machine(), machine(stolen_s=0.1), "other virtual machines took 5.0 % of the CPU time"),
    ],
)
def test_a_busier_machine_is_found(
    tmp_path: Path,
    before: Callable[[TrialScript], None],
    after: Callable[[TrialScript], None],
    said: str,
) -> None:
    old = part("old", result(tmp_path / "old", change=before))
    new = part("new", result(tmp_path / "new", change=after))
    warning = spoken(analyse(join(old, new, "")))[Code.OUTSIDE_DIFFERS]
    assert said in evidence_of(warning).replace("\N{NO-BREAK SPACE}", " ")


def test_kernel_threads_that_work_for_a_server_are_no_difference(tmp_path: Path) -> None:
    old = part("old", result(tmp_path / "old", change=machine(others_s=0.05)))
    new = part("new", result(tmp_path / "new", change=machine(others_s=0.2)))
    assert Code.OUTSIDE_DIFFERS not in spoken(analyse(join(old, new, "")))


def test_a_busier_machine_is_found_where_no_server_is_watched(tmp_path: Path) -> None:
    def embedded(others_s: float) -> Callable[[TrialScript], None]:
        def change(script: TrialScript) -> None:
            machine(others_s)(script)
            assert script.resources is not None
            script.resources = script.resources.filter(pl.col("role") != SERVER)
            script.generator_plan["url"] = "sqlite:dbdyno.db"

        return change

    old = part("old", result(tmp_path / "old", change=embedded(0.0)))
    new = part("new", result(tmp_path / "new", change=embedded(0.9)))
    assert Code.OUTSIDE_DIFFERS in spoken(analyse(join(old, new, "")))


def test_a_small_machine_is_not_held_to_the_limit_of_a_large_one(tmp_path: Path) -> None:
    def on(name: str, cpu_count: int, others_s: float) -> Part:
        stored = result(tmp_path / name, change=machine(others_s))
        began = RunStarted(unix_s=1.0, host={"cpu_count": cpu_count})
        trials = (TrialStarted(unix_s=2.0, trial=each.number) for each in stored.plan.trials)
        host = HostFacts(**HOST_FACTS | {"cpu_count": cpu_count})
        return part(name, replace(stored, host=host, journal=(began, *trials)))

    found = spoken(analyse(join(on("large", 64, 0.0), on("small", 2, 0.9), "")))
    assert Code.OUTSIDE_DIFFERS in found
