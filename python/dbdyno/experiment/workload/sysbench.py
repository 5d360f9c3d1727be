"""sysbench's scripts, as an experiment file may ask for them.

Names, defaults and limits are those of the generator (``options.rs`` in
crates/workload), which a test holds against them.
"""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from dbdyno.experiment.file.base import FileModel
from dbdyno.refusal import refusal

HIGHEST_ID = 2**31 - 1
"""sysbench's id column is a 32-bit integer."""

Count = Annotated[int, Field(ge=0)]
RowCount = Annotated[int, Field(ge=1, le=HIGHEST_ID)]
ValueCount = Annotated[int, Field(ge=1, le=10_000)]
"""Servers take no more parameters in a statement, two for each range."""

_ENGINE = "[A-Za-z0-9]+"
"""The name becomes part of a statement, so it has to be a name."""


def _parse_engine(text: str) -> str:
    if not re.fullmatch(_ENGINE, text):
        raise refusal(f"{text!r} is not the name of an engine, such as InnoDB")
    return text


StorageEngine = Annotated[
    str,
    AfterValidator(_parse_engine),
    WithJsonSchema({"type": "string", "pattern": f"^{_ENGINE}$"}),
]

Script = Literal[
    "oltp_read_write",
    "oltp_point_select",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
    "bulk_insert",
    "select_random_points",
    "select_random_ranges",
]
Distribution = Literal["uniform", "gaussian", "special", "pareto", "zipfian"]

_OTHER_NAMES = {
    "rand_type": "distribution",
    "rand_zipfian_exp": "zipfian_exponent",
    "rand_pareto_h": "pareto_h",
    "rand_spec_pct": "special_percent",
    "rand_spec_res": "special_residual",
}
"""Options of sysbench that have a plainer name here."""

_OTHER_PLACES = {
    "threads": "load: {clients: ...}",
    "rate": "load: {rate: ...}",
    "time": "procedure: {duration: ...}",
    "warmup_time": "procedure: {warmup: ...}",
    "report_interval": "procedure: {interval: ...}",
    "rand_seed": "procedure: {seed: ...}",
}
"""Options of sysbench that are no property of the workload here."""


def _refuse_sysbench_spelling() -> dict[str, str]:
    """Say what sysbench's own spellings are called here; it takes hyphens and underscores."""
    sentences = {
        option: f"is called {name} here; write {name}: ..." for option, name in _OTHER_NAMES.items()
    } | {
        option: f"belongs under {place.partition(':')[0]}; write {place}"
        for option, place in _OTHER_PLACES.items()
    }
    return sentences | {option.replace("_", "-"): text for option, text in sentences.items()}


class Sysbench(FileModel):
    """sysbench's scripts, with sysbench's own defaults except for the distribution.

    sysbench's default, ``special``, reads a hot set that is unlike any application's and that few
    know of; ``uniform`` says what it does.
    """

    refused: ClassVar[dict[str, str]] = _refuse_sysbench_spelling()

    script: Script = Field(
        default="oltp_read_write", description="Which transaction the clients carry out."
    )
    tables: int = Field(default=1, ge=1, le=10_000, description="How many tables there are.")
    table_size: RowCount = Field(default=10_000, description="Rows in each table.")
    distribution: Distribution = Field(
        default="uniform",
        description="How ids are drawn, and the column k when the tables are filled.",
    )
    zipfian_exponent: float = Field(
        default=0.8, ge=0, le=10, description="The exponent of the distribution zipfian."
    )
    pareto_h: float = Field(
        default=0.2,
        gt=0,
        lt=1,
        description="The parameter h of the distribution pareto: with 0.2, 20 % of the rows get "
        "80 % of the accesses.",
    )
    special_percent: float = Field(
        default=1.0,
        gt=0,
        le=100,
        description="The hot share of rows of the distribution special, in percent.",
    )
    special_residual: float = Field(
        default=75.0,
        ge=0,
        le=100,
        description="The share of accesses that goes there, in percent.",
    )
    scrambled: bool = Field(
        default=False,
        description="Scatter hot rows over the table; sysbench has them side by side.",
    )
    range_size: RowCount = Field(default=100, description="Rows in each range that is selected.")
    point_selects: Count = Field(default=10, description="Selects by primary key in a transaction.")
    range_selects: bool = Field(
        default=True,
        description="false: no range is selected, whatever the four numbers that follow.",
    )
    simple_ranges: Count = Field(default=1, description="Selects of a range in a transaction.")
    sum_ranges: Count = Field(default=1, description="Sums over a range in a transaction.")
    order_ranges: Count = Field(
        default=1, description="Sorted selects of a range in a transaction."
    )
    distinct_ranges: Count = Field(
        default=1, description="Selects of the distinct values of a range in a transaction."
    )
    index_updates: Count = Field(
        default=1, description="Updates of the indexed column in a transaction."
    )
    non_index_updates: Count = Field(
        default=1, description="Updates of a column without index in a transaction."
    )
    delete_inserts: Count = Field(
        default=1, description="Rows that are deleted and inserted again in a transaction."
    )
    random_points: ValueCount = Field(
        default=10, description="Values of k in the one statement of select_random_points."
    )
    number_of_ranges: ValueCount = Field(
        default=10, description="Ranges of k in the one statement of select_random_ranges."
    )
    delta: int = Field(
        default=5,
        ge=0,
        le=HIGHEST_ID,
        description="The difference between the last and the first value of such a range.",
    )
    read_hash: bool = Field(
        default=False,
        description="true: every row that is read goes into a hash, rows_read_hash among the "
        "trial's facts, equal for equal rows. It costs the generator a look at each row.",
    )
    skip_trx: bool = Field(
        default=False,
        description="true: no BEGIN and COMMIT around the statements. Two clients may then both "
        "have deleted a row, and the second to insert it finds a duplicate key.",
    )
    auto_inc: bool = Field(
        default=True,
        description="Whether the id column numbers itself. The rows are the same, but oltp_insert "
        "without it gives ids of its own and starts with empty tables.",
    )
    secondary: bool = Field(
        default=False,
        description="true: the id has an ordinary index in place of the primary key.",
    )
    create_secondary: bool = Field(default=True, description="Whether the column k has an index.")
    mysql_storage_engine: StorageEngine = Field(
        default="InnoDB",
        description="The storage engine of the tables, on MySQL and MariaDB.",
    )
    create_table_options: str = Field(
        default="",
        description="What follows the closing parenthesis of CREATE TABLE.",
        examples=["ROW_FORMAT=COMPRESSED"],
    )
