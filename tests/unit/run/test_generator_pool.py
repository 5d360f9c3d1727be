"""Several generator processes on this machine that make one load: real ones, on SQLite."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from dbdyno.database.address import Address
from dbdyno.errors import InputError, RunError
from dbdyno.generator.dataset import carry_out
from dbdyno.generator.pool import silence
from dbdyno.generator.pool.generators import TrialGenerators
from dbdyno.protocol.dataset_plan import DatasetPlan
from dbdyno.protocol.events import (
    Connected,
    End,
    GeneratorStanding,
    Started,
    TrialEvent,
    WarmupEnded,
)
from dbdyno.protocol.generators import GeneratorPart, OnLoss, SharePlan
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.protocol.trial_plan import LimitsPlan, TrialPlan, open_loop
from dbdyno.protocol.workload_plan import WorkloadPlan

LIMIT_S = 120.0
WORKLOAD: WorkloadPlan = {
    "sysbench": {"script": "oltp_point_select", "tables": 1, "table_size": 100}
}


@pytest.fixture
def address(tmp_path: Path) -> Address:
    """A database with the table of ``plan``."""
    url = f"sqlite:///{tmp_path / 'database.sqlite'}"
    carry_out(DatasetPlan(action="load", workload=WORKLOAD, seed=1, connections=1), url, None)
    return Address(url, None)


def parts(ends: tuple[int, ...]) -> tuple[GeneratorPart, ...]:
    begins = (0, *ends[:-1])
    return tuple(
        GeneratorPart(share=SharePlan(index=index, begin=begin, end=end, of=ends[-1]), workers=1)
        for index, (begin, end) in enumerate(zip(begins, ends, strict=True))
    )


def plan(
    ends: tuple[int, ...] = (1, 2),
    *,
    duration_s: float = 0.6,
    on_loss: OnLoss = "fail",
    clients: int = 4,
    rate_per_s: float = 200.0,
) -> TrialPlan:
    return TrialPlan(
        workload=WORKLOAD,
        clients=clients,
        workers=1,
        arrivals=open_loop("constant", rate_per_s),
        warmup_s=0.2,
        duration_s=duration_s,
        interval_s=0.2,
        seed=1,
        error_budget=0.0,
        limits=LimitsPlan(connect_s=10.0, statement_s=10.0, drain_s=10.0),
        generators=parts(ends),
        on_generator_loss=on_loss,
    )


Met = Callable[[TrialGenerators], None]


def run(
    address: Address, asked: TrialPlan, on_interval: Met | None = None, *, limit_s: float = LIMIT_S
) -> tuple[list[TrialEvent], tuple[int, ...]]:
    """Return all events and the processes; something happens at the second interval."""
    events: list[TrialEvent] = []
    with TrialGenerators(asked, address, silence_limit_s=limit_s) as generators:
        for event in generators.trial_events():
            events.append(event)
            intervals = sum(isinstance(each, Interval) for each in events)
            if on_interval is not None and isinstance(event, Interval) and intervals == 2:
                on_interval(generators)
        return events, generators.process_ids


def intervals(events: list[TrialEvent]) -> list[Interval]:
    return [event for event in events if isinstance(event, Interval)]


def total(events: list[TrialEvent], counter: str) -> int:
    kinds = (kind for each in intervals(events) for kind in each.transactions.values())
    return sum(getattr(kind, counter) for kind in kinds)


@pytest.mark.parametrize("ends", [(1, 2), (1, 3), (1, 2, 4)])
def test_together_they_make_the_load_of_one(address: Address, ends: tuple[int, ...]) -> None:
    events, process_ids = run(address, plan(ends))
    connected, started, *_, end = events
    assert isinstance(connected, Connected)
    assert connected.clients == 4
    assert isinstance(started, Started)
    assert isinstance(end, End)
    assert (end.status, end.lost) == ("completed", ())
    # 0.8 s at 200 a second, from the warm-up on.
    assert total(events, "scheduled") == total(events, "committed") == 160
    assert [each.index for each in intervals(events)][:4] == [-1, 0, 1, 2]
    by_generator = [0] * len(ends)
    for each in intervals(events):
        for part in each.generators:
            by_generator[part.generator_index] += part.scheduled
    shares = [part.share for part in parts(ends)]
    due = [160 * (share.end - share.begin) / share.of for share in shares]
    assert all(abs(mine - part) < 1 for mine, part in zip(by_generator, due, strict=True))
    assert sum(count.executions for count in end.statements) == 160
    assert not any(psutil.pid_exists(process_id) for process_id in process_ids)


@pytest.mark.parametrize("ends", [(1, 2), (1, 3)])
def test_they_end_a_warm_up_together_when_throughput_is_steady(
    address: Address, ends: tuple[int, ...]
) -> None:
    """A rate that the server keeps up with is steady from the beginning."""
    whole = TrialPlan(**(vars(plan(ends)) | {"warmup_s": 60.0, "warmup_least_s": 0.0}))
    events, _ = run(address, whole)
    (ended,) = [event for event in events if isinstance(event, WarmupEnded)]
    assert (ended.ended, ended.window_start is None) == ("steady", False)
    assert ended.duration_s < whole.warmup_s
    warmup = [each for each in intervals(events) if each.phase is Phase.WARMUP]
    assert len(warmup) + ended.early_intervals == 300
    assert [each.index for each in warmup] == list(range(-300, -ended.early_intervals))
    window = [each for each in intervals(events) if each.phase is Phase.WINDOW]
    assert [each.index for each in window] == [0, 1, 2]
    assert sum(sum(kind.scheduled for kind in each.transactions.values()) for each in window) == 120
    assert all(len(each.generators) == len(ends) for each in (*warmup, *window))
    assert isinstance(events[-1], End)
    assert events[-1].status == "completed"
    assert total(events, "scheduled") == total(events, "committed")


def test_their_clocks_have_started_together(address: Address) -> None:
    events, _ = run(address, plan())
    before_ns, now_ns = time.time_ns(), time.monotonic_ns()
    started = next(event for event in events if isinstance(event, Started)).window_start
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert started.boot_id == boot_id
    # Both clocks tell the same time before now.
    assert abs((before_ns - started.unix_ns) - (now_ns - started.monotonic_ns)) < 50_000_000
    assert 0 < now_ns - started.monotonic_ns < 60_000_000_000


def test_alone_it_says_just_what_it_says_without_a_pool(address: Address) -> None:
    alone = plan((1,)).of_generator(parts((1,))[0])
    events, _ = run(address, TrialPlan(**(vars(alone) | {"share": None, "start": "at_once"})))
    assert not any(each.generators for each in intervals(events))
    assert total(events, "committed") == 160


def kill_second(generators: TrialGenerators) -> None:
    os.kill(generators.process_ids[1], signal.SIGKILL)


LOST = "generator 2 of 2: the generator was ended by SIGKILL, without saying why"


def test_one_that_is_killed_is_missed_at_once_and_the_trial_fails(address: Address) -> None:
    events, _ = run(address, plan(duration_s=600.0), kill_second)
    (standing,) = (event for event in events if isinstance(event, GeneratorStanding))
    assert (standing.standing, standing.generator_index, standing.reason) == ("lost", 1, LOST)
    end = events[-1]
    assert isinstance(end, End)
    assert (end.status, end.reason) == ("failed", LOST)


def test_where_that_is_asked_for_the_others_go_on_and_the_end_is_marked(address: Address) -> None:
    asked = plan(duration_s=2.0, on_loss="finish_marked")
    events, _ = run(address, asked, kill_second)
    end = events[-1]
    assert isinstance(end, End)
    assert (end.status, end.reason) == ("completed", None)
    assert [(lost.generator_index, lost.reason) for lost in end.lost] == [(1, LOST)]
    window = [each for each in intervals(events) if each.phase == "window"]
    assert [each.index for each in window] == list(range(10))
    assert [part.generator_index for part in window[-1].generators] == [0]
    assert sum(part.scheduled for part in window[-1].generators) == 20


def test_one_that_says_nothing_is_late_then_lost_and_is_ended(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "SHORTEST_BEAT_S", 0.5)
    events, process_ids = run(
        address,
        plan(duration_s=600.0),
        lambda generators: os.kill(generators.process_ids[0], signal.SIGSTOP),
    )
    standings = [event for event in events if isinstance(event, GeneratorStanding)]
    # On a busy machine the other may have been late for a while, too.
    stopped = [each.standing for each in standings if each.generator_index == 0]
    assert stopped[-2:] == ["late", "lost"]
    end = events[-1]
    assert isinstance(end, End)
    assert end.reason == "generator 1 of 2 said nothing for 10 intervals and was given up"
    assert not any(psutil.pid_exists(process_id) for process_id in process_ids)


def test_one_that_was_stopped_for_a_while_is_back(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is late after three of these, and lost after a hundred.
    monkeypatch.setattr(silence, "LOST_INTERVALS", 100)
    standings: list[str] = []
    with TrialGenerators(plan(duration_s=600.0), address, silence_limit_s=LIMIT_S) as generators:
        second = psutil.Process(generators.process_ids[1])
        for event in generators.trial_events(lambda: "back" in standings):
            if isinstance(event, GeneratorStanding):
                if event.generator_index == 1:
                    standings.append(event.standing)
                second.resume()
            elif isinstance(event, Interval) and event.index == 1:
                second.suspend()
    assert standings[:2] == ["late", "back"]


def test_all_killed_nobody_can_say_how_it_ended(address: Address) -> None:
    def kill(generators: TrialGenerators) -> None:
        for process_id in generators.process_ids:
            os.kill(process_id, signal.SIGKILL)

    with pytest.raises(RunError, match="was ended by SIGKILL"):
        run(address, plan(duration_s=600.0), kill)


def test_asked_to_end_they_end_in_order(address: Address) -> None:
    seen: list[int] = []
    with TrialGenerators(plan(duration_s=600.0), address, silence_limit_s=LIMIT_S) as generators:
        for event in generators.trial_events(lambda: len(seen) > 2):
            if isinstance(event, Interval):
                seen.append(event.index)
    assert isinstance(event, End)
    assert event.status == "interrupted"
    assert seen == sorted(seen)


def test_a_share_without_clients_is_refused(address: Address) -> None:
    with pytest.raises(InputError, match="clients is 1: give so many that each generator has one"):
        run(address, plan(clients=1))


def test_who_does_not_connect_is_named(address: Address) -> None:
    """The error leaves the generators, as it does in a run: they are then ended at once."""
    process_ids: list[int] = []

    def run_with_one_stopped() -> None:
        with TrialGenerators(plan(), address, silence_limit_s=2.0) as generators:
            process_ids.extend(generators.process_ids)
            os.kill(process_ids[1], signal.SIGSTOP)
            list(generators.trial_events())

    missing = r"^generator 2 of 2 did not connect within 2 s$"
    with pytest.raises(RunError, match=missing):
        run_with_one_stopped()
    assert not any(psutil.pid_exists(process_id) for process_id in process_ids)
