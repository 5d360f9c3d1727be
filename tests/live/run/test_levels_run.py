"""A level is what the server has: what it does not have is no level, and ends a run at once."""

from __future__ import annotations

import json

import pytest

from tests.live.run.launch import Ended, call
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

MARIADB = "{mysql: {}}"


def settings(stage: Stage, name: str) -> dict[str, set[str]]:
    """Return what servers showed of a setting, by the level of their cells."""
    shown: dict[str, set[str]] = {}
    for number in stage.statuses():
        trial = stage.trial(number)
        level = trial["cell"]["level"]
        shown.setdefault(level, set()).add(trial["server"]["settings"][name])
    return shown


def test_the_binary_log_off_and_on(stage: Stage) -> None:
    factor = "level: {sets: server.log_bin, levels: {without: null, with: mysql-bin}}"
    stage.write(target=MARIADB, factors=factor, rounds=1)
    planned = call(["plan", stage.file])
    assert planned.status == 0, planned.output
    assert stage.run().status == 0
    assert settings(stage, "log_bin") == {"without": {"OFF"}, "with": {"ON"}}
    assert not any(stage.trial(number)["server"]["adjusted_settings"] for number in (1, 2))


NO_LEVELS = [
    (
        MARIADB,
        "{sets: server.innodb_buffer_pool_instances, levels: [null, 8]}",
        "the level 8 is not in effect: innodb_buffer_pool_instances=8 is asked for, and the server "
        "of target mysql does nothing with it",
    ),
    (
        MARIADB,
        "{sets: server.innodb_flush_log_at_trx_commit, levels: [1, 7]}",
        "the level 7 is not in effect: innodb_flush_log_at_trx_commit=7 is asked for, and the "
        "server of target mysql has 3",
    ),
    (
        MARIADB,
        "{sets: server.sort_buffer_size, levels: [null, 2M]}",
        "the levels default and 2M are the same to the server of target mysql",
    ),
    (
        "{sqlite: {}}",
        "{sets: server.journal_mode, levels: [wal, nonsense]}",
        "SQLite: journal_mode=nonsense is not possible",
    ),
]


def test_a_target_that_is_a_level_has_what_it_sets(stage: Stage) -> None:
    at = "{{mysql: {{set: {{sort_buffer_size: 1M, innodb_flush_log_at_trx_commit: {}}}}}}}".format
    stage.write(factors="target: [safe, fast]")
    targets = f"targets: {{safe: {at(1)}, fast: {at(7)}}}"
    stage.file.write_text(stage.file.read_text().replace("target: {sqlite: {}}", targets))
    ended = stage.run()
    refused_before_a_trial(
        stage,
        ended,
        "the level fast is not in effect: innodb_flush_log_at_trx_commit=7 is asked for, and the "
        "server of target fast has 3",
    )


def test_a_setting_that_follows_a_factor_is_of_its_levels(stage: Stage) -> None:
    target = "{mysql: {set: {innodb_flush_log_at_trx_commit: '{threads} + 1'}}}"
    factors = "threads: {sets: load.clients, levels: [1, 6]}"
    ended = stage.write(target=target, factors=factors).run()
    refused_before_a_trial(
        stage,
        ended,
        "the level 6 is not in effect: innodb_flush_log_at_trx_commit=7 is asked for, and the "
        "server of target mysql has 3",
    )


@pytest.mark.parametrize(("target", "factor", "message"), NO_LEVELS)
def test_what_is_no_level_is_found_by_plan_and_before_the_first_trial(
    stage: Stage, target: str, factor: str, message: str
) -> None:
    stage.write(target=target, factors=f"level: {factor}")
    planned = call(["plan", stage.file, "--json"])
    assert planned.status == 2
    assert message in json.loads(planned.output)["problems"][0]
    refused_before_a_trial(stage, stage.run(), message)


@pytest.mark.parametrize(
    ("target", "factor", "message"),
    [
        (
            "{postgresql: {}}",
            "{sets: server.work_mem, levels: [4MB, 4096kB]}",
            "the levels 4MB and 4096kB are the same to the server of target postgresql: it has "
            "work_mem=4MB for both",
        ),
        (
            "{sqlite: {}}",
            "{sets: server.synchronous, levels: [full, 2]}",
            "the levels full and 2 are the same to the server of target sqlite",
        ),
    ],
)
def test_what_only_a_start_shows_is_found_before_the_first_trial(
    stage: Stage, target: str, factor: str, message: str
) -> None:
    ended = stage.write(target=target, factors=f"level: {factor}").run()
    refused_before_a_trial(stage, ended, message)


def refused_before_a_trial(stage: Stage, ended: Ended, message: str) -> None:
    assert ended.status == 2
    assert ended.errors.count(message) == 1
    assert stage.statuses() == {}
