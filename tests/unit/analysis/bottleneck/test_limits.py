"""Each limit is named where it was one, and not where a part of the rule does not hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from dbdyno.analysis.bottleneck.model import CellLimit, Certainty, FigureName, LimitCode, TimeKind
from dbdyno.analysis.bottleneck.thresholds import THRESHOLDS
from dbdyno.report.words.limits import limit_evidence
from tests.unit.analysis.bottleneck.cases import (
    CASES,
    CLIENTS,
    FULL_CPU,
    INNODB,
    MACHINE,
    POOL,
    POSTGRESQL,
    Case,
    is_high,
    limits,
    loaded,
    local,
    table,
    watched,
    worker,
)
from tests.unit.analysis.validity_cases import counters_of_service, open_loop
from tests.unit.store.result_builder import TrialScript, histogram

BY_NAME = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.member}")


DISKS = [case for case in CASES if case.code is LimitCode.DISK]
"""A slow one, and one of which a server may use a part."""


def codes(cell: CellLimit) -> list[LimitCode]:
    return [limit.code for limit in cell.limits]


def at_high_load(
    case: Case, *, use: bool = True, waits: bool = True, always: bool = False
) -> Callable[[TrialScript], None]:
    """Return a change that makes something the limit at the high load, or a part of it."""

    def change(script: TrialScript) -> None:
        loaded(script)
        figures = {**MACHINE, **case.base}
        if always or is_high(script):
            figures |= {**(case.use if use else {}), **(case.waits if waits else {})}
        watched(script, figures)

    return change


def test_cpus_are_a_limit_although_nobody_watched_the_server(tmp_path: Path) -> None:
    """A server that is reached by URL is one of many programs on its host."""

    def change(script: TrialScript) -> None:
        loaded(script)
        figures = {name: value for name, value in MACHINE.items() if "server" not in name}
        if is_high(script):
            figures |= {**FULL_CPU, "host pressure.cpu_some_s": 0.9}
        watched(script, figures)

    low, high = limits(tmp_path / "r", change, CLIENTS, rounds=2)
    assert codes(low) == []
    (limit,) = high.limits
    assert limit.code is LimitCode.HOST_CPU
    assert FigureName.SERVER_CORES not in {figure.name for figure in limit.figures}


def test_of_several_servers_on_a_host_the_one_that_used_most_has_its_cpus_named(
    tmp_path: Path,
) -> None:
    figures = {**MACHINE, **CASES[0].use, **CASES[0].waits}
    other = {
        key: value for key, value in figures.items() if key.startswith("server process.cpu")
    } | {"server process.cpu_user_s": 0.4, "server process.cpu_system_s": 0.1}

    def change(script: TrialScript) -> None:
        loaded(script)
        watched(script, figures if is_high(script) else MACHINE)
        assert script.resources is not None
        second = table(other).with_columns(
            member=pl.lit("storage-1", script.resources.schema["member"])
        )
        script.resources = pl.concat([script.resources, second])

    (_, high) = limits(tmp_path / "r", change, CLIENTS, rounds=2)
    (limit,) = high.limits
    used = {each.name: each.mean for each in limit.figures}
    assert (limit.code, limit.member) == (LimitCode.SERVER_CPU, "server")
    own = figures["server process.cpu_user_s"] + figures["server process.cpu_system_s"]
    assert used[FigureName.MEMBER_CORES] == pytest.approx(own)
    assert used[FigureName.SERVER_CORES] == pytest.approx(own + 0.5)
    assert "2.85 CPUs used by this server" in limit_evidence(limit)
    # Of one server alone they are those of all servers.
    (_, alone) = limits(tmp_path / "a", at_high_load(CASES[0]), CLIENTS, rounds=2)
    assert FigureName.MEMBER_CORES not in {each.name for each in alone.limits[0].figures}


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_clients_that_sleep_for_the_lock_of_sqlite_name_it(share: float, tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        loaded(script)
        waited_s = share * 20.0 * script.generator_plan["clients"] if is_high(script) else 0.0
        facts = {"sqlite_lock_waits": 250, "sqlite_lock_wait_us": round(waited_s * 1e6)}
        script.events[-1] |= {"facts": facts, "elapsed_s": 20.0}

    low, high = limits(tmp_path / "r", change, CLIENTS, rounds=2)
    assert codes(low) == []
    assert codes(high) == ([LimitCode.DATABASE_LOCK] if share > 0.5 else [])


@BY_NAME
def test_a_limit_that_grows_with_load_is_named(case: Case, tmp_path: Path) -> None:
    low, high = limits(tmp_path / "r", at_high_load(case), CLIENTS, rounds=2)
    assert codes(low) == []
    (limit,) = high.limits
    assert (limit.code, limit.member, limit.host) == (case.code, case.member, "local")
    assert limit.device == case.device
    assert limit.certainty is Certainty.SHOWN
    judged = [each for each in limit.figures if each.threshold is not None]
    assert len(judged) >= 2
    assert all(each.mean >= each.threshold for each in judged if each.threshold is not None)
    assert {each.trials for each in limit.figures} == {2}
    assert high.trials == 2


@BY_NAME
def test_what_nobody_waited_for_is_no_limit(case: Case, tmp_path: Path) -> None:
    _, high = limits(tmp_path / "r", at_high_load(case, waits=False), CLIENTS)
    assert case.code not in codes(high)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.use], ids=lambda case: f"{case.code} {case.member}"
)
def test_what_is_not_at_its_limit_is_none(case: Case, tmp_path: Path) -> None:
    _, high = limits(tmp_path / "r", at_high_load(case, use=False), CLIENTS)
    assert case.code not in codes(high)


@BY_NAME
def test_what_does_not_grow_with_load_is_no_limit(case: Case, tmp_path: Path) -> None:
    """As where another program takes all of it, whatever the load."""
    _, high = limits(tmp_path / "r", at_high_load(case, always=True), CLIENTS)
    assert codes(high) == []
    assert case.code in [limit.code for limit in high.not_growing]


@pytest.mark.parametrize(("periods", "expected"), [(8.5, [LimitCode.CPU_QUOTA]), (4.0, [])])
def test_what_is_still_at_its_limit_at_the_highest_load_may_have_fallen(
    periods: float, expected: list[LimitCode], tmp_path: Path
) -> None:
    """A server held back in 9.5 periods of 10 at one client, and in fewer at eight."""
    (quota,) = (case for case in CASES if case.code is LimitCode.CPU_QUOTA)
    throttled = "server control_group.cpu_throttled_periods"

    def change(script: TrialScript) -> None:
        local(script)
        of_load = {throttled: periods} if is_high(script) else {throttled: 9.5}
        waits = quota.waits if is_high(script) else dict.fromkeys(quota.waits, 0.4)
        watched(script, {**MACHINE, **quota.base, **quota.use, **waits, **of_load})

    _, high = limits(tmp_path / "r", change, CLIENTS)
    assert codes(high) == expected


@BY_NAME
def test_where_load_is_not_varied_a_limit_is_likely(case: Case, tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        local(script)
        watched(script, {**MACHINE, **case.base, **case.use, **case.waits})

    for cell in limits(tmp_path / "r", change, POOL):
        (limit,) = cell.limits
        assert (limit.code, limit.certainty) == (case.code, Certainty.LIKELY)


def test_a_disk_that_does_more_with_more_load_is_no_limit(tmp_path: Path) -> None:
    (disk, _) = DISKS
    more = {"host disk[vda].writes": 4000.0, "host disk[vda].write_wait_s": 30.0}

    def change(script: TrialScript) -> None:
        at_high_load(disk)(script)
        if is_high(script):
            watched(script, {**MACHINE, **disk.use, **disk.waits, **more})

    _, high = limits(tmp_path / "r", change, CLIENTS)
    assert codes(high) == []
    assert [limit.code for limit in high.not_growing] == [LimitCode.DISK]


def test_a_cpu_is_no_limit_where_sessions_wait_for_something_else(tmp_path: Path) -> None:
    """Of eight sessions, half a one waits for a CPU: 6 % of their time."""
    cpu = CASES[0]
    few = {"server process.run_queue_wait_s": 0.5}

    def change(script: TrialScript) -> None:
        local(script)
        watched(script, {**MACHINE, **cpu.use, **few})

    (cell,) = limits(tmp_path / "r", change)
    assert codes(cell) == []


@pytest.mark.parametrize(("service_s", "expected"), [(8.0, [LimitCode.REDO_SPACE]), (0.9, [])])
def test_what_is_full_at_any_load_is_a_limit_where_transactions_take_longer(
    service_s: float, expected: list[LimitCode], tmp_path: Path
) -> None:
    """MariaDB does not tell who waits for redo space, only that it is used up."""
    full = {**MACHINE, **INNODB, "server innodb.checkpoint_age_bytes": 99e6}
    del full["server innodb.flush_sync_waits"]

    def change(script: TrialScript) -> None:
        loaded(script)
        counters_of_service(service_s if is_high(script) else 1.0)(script)
        watched(script, full)

    _, high = limits(tmp_path / "r", change, CLIENTS)
    assert codes(high) == expected


@pytest.mark.parametrize(("service_s", "expected"), [(8.0, [LimitCode.DISK]), (0.9, [])])
def test_what_a_server_may_have_of_a_disk_is_used_up_by_one_client(
    service_s: float, expected: list[LimitCode], tmp_path: Path
) -> None:
    """Pressure is alike then: it tells that some task waits, and not how many do."""
    (_, quota) = DISKS

    def change(script: TrialScript) -> None:
        loaded(script)
        counters_of_service(service_s if is_high(script) else 1.0)(script)
        watched(script, {**MACHINE, **quota.base, **quota.use, "host pressure.io_some_s": 0.4})

    low, high = limits(tmp_path / "r", change, CLIENTS)
    assert codes(high) == codes(low) == expected
    assert bool(high.not_growing) is not bool(expected)


@pytest.mark.parametrize(("used", "expected"), [(0.85, [LimitCode.DISK]), (0.7, [])])
def test_one_client_that_uses_nearly_all_of_a_limited_disk_leaves_no_room_to_grow(
    used: float, expected: list[LimitCode], tmp_path: Path
) -> None:
    (_, quota) = DISKS

    def change(script: TrialScript) -> None:
        loaded(script)
        counters_of_service(8.0 if is_high(script) else 1.0)(script)
        of_disk = quota.use if is_high(script) else dict.fromkeys(quota.use, used)
        watched(script, {**MACHINE, **quota.base, **of_disk, "host pressure.io_some_s": 0.4})

    low, high = limits(tmp_path / "r", change, CLIENTS)
    assert codes(high) == expected
    assert LimitCode.DISK not in codes(low)


@pytest.mark.parametrize("disk", DISKS, ids=["slow", "quota"])
def test_a_disk_is_before_the_commits_that_wait_for_it(disk: Case, tmp_path: Path) -> None:
    log = {"server postgresql.wait[IO:WalSync].sessions": 6.0}

    def change(script: TrialScript) -> None:
        local(script)
        watched(script, {**MACHINE, **POSTGRESQL, **disk.base, **disk.use, **disk.waits, **log})

    (cell,) = limits(tmp_path / "r", change)
    assert codes(cell) == [LimitCode.DISK, LimitCode.COMMIT]
    shares = {each.name: each.mean for each in cell.limits[0].figures}
    assert shares[FigureName.IO_SHARE] == pytest.approx(7 / 8)


def test_a_disk_is_before_its_commits_where_their_shares_hardly_differ(tmp_path: Path) -> None:
    """One trial does not tell of the disk, and in the other one a little less time went there."""
    (_, quota) = DISKS
    reading = {name: value for name, value in POSTGRESQL.items() if "wait[" not in name}

    def change(script: TrialScript) -> None:
        local(script)
        log = {"server postgresql.wait[IO:WalSync].sessions": 7.5}
        if script.planned.round == 1:
            watched(script, {**MACHINE, **reading, **quota.waits, **log})
        else:
            log["server postgresql.wait[CPU].sessions"] = 0.01
            watched(script, {**MACHINE, **reading, **quota.base, **quota.use, **quota.waits, **log})

    (cell,) = limits(tmp_path / "r", change, rounds=2)
    assert codes(cell) == [LimitCode.DISK, LimitCode.COMMIT]


@pytest.mark.parametrize("tells_redo", [True, False], ids=["MySQL", "MariaDB"])
def test_the_share_of_io_is_told_where_that_of_the_redo_log_is(
    tells_redo: bool, tmp_path: Path
) -> None:
    (disk, _) = DISKS
    told = dict(INNODB)
    if not tells_redo:
        del told["server mysql.wait[wait/io/file/innodb/innodb_log_file].s"]

    def change(script: TrialScript) -> None:
        local(script)
        watched(script, {**MACHINE, **told, **disk.use, **disk.waits})

    (cell,) = limits(tmp_path / "r", change)
    (limit,) = cell.limits
    assert limit.code is LimitCode.DISK
    assert (FigureName.IO_SHARE in {each.name for each in limit.figures}) is tells_redo


def test_the_one_that_takes_most_of_sessions_time_is_first(tmp_path: Path) -> None:
    locks = {"server innodb.row_lock_wait_s": 6.0}

    def change(script: TrialScript) -> None:
        local(script)
        cpu = CASES[0]
        busy = {"server process.run_queue_wait_s": 1.5}
        watched(script, {**MACHINE, **INNODB, **cpu.use, **busy, **locks})
        worker(script, 0.97, 3.0)

    (cell,) = limits(tmp_path / "r", change)
    assert codes(cell) == [LimitCode.GENERATOR, LimitCode.ROW_LOCKS, LimitCode.SERVER_CPU]


def test_a_quiet_machine_has_no_limit(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        loaded(script)
        watched(script, {**MACHINE, **INNODB})

    for cell in limits(tmp_path / "r", change, CLIENTS):
        assert (cell.limits, cell.not_growing, cell.unknown) == ((), (), ())


@pytest.mark.parametrize(
    ("busy", "waited", "lag_ms", "expected"),
    [
        (0.97, 0.0, 3.0, [LimitCode.GENERATOR]),
        (0.97, 0.0, 0.01, []),
        (0.5, 0.0, 3.0, []),
        # Others use its CPU as well.
        (0.5, 0.45, 3.0, [LimitCode.GENERATOR]),
        (0.5, 0.45, 0.01, []),
        (0.5, 0.3, 3.0, []),
    ],
)
def test_a_generator_is_the_limit_where_its_worker_has_no_time_and_answers_wait(
    busy: float, waited: float, lag_ms: float, expected: list[LimitCode], tmp_path: Path
) -> None:
    def change(script: TrialScript) -> None:
        loaded(script)
        if is_high(script):
            worker(script, busy, lag_ms, waited)

    low, high = limits(tmp_path / "r", change, CLIENTS)
    assert (codes(low), codes(high)) == ([], expected)


def test_a_generator_that_always_looks_for_answers_cannot_be_judged(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        local(script)
        worker(script, 1.0, 3.0)
        script.generator_plan["wait"] = "spin"

    (cell,) = limits(tmp_path / "r", change)
    assert codes(cell) == []
    assert LimitCode.GENERATOR in {each.code for each in cell.unknown}


@pytest.mark.parametrize("waited", [0.0, 0.6])
def test_each_of_several_generators_is_judged_for_itself(waited: float, tmp_path: Path) -> None:
    shares = {0: 0.2, 1: 0.96 - waited}

    def change(script: TrialScript) -> None:
        local(script)
        script.generator_plan["generators"] = [
            {"share": {"index": index, "begin": index, "end": index + 1, "of": 2}, "workers": 1}
            for index in shares
        ]
        for event in script.window:
            health = event["generator"] | {"loop_lag": histogram([3.0] * 10)}
            event["generators"] = [
                {
                    "generator_index": index,
                    "scheduled": 50,
                    "ended": 50,
                    "live_clients": 4,
                    "health": health
                    | {"busiest_worker_share": share, "run_queue_delay_s": index * waited},
                }
                for index, share in shares.items()
            ]

    (cell,) = limits(tmp_path / "r", change)
    assert [(limit.code, limit.member) for limit in cell.limits] == [
        (LimitCode.GENERATOR, "generator 2")
    ]


def test_a_load_that_was_given_and_done_is_the_limit(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        local(script)
        open_loop(script)
        watched(script, MACHINE)

    (cell,) = limits(tmp_path / "r", change)
    (limit,) = cell.limits
    assert (limit.code, limit.certainty) == (LimitCode.GIVEN_LOAD, Certainty.SHOWN)
    values = {figure.name: figure.mean for figure in limit.figures}
    assert values == {FigureName.OFFERED_PER_S: 100.0, FigureName.DONE_PER_S: 100.0}


def test_a_load_that_was_not_done_is_no_limit(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        local(script)
        open_loop(script, 90, backlog_growth=10, clients=200)
        watched(script, MACHINE)

    (cell,) = limits(tmp_path / "r", change)
    assert cell.limits == ()


def test_trials_that_are_not_used_count_for_nothing(tmp_path: Path) -> None:
    cpu = CASES[0]

    def change(script: TrialScript) -> None:
        local(script)
        is_bad = script.planned.round == 1
        watched(script, {**MACHINE, **({**cpu.use, **cpu.waits} if is_bad else {})})
        if is_bad:
            script.events.pop()

    (cell,) = limits(tmp_path / "r", change, rounds=2)
    assert (cell.trials, cell.limits) == (1, ())


def test_a_cell_without_valid_trials_says_nothing(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events.pop()

    (cell,) = limits(tmp_path / "r", change)
    assert (cell.trials, cell.limits, cell.unknown) == (0, (), ())


def test_what_is_before_or_after_the_window_does_not_count(tmp_path: Path) -> None:
    cpu = CASES[0]

    def change(script: TrialScript) -> None:
        local(script)
        watched(script, {**MACHINE, **cpu.use, **cpu.waits})
        assert script.resources is not None
        script.resources = script.resources.with_columns(start_s=script.resources["start_s"] + 12)

    (cell,) = limits(tmp_path / "r", change)
    assert cell.limits == ()


def test_time_is_by_what_active_sessions_were_in(tmp_path: Path) -> None:
    waits = {
        "server postgresql.wait[Lock:transactionid].sessions": 5.0,
        "server postgresql.wait[IO:WALSync].sessions": 2.0,
        "server postgresql.wait[Client:ClientWrite].sessions": 50.0,
        "server postgresql.wait[LWLock:BufferMapping].sessions": 1.0,
    }

    def change(script: TrialScript) -> None:
        local(script)
        watched(script, {**MACHINE, **POSTGRESQL, **waits})

    (cell,) = limits(tmp_path / "r", change)
    assert {each.kind: pytest.approx(each.share) for each in cell.time} == {
        TimeKind.CPU: 0.1,
        TimeKind.IO: 0.1,
        TimeKind.LOG: 0.2,
        TimeKind.LOCK: 0.5,
        TimeKind.LATCH: 0.1,
    }


def test_of_mysql_time_is_a_share_of_what_transactions_took(tmp_path: Path) -> None:
    """Eight clients are busy all the time: 8 s a second, of which half are waits for rows."""

    def change(script: TrialScript) -> None:
        local(script)
        watched(script, {**MACHINE, **INNODB, "server innodb.row_lock_wait_s": 4.0})

    (cell,) = limits(tmp_path / "r", change)
    shares = {each.kind: each.share for each in cell.time}
    assert shares[TimeKind.LOCK] == pytest.approx(0.5, rel=0.1)
    assert shares[TimeKind.IO] == pytest.approx(0.5 / 8, rel=0.1)
    assert shares[TimeKind.LOG] == pytest.approx(0.05 / 8, rel=0.1)
    assert sum(shares.values()) == pytest.approx(1.0)


def test_every_figure_that_judges_has_a_threshold_with_its_source() -> None:
    assert all(threshold.value > 0 and threshold.source for threshold in THRESHOLDS.values())
