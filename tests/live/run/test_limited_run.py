"""Runs of servers with limits: what is stored of them, and trials that a limit ends."""

from __future__ import annotations

import os
from typing import Any

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.validity.codes import Code
from dbdyno.store.reader import read_result
from tests.live.limits import left_behind, require_all_cpus, require_limits, require_numa
from tests.live.run.launch import call
from tests.live.run.stage import Stage
from tests.unit.analysis.told import evidence_of

pytestmark = pytest.mark.live

HUNGRY = {
    "mysql": "SELECT LENGTH(@much := REPEAT('x', 400000000))",
    "postgresql": "SELECT length(repeat('x', 400000000))",
}
SETTINGS = {"mysql": "set: {max_allowed_packet: 1G}", "postgresql": ""}
ENOUGH = "limits: {memory: 1G, cpus: 0.5}"


@pytest.fixture(autouse=True)
def limits() -> None:
    """Skip where no server can be limited."""
    require_limits(2 << 30)


def group_of(stage: Stage, number: int) -> dict[str, Any]:
    group: dict[str, Any] = stage.trial(number)["server"]["control_group"]
    return group


def test_half_a_cpu_slows_and_is_noted(stage: Stage) -> None:
    enough = require_all_cpus()
    stage.write(
        target="{mysql: {limits: {memory: 1G}}}",
        factors=f"cpus: {{sets: limits.cpus, levels: [0.25, {enough}]}}",
        duration="1.5s",
        rounds=1,
        load="{clients: 4}",
    )
    ended = stage.run()
    assert ended.status == 0
    by_level = {stage.trial(number)["cell"]["cpus"]: number for number in (1, 2)}
    slow, fast = (group_of(stage, by_level[level]) for level in ("0.25", str(enough)))
    assert slow["control_group_cpu_limit_cores"] == 0.25
    assert slow["cpu_throttled_periods"] > 0
    assert slow["cpu_throttled_s"] > 0
    assert slow["control_group_memory_limit_bytes"] == 1 << 30
    assert fast["control_group_cpu_limit_cores"] == enough
    assert fast["cpu_throttled_periods"] == 0
    warnings = {each.code: each for each in analyse(read_result(stage.result)).warnings}
    noted = warnings[Code.CPU_THROTTLED]
    assert noted.trials == (by_level["0.25"],)
    assert evidence_of(noted).endswith("at a limit of 0.25 CPUs")
    # The generator is not in the server's group.
    assert Code.SHARED_CPU_THROTTLED not in warnings
    assert "0.25" in (stage.result / "report.html").read_text()
    assert left_behind() == []


@pytest.mark.parametrize("kind", HUNGRY)
def test_a_trial_whose_server_is_killed_for_memory_names_that(stage: Stage, kind: str) -> None:
    stage.write(
        target=f"{{{kind}: {{{SETTINGS[kind]}}}}}",
        factors="memory: {sets: limits.memory, levels: [2G, 300M]}",
        duration="1s",
        rounds=1,
        load="{clients: 1}",
        procedure="check: none",
    )
    lines = stage.file.read_text().splitlines()
    sql = f'workload: {{sql: {{transactions: {{eat: {{statements: ["{HUNGRY[kind]}"]}}}}}}}}'
    lines[2] = sql
    stage.file.write_text("\n".join(lines) + "\n")
    ended = stage.run()
    assert ended.status == 1
    by_level = {stage.trial(number)["cell"]["memory"]: number for number in (1, 2)}
    killed = by_level["300M"]
    reasons = {number: stage.trial(number)["reason"] for number in (1, 2)}
    assert stage.statuses() == {by_level["2G"]: "completed", killed: "failed"}, reasons
    reason = (
        f"the kernel killed server {kind} for lack of memory: limits.memory is 300 MiB; raise it, "
        "or make the server's caches smaller"
    )
    assert stage.trial(killed)["reason"] == reason
    assert group_of(stage, killed)["out_of_memory_kills"] >= 1
    assert group_of(stage, by_level["2G"])["out_of_memory_kills"] == 0
    found = analyse(read_result(stage.result))
    warning = next(each for each in found.warnings if each.code is Code.KILLED_FOR_MEMORY)
    assert warning.trials == (killed,)
    assert evidence_of(warning).endswith("killed; the memory limit was 300 MiB")
    assert reason in ended.output
    assert left_behind() == []


def test_plan_says_what_is_fixed(stage: Stage) -> None:
    require_numa()
    stage.write(target="{mysql: {limits: {memory: 1G, cpus: 0.5}, numa: 0}}")
    ended = call(["plan", stage.file], environment={"COLUMNS": "300"})
    assert ended.status == 0
    assert "; NUMA node 0; limits: 1,024 MiB memory, 0.5 CPUs\n" in ended.output
    assert "Problem:" not in ended.output


def test_limits_that_the_machine_cannot_give_are_told_before_any_load(stage: Stage) -> None:
    cpus = len(os.sched_getaffinity(0))
    stage.write(target=f"{{mysql: {{limits: {{memory: 4000T, cpus: {cpus + 1}}}}}}}")
    ended = stage.run()
    assert ended.status != 0
    assert "limits.memory is 4,194,304,000 MiB, more than the" in " ".join(ended.errors.split())
    assert not (stage.result / "trials").exists()


def test_a_pool_that_follows_the_memory_limit(stage: Stage) -> None:
    """The verdict is about memory, with the pool as a part of its levels."""
    stage.write(
        target="{mysql: {set: {innodb_buffer_pool_size: '{memory} * 0.5'}}}",
        factors="memory: {sets: limits.memory, levels: [1G, 512M]}",
    )
    assert stage.run().status == 0
    pools = {
        trial["cell"]["memory"]: trial["server"]["settings"]["innodb_buffer_pool_size"]
        for trial in map(stage.trial, stage.statuses())
    }
    assert pools == {"1G": str(512 << 20), "512M": str(256 << 20)}
    page = (stage.result / "report.html").read_text()
    assert "innodb_buffer_pool_size follows memory" in page.replace("<wbr>", "")
    assert "settings-differ" not in page
