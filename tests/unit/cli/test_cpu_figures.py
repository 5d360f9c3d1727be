"""CPUs of members and hosts as they are shown: what fits, what is old, what is of the window."""

from __future__ import annotations

import pytest

from dbdyno.cli.cpu_figures import CpuFigures, ShownUse, line_of
from dbdyno.resources import GENERATOR, HOST, LOCAL_HOST, SERVER
from dbdyno.watch.cpu_use import CpuReading, CpuUse
from dbdyno.watch.series.source import Subject

HERE = Subject(HOST, host=LOCAL_HOST)
LOADED = Subject(SERVER, "storage-3")
OTHERS = [Subject(SERVER, f"storage-{number}") for number in (1, 2, 4, 5, 6)]
MAKER = Subject(GENERATOR, "generator")


class Clock:
    """Time that passes when it is told to."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def use(subject: Subject, busy_cpus: float) -> CpuUse:
    return CpuUse(subject, busy_cpus, 2 if subject == HERE else None)


def cluster() -> list[ShownUse]:
    busy = {HERE: 1.5, OTHERS[0]: 0.1, OTHERS[1]: 0.1, LOADED: 0.9}
    busy |= dict.fromkeys((*OTHERS[2:], MAKER), 0.05)
    return [
        ShownUse(subject, cpus, 2 if subject == HERE else None) for subject, cpus in busy.items()
    ]


@pytest.mark.parametrize("width", range(40, 150))
def test_a_line_fits_and_accounts_for_all(width: int) -> None:
    line = line_of("CPUs: ", cluster(), width)
    assert len(line) <= width
    *shown, last = line.removeprefix("CPUs: ").split(", ")
    more = int(last.partition(" more")[0]) if last.endswith(" more") else 0
    assert len(shown) + (more or 1) == len(cluster())
    assert shown[0] == "host 1.50 of 2"


def test_the_busiest_are_shown_in_their_usual_order() -> None:
    assert line_of("CPUs: ", cluster(), 60) == (
        "CPUs: host 1.50 of 2, storage-1 0.10, storage-3 0.90, 5 more"
    )
    assert line_of("CPUs: ", cluster()).endswith("storage-6 0.05, generator 0.05")


def test_nothing_is_shown_where_nothing_is_watched_or_fits() -> None:
    assert line_of("CPUs: ", [], 100) == ""
    assert line_of("CPUs: ", cluster(), 10) == ""


def test_figures_of_several_watchers_stand_beside_each_other() -> None:
    figures = CpuFigures(Clock())
    figures.add(CpuReading(1.0, (use(MAKER, 0.25),)))
    figures.add(CpuReading(1.0, (use(Subject(HOST, host="db1"), 12.5), use(HERE, 1.0))))
    duration_s, uses = figures.now()
    assert duration_s == 1.0
    assert line_of("", uses) == "host 1.00 of 2, host db1 12.5, generator 0.25"


def test_a_figure_that_is_told_no_more_is_not_shown_as_if_it_were() -> None:
    clock = Clock()
    figures = CpuFigures(clock)
    figures.add(CpuReading(1.0, (use(HERE, 1.0), use(LOADED, 0.5))))
    for _ in range(4):
        clock.now_s += 1.0
        figures.add(CpuReading(1.0, (use(HERE, 0.5),)))
    assert line_of("", figures.now()[1]) == "host 0.50 of 2, storage-3 –"


def test_means_are_of_what_lies_in_the_window_alone() -> None:
    clock = Clock()
    figures = CpuFigures(clock)
    figures.window_begins(in_s=2.5, duration_s=3.0)
    for busy_cpus in (2.0, 2.0, 2.0, 0.5, 1.0, 2.0):
        clock.now_s += 1.0
        figures.add(CpuReading(1.0, (use(HERE, busy_cpus),)))
    # The third second begins in the warm-up, and the sixth ends in the drain.
    assert [each.busy_cpus for each in figures.window()] == [pytest.approx(0.75)]


def test_a_window_may_begin_earlier_than_was_said() -> None:
    clock = Clock()
    figures = CpuFigures(clock)
    figures.window_begins(in_s=60.0, duration_s=2.0)
    figures.window_is_earlier(60.0)
    clock.now_s += 1.0
    figures.add(CpuReading(1.0, (use(MAKER, 0.5),)))
    assert [each.busy_cpus for each in figures.window()] == [0.5]
    clock.now_s += 10.0
    figures.add(CpuReading(1.0, (use(MAKER, 0.1),)))
    assert [each.busy_cpus for each in figures.window()] == [0.5]
