"""How much more load a generator could have made, and how late it was."""

from __future__ import annotations

import polars as pl
import pytest

from dbdyno.analysis.generators import headroom, largest_lag_ms, new_orders


@pytest.mark.parametrize(
    ("shares", "expected"),
    [([0.3, 0.3], 3.0), ([0.2, 0.4, None], 3.0), ([0.9], 1.0), ([0.0], None), ([], None)],
)
def test_headroom_ends_where_a_worker_is_too_busy(
    shares: list[float | None], expected: float | None
) -> None:
    assert headroom(pl.Series(shares, dtype=pl.Float64)) == (
        None if expected is None else pytest.approx(expected)
    )


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
