"""Limits of private servers: how they are written, and what they come to in a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.limits import parse_memory
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.experiment.plan import NO_LIMITS, Plan, ServerLimits
from dbdyno.report.levels import numeric_levels

HEAD = """\
experiment: limited
question: How much does it need?
workload: {sysbench: {script: oltp_read_only}}
"""
GIB = 1 << 30


def planned(tmp_path: Path, text: str) -> Plan:
    path = tmp_path / "experiment.yaml"
    path.write_text(HEAD + text)
    return make_plan(read_experiment(path))


@pytest.mark.parametrize(
    ("written", "size_bytes"),
    [
        ("8G", 8 * GIB),
        ("1.5 GiB", 3 * GIB // 2),
        ("200m", 200 << 20),
        ("512MB", 512 << 20),
        ("2T", 2048 * GIB),
        (GIB, GIB),
        ("1048576", 1 << 20),
    ],
)
def test_memory_is_read_in_powers_of_1024(written: object, size_bytes: int) -> None:
    assert parse_memory(written) == size_bytes


def test_fixed_limits_hold_for_every_trial(tmp_path: Path) -> None:
    plan = planned(tmp_path, "target: {postgresql: {limits: {memory: 8G, cpus: 1.5}}}\n")
    assert {trial.server_limits for trial in plan.trials} == {ServerLimits(8 * GIB, 1.5)}


def test_without_limits_nothing_is_limited(tmp_path: Path) -> None:
    plan = planned(tmp_path, "target: {mysql: {}}\n")
    assert {trial.server_limits for trial in plan.trials} == {NO_LIMITS}
    assert not NO_LIMITS


def test_a_limit_is_a_factor_beside_a_fixed_one(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        "target: {mysql: {limits: {cpus: 2}}}\n"
        "factors: {memory: {sets: limits.memory, levels: [1G, 2G]}}\n",
    )
    by_level = {trial.cell.level("memory"): trial.server_limits for trial in plan.trials}
    assert by_level == {"1G": ServerLimits(GIB, 2.0), "2G": ServerLimits(2 * GIB, 2.0)}
    assert numeric_levels(plan.factors[0]) == {"1G": GIB, "2G": 2 * GIB}


def test_a_disk_is_limited_by_requests_and_bytes(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        "target: {mysql: {limits: {reads_per_s: 500, write_bytes_per_s: 10M}}}\n"
        "factors: {writes: {sets: limits.writes_per_s, levels: [100, 200]}}\n",
    )
    fixed = ServerLimits(reads_per_s=500, write_bytes_per_s=10 << 20)
    by_level = {trial.cell.level("writes"): trial.server_limits for trial in plan.trials}
    assert by_level == {str(n): replace(fixed, writes_per_s=n) for n in (100, 200)}
    assert by_level["100"].of_disk_per_s == {
        "reads": 500,
        "writes": 100,
        "write_bytes": 10 << 20,
    }


def test_what_is_not_limited_is_in_no_plan() -> None:
    plain = TypeAdapter(ServerLimits).dump_python(ServerLimits(cpus=2.0))
    assert plain == {"memory_bytes": None, "cpus": 2.0}


def test_a_restart_for_a_limit_parts_blocks(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        "target: {mysql: {}}\n"
        "factors: {cpus: {sets: limits.cpus, levels: [1, 2]}, clients: [1, 2]}\n"
        "procedure: {start: reload}\n",
    )
    assert "every round has 2 blocks" in plan.order_in_words


def test_numa_is_read_as_cpus_are() -> None:
    assert MysqlTarget.model_validate({"numa": 0}).numa == (0,)
    assert MysqlTarget.model_validate({"numa": "0-1,3"}).numa == (0, 1, 3)


VARIED = "factors: {m: {sets: limits.memory, levels: [1G, 2G]}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "target: {mysql: {limits: {memory: much}}}",
            "target.mysql.limits.memory: 'much' is not an amount of memory; write 8G or 200M",
        ),
        (
            "target: {mysql: {limits: {memory: 8}}}",
            "target.mysql.limits.memory: 8 is less than 1M; write a number and a unit, as in 8G "
            "or 200M",
        ),
        (
            "target: {mysql: {limits: {cpus: 0-1}}}",
            "target.mysql.limits.cpus: '0-1' is not a number of CPUs; write 2 or 0.5 (0.01 is the "
            "least)",
        ),
        (
            "target: {mysql: {limits: {reads_per_s: 1.5}}}",
            "target.mysql.limits.reads_per_s: 1.5 is not a number of requests a second; write a "
            "whole number, as in 200",
        ),
        (
            "target: {mysql: {limits: {read_bytes_per_s: fast}}}",
            "target.mysql.limits.read_bytes_per_s: 'fast' is not an amount of bytes a second; "
            "write 8G or 200M",
        ),
        (
            "target: {postgresql: {numa: left}}",
            "target.postgresql.numa: 'left' is not a set of NUMA nodes; write 0, 0-1 or 0,2",
        ),
        (
            "target: {sqlite: {limits: {memory: 1G}}}",
            "target.sqlite.limits: SQLite runs inside the generator, whose memory and CPU are not "
            "limited; use a mysql or postgresql target",
        ),
        (
            "target: {sqlite: {numa: 0}}",
            "target.sqlite.numa: SQLite runs inside the generator and has no memory of its own; "
            "set generators.cpus, or use a mysql or postgresql target",
        ),
        (
            "target: {url: 'mysql://root@db/test', limits: {memory: 1G}}",
            "target.limits: belongs to a server that dbdyno starts; write mysql: {limits: ...} or "
            "postgresql: {limits: ...} (one by url is limited where it was started)",
        ),
        (
            "target: {sqlite: {}}\n" + VARIED,
            "factors.m.sets: the target 'sqlite': SQLite runs inside the generator, whose memory "
            "and CPU are not limited; use a mysql or postgresql target, or vary the load",
        ),
        (
            "target: {url: 'mysql://root@db/test'}\n" + VARIED,
            "factors.m.sets: the target 'mysql' is a server that is already up, and dbdyno may "
            "not restart it; use a mysql or postgresql target, or vary load or workload",
        ),
        (
            "target: {mysql: {limits: {memory: 1G}}}\n" + VARIED,
            "factors.m: varies limits.memory, which is fixed in limits of the target 'mysql'; "
            "remove one of the two",
        ),
        (
            "target: {mysql: {}}\n" + VARIED.replace("limits", "target.limits"),
            "factors.m.sets: 'target.limits.memory' cannot be varied; did you mean "
            "'limits.memory'?",
        ),
        (
            "target: {mysql: {}}\n" + VARIED.replace("2G", "lots"),
            "factors.m.levels[1]: 'lots' is not an amount of memory; write 8G or 200M",
        ),
        (
            "target: {mysql: {}}\nfactors: {memory: [1G, 2G]}",
            "factors.memory: a list alone needs a known name (known: clients, threads, terminals, "
            "rate, isolation, target, generators); otherwise write memory: {sets: limits.memory, "
            "levels: [...]}",
        ),
    ],
)
def test_mistakes(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as refused:
        planned(tmp_path, text)
    _, _, told = str(refused.value).partition("experiment.yaml:")
    assert told.partition(": ")[2] == message


def test_cpu_time_is_as_fine_as_systemd_takes_it(tmp_path: Path) -> None:
    plan = planned(tmp_path, "target: {mysql: {limits: {cpus: 0.333333}}}\n")
    assert {trial.server_limits.cpus for trial in plan.trials} == {0.3333}
