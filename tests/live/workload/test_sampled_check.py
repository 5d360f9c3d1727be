"""``check: sample``: what a sample of a large table finds, and what it cannot."""

from __future__ import annotations

import pytest

from dbdyno.dataset.load import Dataset, Loader
from dbdyno.errors import RunError
from dbdyno.experiment.workload.registry import checked_rows_of, rows_of
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.target.base import Server
from tests.live.target.queries import query

pytestmark = pytest.mark.live

ROWS = 40_000
OUTSIDE, INSIDE = 1_500, 2_500
"""An id between the first two ranges of the sample, and one within the second."""


def test_a_sample_finds_rows_that_its_ranges_and_the_ends_of_the_table_lack(
    any_server: Server,
) -> None:
    loader = Loader(any_server, (), lambda: False, lambda done, rows: None)
    options: dict[str, str | int | float | bool] = {
        "script": "oltp_update_index",
        "tables": 1,
        "table_size": ROWS,
    }
    dataset = Dataset({"sysbench": options}, 1)
    loader.load(dataset)
    try:
        assert loader.check(dataset, is_sample=True) == loader.check(dataset)
        query(any_server, f"DELETE FROM sbtest1 WHERE id = {OUTSIDE}")
        assert loader.check(dataset, is_sample=True) is not None
        with pytest.raises(RunError, match="39999"):
            loader.check(dataset)
        query(any_server, f"DELETE FROM sbtest1 WHERE id = {INSIDE}")
        with pytest.raises(RunError, match="19999"):
            loader.check(dataset, is_sample=True)
        query(any_server, f"UPDATE sbtest1 SET id = {INSIDE} WHERE id = {ROWS}")
        with pytest.raises(RunError, match=f"1, {ROWS - 1}"):
            loader.check(dataset, is_sample=True)
    finally:
        loader.drop(dataset)


@pytest.mark.parametrize(
    ("workload", "is_part"),
    [
        ({"sysbench": {"tables": 2, "table_size": ROWS}}, True),
        ({"sysbench": {"tables": 2, "table_size": 20_000}}, False),
        ({"pgbench": {"setup": [], "scripts": [{"text": "SELECT 1"}]}}, False),
    ],
)
def test_what_is_looked_at_whole_is_stored_as_no_sample(
    workload: WorkloadPlan, is_part: bool
) -> None:
    assert (checked_rows_of(workload, is_sample=True) < rows_of(workload)) is is_part
    assert checked_rows_of(workload, is_sample=False) == rows_of(workload)
