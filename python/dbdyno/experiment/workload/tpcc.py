"""TPC-C as an experiment file says it.

Names, defaults and limits are those of the generator (``tpcc/options.rs`` in crates/workload),
which checks them once more when the file is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.file.session import Isolation
from dbdyno.experiment.workload.ddl import read_statements
from dbdyno.protocol.workload_plan import TpccPlan
from dbdyno.refusal import refusal

SchemaName = Literal["spec", "benchmarksql", "tpcc_mysql", "go_tpc", "sysbench_tpcc"]
WEIGHT_MAX = 1e9
Weight = Annotated[float, Field(ge=0, le=WEIGHT_MAX)]
MULTIPLE_MAX = 1000.0
"""The longest think time is then 33 hours."""
Multiple = Annotated[float, Field(ge=0, le=MULTIPLE_MAX)]

ROWS_PER_WAREHOUSE = 1 + 10 + 3 * 30_000 + 9_000 + 300_000 + 100_000
"""Lines of orders on average (clause 4.3.3.1)."""
ITEMS = 100_000
MOST_WAREHOUSES_CHECKED = 20
"""A warehouse takes about a second; of more than so many some are looked at (clause 3.3.2)."""
KINDS = 5
"""Of transactions."""


class Mix(FileModel):
    """How often each kind of transaction is drawn, in percent or any other measure."""

    new_order: Weight = Field(default=45.0, description="New-Order.")
    payment: Weight = Field(default=43.0, description="Payment.")
    order_status: Weight = Field(default=4.0, description="Order-Status.")
    delivery: Weight = Field(default=4.0, description="Delivery.")
    stock_level: Weight = Field(default=4.0, description="Stock-Level.")

    @model_validator(mode="after")
    def refuse_nothing(self) -> Mix:
        """Refuse weights of which nothing is drawn."""
        if sum(self.model_dump().values()) == 0:
            raise refusal("all weights are 0; give one of them more")
        return self


class IsolationByKind(FileModel):
    """The isolation of each kind of transaction, where it is not the session's."""

    new_order: Isolation | None = Field(default=None, description="Of New-Order.")
    payment: Isolation | None = Field(default=None, description="Of Payment.")
    order_status: Isolation | None = Field(default=None, description="Of Order-Status.")
    delivery: Isolation | None = Field(default=None, description="Of Delivery.")
    stock_level: Isolation | None = Field(
        default=None,
        description="Of Stock-Level; the specification is content with read_committed.",
    )


class Pacing(FileModel):
    """Waits as multiples of those of clause 5.2.5.7."""

    keying: Multiple = Field(default=1.0, description="Of the keying times; 0 is none.")
    think: Multiple = Field(default=1.0, description="Of the think times; 0 is none.")


def _form(value: object) -> str:
    return "<word>" if isinstance(value, str) else "<mapping>"


WrittenMix = Annotated[
    Annotated[Mix, Tag("<mapping>")] | Annotated[Literal["deck"], Tag("<word>")],
    Discriminator(_form),
]
WrittenPacing = Annotated[
    Annotated[Pacing, Tag("<mapping>")] | Annotated[Literal["none", "spec"], Tag("<word>")],
    Discriminator(_form),
]


def _parse_schema_name(value: object) -> object:
    """Take the tools' names as they are written elsewhere, too: tpcc-mysql, go-tpc."""
    return value.replace("-", "_") if isinstance(value, str) else value


