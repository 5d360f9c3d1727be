"""How much more load a generator could have made, and how late it was."""

from __future__ import annotations

import polars as pl
import pytest

from dbdyno.analysis.generators import (
    headroom,
    largest_lag_ms,
    new_orders,
    occupied_share,
)


@pytest.mark.parametrize(
    ("busy", "waited_s", "share"),
    [
        ([0.3, 0.3], [0.0, 0.0], 0.3),
        ([0.2, 0.4, None], [0.0, 0.0, 0.0], 0.3),
        ([0.9], [0.0], 0.9),
        # Each of two workers waited 0.8 s, from the first interval into the second.
        ([0.1, 0.1], [0.0, 1.6], 0.9),
        ([0.5, 0.6], [0.9, 0.9], 1.0),
        ([0.0], [0.0], 0.0),
        ([], [], None),
    ],
)
def test_headroom_ends_where_a_worker_is_too_busy(
    busy: list[float | None], waited_s: list[float], share: float | None
) -> None:
    mine = pl.DataFrame(
        {
            "busiest_worker_share": pl.Series(busy, dtype=pl.Float64),
            "run_queue_delay_s": pl.Series(waited_s, dtype=pl.Float64),
            "duration_s": pl.Series([0.5] * len(busy), dtype=pl.Float64),
        }
    )
    occupied = occupied_share(mine, workers=2)
    assert occupied == (None if share is None else pytest.approx(share))
    assert headroom(occupied) == (pytest.approx(0.9 / share) if share else None)


def test_the_lag_is_that_of_the_worst_interval_where_it_is_known() -> None:
    table = pl.DataFrame({"loop_lag_p99_ms": [0.2, None, 0.7]})
    assert largest_lag_ms(table) == pytest.approx(0.7)
    assert (
        largest_lag_ms(pl.DataFrame({"loop_lag_p99_ms": [None]}, {"loop_lag_p99_ms": float}))
        is None
    )
    # Results of earlier versions have no such column.
    assert largest_lag_ms(pl.DataFrame({"ended": [3]})) is None


@pytest.mark.parametrize(("told", "expected"), [([7, None, 3], 10), ([None], None), ([0], 0)])
def test_new_orders_are_added_up_where_they_are_known(
    told: list[int | None], expected: int | None
) -> None:
    assert new_orders(pl.DataFrame({"new_orders": told}, {"new_orders": pl.Int64})) == expected


def test_results_of_earlier_versions_do_not_have_new_orders() -> None:
    assert new_orders(pl.DataFrame({"ended": [3]})) is None
