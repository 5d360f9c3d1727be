"""What a trial plan says of its workload: the options of each kind, as JSON has them.

They are checked where a plan is made, from an experiment file or from a call, and once more by the
generator. A plan that was stored by an earlier version may lack what came later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from pydantic import GetPydanticSchema

SysbenchPlan = Mapping[str, str | int | float | bool]
"""The script and its options by name, as ``Sysbench`` in the experiment file has them."""

Constant = str | int | float | bool | None


class TpccPlan(TypedDict, total=False):
    """TPC-C's tables and transactions."""

    warehouses: int
    schema: str
    foreign_keys: bool
    indexes: list[str] | None
    """None for all that the schema has."""
    table_options: str
    partitions: int
    home_warehouse: str
    isolation: Mapping[str, str | None]
    """By kind of transaction; None for the session's."""
    delivery: str
    rollback_percent: float
    c_last_load: int
    text: str | None
    wide_texts: bool
    home_range: list[int] | None
    """The first and the last warehouse, as in ``load_range``."""
    load_range: list[int] | None
    create: list[str] | None
    """The statements that make the tables; None for the schema's own."""
    mix: Mapping[str, float]
    """A weight for each kind of transaction."""
    deck: bool
    pacing: Mapping[str, float]
    """Multiples of the specification's waits: ``keying`` and ``think``."""


class SetupStepPlan(TypedDict, total=False):
    """A statement, or a table that is filled."""

    sql: str
    fill: str
    rows: int
    columns: dict[str, dict[str, object]]


class CheckPlan(TypedDict):
    """A query, and the row that it must answer."""

    sql: str
    equals: list[str]


class DataPlan(TypedDict, total=False):
    """Tables of one's own."""

    setup: list[SetupStepPlan]
    teardown: list[str]
    checks: list[CheckPlan]


class SqlPlan(DataPlan, total=False):
    """Transactions of one's own. What is in them, the generator alone reads."""

    transactions: Mapping[str, object]
    variables: Mapping[str, object]
    expected_errors: list[str | int]


class ScriptPlan(TypedDict, total=False):
    """One of pgbench's own scripts, or a text."""

    builtin: str
    file: str
    text: str
    weight: int


class PgbenchPlan(DataPlan, total=False):
    """pgbench's scripts, on its own tables where there is no set-up."""

    scale: int
    fillfactor: int
    foreign_keys: bool
    scripts: list[ScriptPlan]
    variables: Mapping[str, Constant]
    variables_in_text: bool
    expected_errors: list[str | int]


class WorkloadPlan(TypedDict, total=False):
    """The kind of workload, which is one of these, and its options."""

    sysbench: SysbenchPlan
    tpcc: TpccPlan
    sql: SqlPlan
    pgbench: PgbenchPlan


WorkloadField = Annotated[
    WorkloadPlan,
    GetPydanticSchema(lambda _, handler: handler(Mapping[str, Mapping[str, Any]])),
]
"""The field of a plan. What a stored plan has comes back as it is, whichever version wrote it."""
