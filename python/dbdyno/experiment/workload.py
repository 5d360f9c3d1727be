"""The workloads that an experiment file may ask for."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dbdyno.experiment.base import FileModel

Count = Annotated[int, Field(ge=0)]
RowCount = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""At most what fits into sysbench's id column."""


class Sysbench(FileModel):
    """sysbench's OLTP scripts, with sysbench's own defaults except for the distribution.

    sysbench's default, ``special``, reads a hot set that is unlike any application's and that few
    know of; ``uniform`` says what it does.
    """

    refused: ClassVar[dict[str, str]] = {
        name: f"is fixed at sysbench's {value} in this release; remove it"
        for name, value in (
            ("zipfian_exponent", "0.8"),
            ("pareto_h", "0.2"),
            ("special_percent", "1"),
            ("special_residual", "75"),
        )
    }

    script: Literal[
        "oltp_read_write",
        "oltp_point_select",
        "oltp_read_only",
        "oltp_write_only",
        "oltp_update_index",
        "oltp_update_non_index",
    ] = Field(default="oltp_read_write", description="Which transaction the clients carry out.")
    tables: int = Field(default=1, ge=1, le=10_000, description="Number of tables.")
    table_size: RowCount = Field(default=10_000, description="Rows in each table.")
    distribution: Literal["uniform", "gaussian", "special", "pareto", "zipfian"] = Field(
        default="uniform",
        description="How row ids are drawn, when loading (column k) and when running.",
    )
    range_size: RowCount = Field(default=100, description="Rows in each range query.")
    point_selects: Count = Field(default=10, description="Point selects in a transaction.")
    simple_ranges: Count = Field(default=1, description="Range selects in a transaction.")
    sum_ranges: Count = Field(default=1, description="SELECT SUM() ranges in a transaction.")
    order_ranges: Count = Field(default=1, description="ORDER BY ranges in a transaction.")
    distinct_ranges: Count = Field(
        default=1, description="SELECT DISTINCT ranges in a transaction."
    )
    index_updates: Count = Field(
        default=1, description="Updates of the indexed column in a transaction."
    )
    non_index_updates: Count = Field(default=1, description="Updates of column c in a transaction.")
    delete_inserts: Count = Field(
        default=1, description="Pairs of DELETE and INSERT in a transaction."
    )
    skip_trx: bool = Field(default=False, description="Leave BEGIN and COMMIT out.")


DATASET_FIELDS = ("tables", "table_size", "distribution")
"""The fields of ``Sysbench`` that the loaded rows follow from; column k has the distribution."""


class Workload(FileModel):
    """What the clients do; exactly one kind."""

    refused: ClassVar[dict[str, str]] = {
        "tpcc": "TPC-C is not in this release; use sysbench",
    }

    sysbench: Sysbench
