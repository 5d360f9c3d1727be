"""What watchers tell of CPUs as they read it, and who listens to that."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import pytest

from dbdyno.errors import RunError
from dbdyno.resources import GENERATOR, HOST, LOCAL_HOST, SERVER
from dbdyno.watch.cpu_use import CpuReading, cpu_reading
from dbdyno.watch.local import processes
from dbdyno.watch.local.watcher import LocalMember, watch_local
from dbdyno.watch.series.source import Source, Subject, Values
from dbdyno.watch.series.watcher import Watcher
from tests.unit.watch.burner import program, series, wait_for_intervals, wait_until
from tests.unit.watch.test_watch_host import BURN


def collect(watcher: Watcher) -> list[CpuReading]:
    """Return a list that what a watcher tells goes to."""
    told: list[CpuReading] = []

    def listen(duration_s: float, samples: Sequence[tuple[Subject, Mapping[str, float]]]) -> None:
        reading = cpu_reading(duration_s, samples)
        if reading is not None:
            told.append(reading)

    watcher.listen(listen)
    return told


def test_what_is_told_is_what_is_stored() -> None:
    cpu = max(os.sched_getaffinity(0))
    with program(BURN, str(cpu)) as burner:
        assert burner.stdout is not None
        burner.stdout.readline()
        members = [
            LocalMember(SERVER, "storage-1", (burner.pid,)),
            LocalMember(GENERATOR, "generator", (os.getpid(),)),
        ]
        watcher = watch_local(members, 0.1)
        told = collect(watcher)
        with watcher:
            wait_until(lambda: sum(series(watcher, SERVER, "process.cpu_user_s")) > 0.3)
    names = {use.subject for reading in told for use in reading.uses}
    assert names == {
        Subject(HOST, host=LOCAL_HOST),
        Subject(SERVER, "storage-1"),
        Subject(GENERATOR, "generator"),
    }
    of_server = [
        use.busy_cpus * reading.duration_s
        for reading in told
        for use in reading.uses
        if use.subject.role == SERVER
    ]
    stored = [
        # The last, shorter interval is stored and told nobody.
        sum(series(watcher, SERVER, metric)[: len(told)])
        for metric in ("process.cpu_user_s", "process.cpu_system_s")
    ]
    assert sum(of_server) == pytest.approx(sum(stored))
    hosts = [use for reading in told for use in reading.uses if use.subject.role == HOST]
    assert {use.cpus for use in hosts} == {os.cpu_count()}
    assert all(0 <= use.busy_cpus <= use.cpus for use in hosts if use.cpus is not None)


def test_a_source_that_fails_is_told_of_no_more() -> None:
    class Failing:
        subject = Subject(HOST, host="db1")
        left = 3

        def sample(self) -> Values:
            self.left -= 1
            if not self.left:
                raise RunError("gone")
            return {"cpu[0].busy_s": 0.01}

    class Lasting(Failing):
        subject = Subject(HOST, host="db2")
        left = 0

    @contextmanager
    def opened() -> Iterator[list[Source]]:
        yield [Failing(), Lasting()]

    watcher = Watcher("hosts", [partial(opened)], 0.02)
    told = collect(watcher)
    with watcher:
        wait_for_intervals(watcher, 4)
    first, *_, last = told
    assert [use.subject.host for use in first.uses] == ["db1", "db2"]
    assert [use.subject.host for use in last.uses] == ["db2"]
    assert watcher.failures() == ("gone",)


def test_a_listener_that_fails_does_not_end_the_watch() -> None:
    def fail(*_: object) -> None:
        raise BrokenPipeError

    watcher = watch_local([], 0.02)
    watcher.listen(fail)
    with watcher:
        wait_for_intervals(watcher, 3)


def test_members_of_one_role_share_the_limit_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has one thread, and together they have one too many."""
    monkeypatch.setattr(processes, "THREADS_MAX", 1)
    with program("input()") as one, program("input()") as other:
        members = [LocalMember(SERVER, name, (of.pid,)) for name, of in (("a", one), ("b", other))]
        alone = LocalMember(GENERATOR, "c", (one.pid,))
        with watch_local([*members, alone], 0.02) as watcher:
            wait_for_intervals(watcher, 3)
    assert len(series(watcher, SERVER, "process.voluntary_switches")) <= 1
    assert len(series(watcher, GENERATOR, "process.voluntary_switches")) > 1
