"""Rest between trials: as long as asked for, and no longer than the run goes on."""

from __future__ import annotations

import pytest

from dbdyno.run import pacing as module
from dbdyno.run.pacing import rest


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
