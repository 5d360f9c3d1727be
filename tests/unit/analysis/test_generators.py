"""How much more load a generator could have made."""

from __future__ import annotations

import polars as pl
import pytest

from dbdyno.analysis.generators import headroom


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
