"""How much more load a generator could have made, and how late it was."""

from __future__ import annotations

import polars as pl
import pytest

from dbdyno.analysis.generators import headroom, largest_lag_ms


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
