"""Series of a trial's resources: the same whatever the order of the rows in the table is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from dbdyno.analysis.resources import others_cores, stolen_share, total
from dbdyno.analysis.series import Blocks, SeriesName, aligned, blocks_of, picked
from dbdyno.resources import CPU_TIMES, GENERATOR, HOST, LOCAL_HOST, SCHEMA, SERVER

Row = tuple[str, str, str, str, float, float, float]

BUSY = SeriesName("", HOST, LOCAL_HOST, "cpu.user_s")
IDLE = SeriesName("", HOST, LOCAL_HOST, "cpu.idle_s")
OTHER = SeriesName("db1", SERVER, "db1", "process.cpu_user_s")


def table(rows: Sequence[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def told(name: SeriesName, values: Sequence[float], first_s: float = 0.0) -> list[Row]:
    """Return a reading a second."""
    return [(*name, first_s + at, 1.0, value) for at, value in enumerate(values)]


def in_turn(*series: list[Row]) -> list[Row]:
    return [row for together in zip(*series, strict=True) for row in together]


def values_by_name(blocks: Blocks) -> dict[SeriesName, list[float]]:
    return {series.name: series.value.tolist() for block in blocks for series in block.series()}


def test_nothing_is_no_series() -> None:
    assert blocks_of(table([])) == ()


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_does_not_matter_but_for_that_of_readings(seed: int) -> None:
    series = told(BUSY, (1, 2, 3)), told(IDLE, (4, 5, 6)), told(OTHER, (7, 8, 9))
    regular = in_turn(*series)
    # Rows of one moment in any order: they do not come in turn any more.
    order = np.random.default_rng(seed).permuted(np.arange(9).reshape(3, 3), axis=1).ravel()
    shuffled = [regular[place] for place in order]
    for rows in (regular, shuffled, [row for each in series for row in each]):
        (block,) = blocks_of(table(rows))
        assert block.start_s.tolist() == [0, 1, 2]
        assert values_by_name((block,)) == {BUSY: [1, 2, 3], IDLE: [4, 5, 6], OTHER: [7, 8, 9]}


def test_series_that_are_not_read_together_are_apart() -> None:
    for rows in (
        in_turn(told(BUSY, (1, 2)), told(OTHER, (3, 4), first_s=0.5)),
        [*told(BUSY, (1, 2)), *told(IDLE, (3, 4)), *told(OTHER, (5,))],
    ):
        blocks = blocks_of(table(rows))
        assert [block.names[-1] for block in blocks][-1] == OTHER
        assert len(blocks) == 2


def test_what_is_not_told_of_an_interval_is_not_a_number() -> None:
    blocks = blocks_of(table([*told(BUSY, (1, 2, 3)), *told(IDLE, (5, 6), first_s=1.0)]))
    start_s, duration_s, values = aligned(picked(blocks, (BUSY.metric, IDLE.metric)))
    assert start_s.tolist() == [0, 1, 2]
    assert duration_s.tolist() == [1, 1, 1]
    assert np.array_equal(values, np.array([[1, 2, 3], [np.nan, 5, 6]]), equal_nan=True)


def test_shares_are_of_the_intervals_in_which_all_is_known() -> None:
    zeros = [
        told(SeriesName("", HOST, LOCAL_HOST, name), (0.0,) * 3)
        for name in CPU_TIMES
        if name not in ("cpu.idle_s", "cpu.steal_s")
    ]
    steal = told(SeriesName("", HOST, LOCAL_HOST, "cpu.steal_s"), (9.0, 1.0, 1.0))
    idle = told(IDLE, (3.0, 3.0), first_s=1.0)
    blocks = blocks_of(table([row for each in (*zeros, steal, idle) for row in each]))
    assert stolen_share(blocks) == pytest.approx(2 / 8)
    assert total(blocks, "cpu.steal_s") == 11
    assert others_cores(blocks) is None


def test_members_of_a_role_are_added_up() -> None:
    host = [
        told(SeriesName("", HOST, LOCAL_HOST, f"cpu.{kind}_s"), (3, 3))
        for kind in ("user", "system")
    ]
    processes = [
        told(SeriesName(member, role, LOCAL_HOST, f"process.cpu_{kind}_s"), (0.5, 0.5))
        for member, role in (("a", SERVER), ("b", SERVER), ("load", GENERATOR))
        for kind in ("user", "system")
    ]
    assert others_cores(blocks_of(table(in_turn(*host, *processes)))) == pytest.approx(6 - 3)


def test_an_embedded_database_is_a_part_of_the_generator() -> None:
    host = [
        told(SeriesName("", HOST, LOCAL_HOST, f"cpu.{kind}_s"), (3, 3))
        for kind in ("user", "system")
    ]
    generator = [
        told(SeriesName("load", GENERATOR, LOCAL_HOST, f"process.cpu_{kind}_s"), (0.5, 0.5))
        for kind in ("user", "system")
    ]
    blocks = blocks_of(table(in_turn(*host, *generator)))
    assert others_cores(blocks) is None
    assert others_cores(blocks, is_embedded=True) == pytest.approx(6 - 1)