class Tpcc(FileModel):
    """TPC-C, revision 5.11: nine tables and five transactions."""

    refused: ClassVar[dict[str, str]] = {
        "terminals": "belongs under load; write load: {clients: ...}",
        "rampup": "belongs under procedure; write procedure: {warmup: ...}",
    }

    warehouses: int = Field(default=1, ge=1, le=1_000_000, description="How many there are.")
    schema_name: Annotated[SchemaName, BeforeValidator(_parse_schema_name)] = Field(
        default="spec",
        alias="schema",
        description="Whose tables: the specification's, BenchmarkSQL's, tpcc-mysql's, go-tpc's or "
        "sysbench-tpcc's first set. Data that one of these tools has loaded can be run on, with "
        "start: continue.",
    )
    foreign_keys: bool = Field(
        default=False, description="Whether the tables have their ten foreign keys."
    )
    indexes: list[str] | None = Field(
        default=None,
        description="Indexes besides the primary keys: names of the schema's, or "
        "'table (column, …)'. Without it, all that the schema has.",
        examples=[["orders (o_w_id, o_d_id, o_c_id)"]],
    )
    table_options: str = Field(
        default="",
        description="What follows the closing parenthesis of CREATE TABLE: "
        "ENGINE=ROCKSDB, ROW_FORMAT=COMPRESSED.",
        examples=["ROW_FORMAT=COMPRESSED"],
    )
    tables: Literal["create", "existing"] = Field(
        default="create",
        description="existing: the tables are there, and empty, with their keys and indexes; they "
        "are only filled. So are those of a layer whose tables are made at its nodes.",
    )
    ddl: str | None = Field(
        default=None,
        description="A file with the statements that make the tables, with their keys and indexes, "
        "in place of the schema's own; each ends with a ; at the end of a line. The path is "
        "relative to the experiment file.",
        examples=["tables.sql"],
    )
    load_range: tuple[int, int] | None = Field(
        default=None,
        description="The first and the last warehouse that are loaded, for shards that are loaded "
        "one by one at their nodes; without it, all.",
        examples=[[1, 500]],
    )
    partitions: int = Field(
        default=0,
        ge=0,
        le=8192,
        description="Into how many partitions by warehouse each table is cut; 0 is none.",
    )
    mix: WrittenMix = Field(
        default="deck",
        description="How often each kind of transaction is drawn; deck deals from a shuffled deck "
        "of 23 cards (clause 5.2.4.2), so that each kind has its minimum share.",
    )
    home_warehouse: Literal["fixed", "random"] = Field(
        default="fixed",
        description="fixed: a terminal has one home for the whole trial, as the specification "
        "wants it. random: another for each transaction, as most tools have it.",
    )
    home_range: tuple[int, int] | None = Field(
        default=None,
        description="The first and the last home warehouse; without it, all.",
        examples=[[1, 500]],
    )
    pacing: WrittenPacing = Field(
        default="none",
        description="Keying and think times: none, the specification's, or multiples of them as "
        "in {keying: 0.1, think: 0.1}.",
    )
    isolation: IsolationByKind = Field(
        default=IsolationByKind(),
        description="The isolation of single kinds of transactions; the others have the session's.",
    )
    delivery: Literal["immediate", "deferred"] = Field(
        default="immediate",
        description="deferred: a Delivery is queued, and carried out when its terminal has time "
        "(clause 2.7.2).",
    )
    rollback_percent: float = Field(
        default=1.0,
        ge=0,
        le=100,
        description="New-Orders that name an item that there is not, in percent; the "
        "specification has 1.",
    )
    c_last_load: int = Field(
        default=157,
        ge=0,
        le=255,
        description="NURand's constant C for last names with which the tables are loaded.",
    )
    text: str | None = Field(
        default=None,
        description="A file whose words fill the texts of the tables, so that they compress as "
        "data do; the path is relative to the experiment file.",
        examples=["novel.txt"],
    )
    wide_texts: bool = Field(
        default=False,
        description="true: the texts of items, stock and customers are as wide as in Terark's "
        "tpcc-mysql.",
    )

    @property
    def waits(self) -> bool:
        """Whether terminals key in and think."""
        multiples = _multiples(self.pacing)
        return multiples.keying > 0 or multiples.think > 0

    @model_validator(mode="before")
    @classmethod
    def read_ranges(cls, value: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Read lists of two as pairs, which a strict model would refuse."""
        if not isinstance(value, dict):
            return value
        ranges = [name for name in RANGES if isinstance(value.get(name), list)]
        return value | {name: tuple(value[name]) for name in ranges}

    @model_validator(mode="after")
    def refuse_two_sources(self) -> Tpcc:
        """Refuse statements for tables that are not made."""
        if self.ddl is not None and self.tables == "existing":
            raise refusal("ddl makes the tables, and tables says that they exist; write one of two")
        return self


RANGES = ("home_range", "load_range")
"""Fields with a first and a last warehouse."""

DATASET_FIELDS = (
    *("warehouses", "schema", "foreign_keys", "indexes", "table_options", "partitions"),
    *("c_last_load", "text", "wide_texts", "create", "load_range"),
)
"""The fields that the loaded rows follow from."""


def with_path(tpcc: Tpcc, directory: Path) -> Tpcc:
    """Return the workload with the paths of its files whole; FieldError for one without tables."""
    paths = {"text": tpcc.text, "ddl": tpcc.ddl}
    whole = {name: str((directory / path).absolute()) for name, path in paths.items() if path}
    found = tpcc.model_copy(update=whole)
    try:
        _create_statements(found)
    except ValueError as error:
        raise FieldError(("workload", "tpcc", "ddl"), str(error)) from None
    return found


def plan_of(tpcc: Tpcc) -> TpccPlan:
    """Return the workload as a trial plan has it."""
    return TpccPlan(
        warehouses=tpcc.warehouses,
        schema=tpcc.schema_name,
        foreign_keys=tpcc.foreign_keys,
        indexes=tpcc.indexes,
        table_options=tpcc.table_options,
        partitions=tpcc.partitions,
        home_warehouse=tpcc.home_warehouse,
        isolation=tpcc.isolation.model_dump(),
        delivery=tpcc.delivery,
        rollback_percent=tpcc.rollback_percent,
        c_last_load=tpcc.c_last_load,
        text=tpcc.text,
        wide_texts=tpcc.wide_texts,
        home_range=None if tpcc.home_range is None else list(tpcc.home_range),
        load_range=None if tpcc.load_range is None else list(tpcc.load_range),
        create=_create_statements(tpcc),
        mix=Mix().model_dump() if tpcc.mix == "deck" else tpcc.mix.model_dump(),
        deck=tpcc.mix == "deck",
        pacing=_multiples(tpcc.pacing).model_dump(),
    )


def _create_statements(tpcc: Tpcc) -> list[str] | None:
    """Return the statements that make the tables; None for the schema's own."""
    if tpcc.tables == "existing":
        return []
    return None if tpcc.ddl is None else read_statements(tpcc.ddl)


def _multiples(pacing: Literal["none", "spec"] | Pacing) -> Pacing:
    if isinstance(pacing, Pacing):
        return pacing
    multiple = 1.0 if pacing == "spec" else 0.0
    return Pacing(keying=multiple, think=multiple)


def warehouses_of(plan: TpccPlan) -> int:
    """Return how many warehouses a trial plan loads."""
    first, last = plan.get("load_range") or (1, plan["warehouses"])
    return last - first + 1


def rows_of(plan: TpccPlan) -> int:
    """Return about how many rows a trial plan's tables have."""
    return warehouses_of(plan) * ROWS_PER_WAREHOUSE + ITEMS


def checked_rows_of(plan: TpccPlan) -> int:
    """Return about how many rows a check after a trial looks at."""
    checked = min(warehouses_of(plan), MOST_WAREHOUSES_CHECKED)
    return checked * ROWS_PER_WAREHOUSE + ITEMS


def describe_data(plan: TpccPlan) -> str:
    """Return what is loaded in words: ``TPC-C with 10 warehouses (5,090,110 rows)``."""
    warehouses = plan["warehouses"]
    number = "1 warehouse" if warehouses == 1 else f"{warehouses:,} warehouses"
    schema = "" if plan["schema"] == "spec" else f", schema {plan['schema']}"
    return f"TPC-C with {number} ({rows_of(plan):,} rows{schema})"
