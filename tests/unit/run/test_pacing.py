"""Between trials: rest, and limits of time and disk that a run keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.file.procedure import Procedure
from dbdyno.run import pacing as module
from dbdyno.run.pacing import LimitReachedError, Pacing, rest
from tests.unit.store.result_builder import make_plan


class Clock:
    """A clock that only sleep moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, duration_s: float) -> None:
        self.now_s += duration_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_it_rests_so_long(clock: Clock) -> None:
    rest(30.05, lambda: None)
    assert clock.now_s == pytest.approx(130.05)


def test_it_ends_where_the_run_is_to_end(clock: Clock) -> None:
    def check() -> None:
        if clock.now_s > 103:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        rest(3600, check)
    assert clock.now_s < 104


def test_the_last_look_comes_after_the_rest(clock: Clock) -> None:
    looked_s = []
    rest(1, lambda: looked_s.append(clock.now_s))
    assert looked_s[-1] == pytest.approx(101)


class Log:
    """Hears which phases begin."""

    def __init__(self) -> None:
        self.phases: list[str] = []

    def begin_phase(self, phase: str, _words: str) -> None:
        self.phases.append(phase)


TRIALS = make_plan(rounds=6).trials
"""Trials of 14 s each, warm-up and window."""


def pacing_of(directory: Path, **procedure: object) -> tuple[Pacing, Log]:
    log = Log()
    pacing = Pacing(
        Procedure.model_validate(procedure),
        directory,
        log,  # type: ignore[arg-type]
        lambda: None,
    )
    return pacing, log


def test_no_trial_is_begun_that_would_end_after_the_limit(clock: Clock, tmp_path: Path) -> None:
    pacing, _ = pacing_of(tmp_path, limits={"campaign": 60})
    for trial in TRIALS[:3]:
        pacing.before(trial)
        clock.sleep(20)
    with pytest.raises(LimitReachedError) as caught:
        pacing.before(TRIALS[3])
    assert str(caught.value) == (
        "stopped before trial 4, which would end after limits.campaign (60 s): 60 s are over, and "
        "a trial takes about 20 s. What was measured is kept; to go on, for as long again, call "
        f"the same with --out {tmp_path}"
    )


def test_rest_counts_and_the_first_trial_begins_in_any_case(clock: Clock, tmp_path: Path) -> None:
    pacing, log = pacing_of(tmp_path, limits={"campaign": 70}, pause=30)
    clock.sleep(1000)
    pacing.before(TRIALS[0])
    assert log.phases == []
    pacing, log = pacing_of(tmp_path, limits={"campaign": 70}, pause=30)
    pacing.before(TRIALS[0])
    clock.sleep(15)
    pacing.before(TRIALS[1])
    assert log.phases == ["resting"]
    assert clock.now_s == pytest.approx(1145)
    clock.sleep(15)
    with pytest.raises(LimitReachedError):
        pacing.before(TRIALS[2])
    assert clock.now_s == pytest.approx(1160)


def test_what_the_result_takes_is_looked_at_before_every_trial(
    clock: Clock, tmp_path: Path
) -> None:
    pacing, _ = pacing_of(tmp_path, limits={"disk": "1M"})
    pacing.before(TRIALS[0])
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "data").write_bytes(b"x" * (2 << 20))
    with pytest.raises(
        LimitReachedError, match=r"takes 2\.0 MiB, more than limits\.disk \(1\.0 MiB\)"
    ):
        pacing.before(TRIALS[1])
