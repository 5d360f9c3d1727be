"""A campaign that is killed again and again: runner, generator and server by turns.

Here it is small; ``make soak`` runs it as large as in its name, with as many kills.
"""

from __future__ import annotations

import json
import os
import random
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from dbdyno.store.journal import ServerStarted, read_journal
from dbdyno.store.reader import read_result
from tests.live.run.stage import Running, Stage

pytestmark = pytest.mark.live

KILLS = int(os.environ.get("DBDYNO_KILLS", "6"))
SEED = int(os.environ.get("DBDYNO_SEED", "1"))
IS_LARGE = KILLS >= 20

CAMPAIGN = """\
experiment: campaign
question: Which server is faster, with how many connections allowed, for how many clients?
workload: {{sysbench: {{script: oltp_read_write, tables: 1, table_size: 1000}}}}
targets: {{mariadb: {{mysql: {{}}}}, postgresql: {{postgresql: {{}}}}}}
factors:
  target: [mariadb, postgresql]
  allowed: {{sets: server.max_connections, levels: {allowed}}}
  clients: {clients}
procedure: {{warmup: 0.2s, duration: 1s, interval: 0.2s, rounds: 2, attempts: 10}}
"""

VICTIMS = {"runner": "", "generator": "dbdyno.generator", "server": ""}
SERVERS = ("mariadbd", "postgres")

RUNS_MAX = 3 * KILLS + 3
"""A run that is killed before its first trial has ended gains nothing."""


@pytest.fixture
def campaign(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path)
    allowed, clients = ([100, 120, 140], [1, 2, 4]) if IS_LARGE else ([100], [1, 2])
    stage.file.write_text(CAMPAIGN.format(allowed=allowed, clients=clients))
    return stage


def victim_of(running: Running, kind: str) -> psutil.Process | None:
    """Return the process that is to be killed, if it is there."""
    if kind == "runner":
        return psutil.Process(running.process.pid)
    if kind == "generator":
        return next(iter(running.processes("dbdyno.generator")), None)
    found = [each for name in SERVERS for each in running.processes(name)]
    # The first process of a server: the others are its children.
    numbers = {each.pid for each in found}
    return next((each for each in found if each.ppid() not in numbers), None)


def kill_at_a_random_moment(running: Running, kind: str, moments: random.Random) -> bool:
    """Kill a process of a run that goes on; return whether there was one."""
    end_s = time.monotonic() + moments.uniform(0.5, 4.0)
    while time.monotonic() < end_s:
        if running.process.poll() is not None:
            return False
        time.sleep(0.05)
    deadline_s = time.monotonic() + 30
    while time.monotonic() < deadline_s and running.process.poll() is None:
        with suppress(psutil.NoSuchProcess):
            if (victim := victim_of(running, kind)) is not None:
                victim.kill()
                return True
        time.sleep(0.02)
    return False


def ended_trials(stage: Stage) -> dict[str, str]:
    """Return a hash of each file of the trials that are completed."""
    done = {f"trials/{n:04d}/" for n, status in stage.statuses().items() if status == "completed"}
    return {
        path: hash
        for path, hash in stage.fingerprints().items()
        if any(path.startswith(folder) for folder in done)
    }


def runs_until_complete(stage: Stage) -> Iterator[int]:
    """Run the same command until it ends well, and kill what it is made of; yield the kills."""
    moments = random.Random(SEED)
    kills = 0
    kept: dict[str, str] = {}
    for _ in range(RUNS_MAX):
        running = stage.launch()
        is_killed = False
        while not is_killed and running.process.poll() is None:
            kind = list(VICTIMS)[kills % len(VICTIMS)] if kills < KILLS else None
            if kind is None:
                running.process.wait(1800)
            elif kill_at_a_random_moment(running, kind, moments):
                kills += 1
                is_killed = kind == "runner"
        ended = running.end(leaves=is_killed)
        now = ended_trials(stage) if (stage.result / "trials").exists() else {}
        assert kept.items() <= now.items()
        kept = now
        yield kills
        if ended.status == 0:
            return
    raise AssertionError(f"not complete after {RUNS_MAX} runs: {ended}")


def is_listening(url: str) -> bool:
    address = urlsplit(url)
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((address.hostname, address.port)) == 0


def test_nothing_is_lost_and_nothing_is_left(campaign: Stage) -> None:
    *_, kills = runs_until_complete(campaign)
    assert kills == KILLS
    plan = json.loads((campaign.result / "plan.json").read_text())
    numbers = {trial["number"] for trial in plan["trials"]}
    assert campaign.statuses() == dict.fromkeys(numbers, "completed")
    assert len(numbers) == (36 if IS_LARGE else 8)
    result = read_result(campaign.result)
    assert (result.missing, result.unknown, result.damages) == ((), (), ())
    assert [trial.planned.number for trial in result.trials] == sorted(numbers)
    unreadable: list[str] = []
    journal = read_journal(campaign.result / "journal.jsonl", unreadable)
    assert unreadable == []
    started = [event for event in journal if isinstance(event, ServerStarted)]
    assert {event.target for event in started} == {"mariadb", "postgresql"}
    assert not any(is_listening(event.url) for event in started)
    assert not (campaign.result / "work").exists()
