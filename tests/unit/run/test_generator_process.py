"""The generator as a process: what comes of one that dies, hangs or is asked to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from dbdyno.errors import InputError, RunError
from dbdyno.experiment.design.workers import may_have_priority
from dbdyno.generator import process
from dbdyno.generator.__main__ import BEHIND_WORKERS
from dbdyno.generator.process import GeneratorProcess
from dbdyno.protocol.events import DatasetDone, End, TrialEvent
from dbdyno.protocol.intervals import Interval
from dbdyno.protocol.waiting import PRIORITY, PRIORITY_NICE

LIMIT_S = 120.0


def plan(directory: Path, **changes: Any) -> bytes:
    """Return the plan of a loading, which has an end of its own."""
    loading = {
        "version": 1,
        "action": "load",
        "url": f"sqlite:///{directory / 'database.sqlite'}",
        "workload": {"sysbench": {"script": "oltp_point_select", "tables": 1, "table_size": 100}},
        "seed": 1,
        "connections": 1,
        "connect_s": 10.0,
    }
    return json.dumps(loading | changes).encode()


def trial(directory: Path, interval_s: float = 0.1, **changes: Any) -> bytes:
    """Return the plan of a trial that goes on for as long as nobody ends it."""
    with start(directory, plan(directory)) as loading:
        assert isinstance(list(loading.events())[-1], DatasetDone)
    loaded = json.loads(plan(directory))
    return json.dumps(
        {name: loaded[name] for name in ("version", "url", "workload", "seed")}
        | {
            "clients": 1,
            "workers": 1,
            "arrivals": {"closed": {}},
            "warmup_s": 0.0,
            "duration_s": 1000.0,
            "interval_s": interval_s,
            "retry": {"max_retries": 0, "backoff_min_ms": 1.0, "backoff_max_ms": 1.0},
            "error_budget": 0.0,
            "limits": {"connect_s": 10.0, "statement_s": 10.0, "drain_s": 10.0},
        }
        | changes
    ).encode()


def start(
    directory: Path, plan: bytes, silence_limit_s: float = LIMIT_S, password: str | None = None
) -> GeneratorProcess:
    return GeneratorProcess(
        plan,
        password=password,
        silence_limit_s=silence_limit_s,
    )


def run(
    generator: GeneratorProcess, on_interval: Callable[[], None], wants_stop: Callable[[], bool]
) -> list[TrialEvent]:
    """Return all events; something happens at the first interval."""
    events: list[TrialEvent] = []
    for event in generator.trial_events(wants_stop):
        if isinstance(event, Interval) and not any(isinstance(old, Interval) for old in events):
            on_interval()
        events.append(event)
    return events


def is_gone(process_id: int) -> bool:
    return not psutil.pid_exists(process_id)


def test_asked_to_end_it_ends_in_order(tmp_path: Path) -> None:
    asked: list[bool] = []
    with start(tmp_path, trial(tmp_path)) as generator:
        events = run(generator, lambda: asked.append(True), lambda: bool(asked))
    assert isinstance(events[-1], End)
    assert events[-1].status == "interrupted"
    assert is_gone(generator.process_id)


def test_workers_have_a_cpu_before_the_threads_that_merge_and_print(tmp_path: Path) -> None:
    nice: dict[str, set[int]] = {"workers": set(), "others": set()}

    def look() -> None:
        for thread in Path(f"/proc/{generator.process_id}/task").iterdir():
            is_worker = (thread / "comm").read_text().startswith("worker-")
            value = os.getpriority(os.PRIO_PROCESS, int(thread.name))
            nice["workers" if is_worker else "others"].add(value)

    with start(tmp_path, trial(tmp_path)) as generator:
        run(generator, look, lambda: bool(nice["others"]))
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert nice == {"workers": {own}, "others": {min(own + BEHIND_WORKERS, 19)}}


needs_priority = pytest.mark.skipif(
    not may_have_priority(), reason="NOT TESTED: a generator that goes first, which takes root"
)


@needs_priority
def test_with_priority_its_workers_and_its_session_have_more_weight(tmp_path: Path) -> None:
    seen = set[tuple[int, int]]()

    def look() -> None:
        for thread in Path(f"/proc/{generator.process_id}/task").iterdir():
            if (thread / "comm").read_text().startswith("worker-"):
                session = Path(f"/proc/{generator.process_id}/autogroup")
                weight = int(session.read_text().split()[-1]) if session.exists() else PRIORITY_NICE
                seen.add((os.getpriority(os.PRIO_PROCESS, int(thread.name)), weight))

    with start(tmp_path, trial(tmp_path, wait=PRIORITY)) as generator:
        run(generator, look, lambda: bool(seen))
    assert seen == {(PRIORITY_NICE, PRIORITY_NICE)}


@needs_priority
def test_priority_that_the_system_does_not_allow_is_refused(tmp_path: Path) -> None:
    ended = subprocess.run(
        # What root may do within its namespace is not what it may do outside.
        ["unshare", "--user", sys.executable, "-P", "-m", "dbdyno.generator"],
        input=trial(tmp_path, wait=PRIORITY) + b"\n",
        capture_output=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert ended.returncode == 2, ended.stderr
    assert b"wait: priority takes a nice value of -20" in ended.stdout


def test_killed_it_is_missed(tmp_path: Path) -> None:
    with start(tmp_path, trial(tmp_path)) as generator, pytest.raises(RunError) as error:
        run(generator, lambda: os.kill(generator.process_id, signal.SIGKILL), lambda: False)
    assert str(error.value) == "the generator was ended by SIGKILL, without saying why"


def test_saying_nothing_for_too_long_it_is_ended(tmp_path: Path) -> None:
    with pytest.raises(RunError) as error, start(tmp_path, trial(tmp_path), 1.0) as generator:
        run(generator, lambda: os.kill(generator.process_id, signal.SIGSTOP), lambda: False)
    assert str(error.value) == "the generator said nothing for 1 s"
    assert is_gone(generator.process_id)


def test_told_to_stop_and_saying_nothing_it_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "STOP_LIMIT_S", 1.0)
    asked: list[bool] = []

    def stand_still() -> None:
        os.kill(generator.process_id, signal.SIGSTOP)
        asked.append(True)

    with pytest.raises(RunError) as error, start(tmp_path, trial(tmp_path)) as generator:
        run(generator, stand_still, lambda: bool(asked))
    assert str(error.value) == "the generator said nothing for 1 s"
    assert is_gone(generator.process_id)


def test_stopped_for_a_while_it_tells_of_its_own_pause(tmp_path: Path) -> None:
    pauses_s: list[float] = []
    with start(tmp_path, trial(tmp_path)) as generator:
        for event in generator.trial_events(
            lambda: max(pauses_s, default=0.0) > 0.9 or len(pauses_s) > 99
        ):
            if isinstance(event, Interval):
                pauses_s.append(event.generator.longest_pause_s or 0.0)
            if len(pauses_s) == 1:
                os.kill(generator.process_id, signal.SIGSTOP)
                time.sleep(1.0)
                os.kill(generator.process_id, signal.SIGCONT)
    assert max(pauses_s) > 0.9


def test_a_wrong_plan_is_answered_in_words(tmp_path: Path) -> None:
    wrong = plan(tmp_path, connections=0)
    with pytest.raises(InputError) as error, start(tmp_path, wrong) as generator:
        list(generator.events())
    assert str(error.value) == "connections is 0: give a whole number from 1 to 100000"


def test_what_it_complains_before_it_ends_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('no memory left')")
    # It may have ended before it could be sent its plan, or after.
    with pytest.raises(RunError) as error, start(tmp_path, plan(tmp_path)) as generator:
        list(generator.events())
    assert str(error.value) == "the generator ended with status 1: SystemExit: no memory left"


def test_what_is_no_event_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text("print('a word of somebody else')")
    with pytest.raises(RunError) as error, start(tmp_path, plan(tmp_path)) as generator:
        list(generator.events())
    assert str(error.value) == "the generator said b'a word of somebody else', which is no event"
    assert is_gone(generator.process_id)


def test_modules_in_the_current_directory_are_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('not the right module')")
    monkeypatch.chdir(tmp_path)
    with start(tmp_path, plan(tmp_path)) as generator:
        assert isinstance(list(generator.events())[-1], DatasetDone)


def test_it_does_not_outlive_its_parent_though_it_has_nothing_to_say(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, sys\n"
        "from tests.unit.run.test_generator_process import start\n"
        "directory = pathlib.Path(sys.argv[1])\n"
        "generator = start(directory, (directory / 'plan.json').read_bytes())\n"
        "next(generator.events())\n"
        "print(generator.process_id, flush=True)\n"
        "os._exit(0)\n"
    )
    (tmp_path / "plan.json").write_bytes(trial(tmp_path, interval_s=500.0))
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT_S,
        cwd=Path(__file__).parents[3],
    )
    left = [psutil.Process(int(done.stdout))] if psutil.pid_exists(int(done.stdout)) else []
    assert psutil.wait_procs(left, LIMIT_S)[1] == []
