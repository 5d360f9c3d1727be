"""A user's own SQL as a workload, as an experiment file says it.

What is wrong with the statements themselves is found by the generator's own reader
(``check_workload``), so that there is one set of rules; the forms and types are checked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BeforeValidator, Field, model_validator
from pydantic.json_schema import JsonSchemaValue

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import describe
from dbdyno.experiment.workload.variable import Column, ShortForm, Variable, any_of
from dbdyno.protocol.workload_plan import DataPlan, SqlPlan
from dbdyno.refusal import refusal

_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}


def _parse_name_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _parse_answer(value: object) -> object:
    """Return a row's fields in text form from one value or a list of them."""
    fields = value if isinstance(value, list) else [value]
    for field in fields:
        if field is not None and (isinstance(field, bool) or not isinstance(field, str | int)):
            raise refusal(
                f"must be what the server answers, as text or whole numbers, not {describe(field)}"
            )
    return ["NULL" if field is None else str(field) for field in fields]


class Statement(ShortForm):
    """A statement with what is kept of its answer."""

    short: ClassVar[tuple[JsonSchemaValue, ...]] = (_TEXT,)

    sql: str = Field(description="The statement, with variables as :name.")
    into: Annotated[list[str], BeforeValidator(_parse_name_list), any_of(_TEXT, _TEXTS)] = Field(
        default=[], description="The variables that take the columns of its first row."
    )
    no_row: Literal["fail", "nulls", "rollback"] | None = Field(
        default=None,
        description="Without a row the transaction fails, its variables are NULL, or it is rolled "
        "back on purpose.",
    )

    @model_validator(mode="before")
    @classmethod
    def read_short_form(cls, value: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Read a text as the statement alone."""
        return {"sql": value} if isinstance(value, str) else value


class Transaction(ShortForm):
    """One kind of transaction."""

    short: ClassVar[tuple[JsonSchemaValue, ...]] = (
        _TEXT,
        {"type": "array", "items": {"type": ["string", "object"]}},
    )

    statements: list[Statement] = Field(
        description="Its statements, in order.",
        examples=[["UPDATE t SET v = v + 1 WHERE id = :id"]],
    )
    weight: int = Field(
        default=1, ge=1, description="How often it is chosen, relative to the others."
    )
    variables: dict[str, Variable] = Field(
        default={}, description="Variables of its own.", examples=[{"id": [1, 1000]}]
    )
    expected_errors: list[str | int] = Field(
        default=[],
        description="Errors that are counted and are no failure.",
        examples=[["duplicate_key"]],
    )

    @model_validator(mode="before")
    @classmethod
    def read_short_form(cls, value: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Read one statement, or a list of them, as the statements alone."""
        if isinstance(value, str):
            return {"statements": [value]}
        if isinstance(value, list):
            return {"statements": value}
        if isinstance(value, dict) and isinstance(value.get("statements"), str):
            return value | {"statements": [value["statements"]]}
        return value


class SetupStep(ShortForm):
    """A statement of the set-up, or a table to fill."""

    short: ClassVar[tuple[JsonSchemaValue, ...]] = (_TEXT,)

    sql: str | None = Field(
        default=None,
        description="A statement.",
        examples=["CREATE TABLE t (id INT PRIMARY KEY, v INT)"],
    )
    fill: str | None = Field(default=None, description="A table that is filled with rows.")
    rows: int | None = Field(default=None, ge=1, description="How many rows.")
    columns: dict[str, Column] | None = Field(
        default=None, description="Its columns, each a variable or a value."
    )

    @model_validator(mode="before")
    @classmethod
    def read_short_form(cls, value: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Read a text as a statement."""
        return {"sql": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def check_form(self) -> SetupStep:
        """Refuse half of a form."""
        is_fill = (self.fill, self.rows, self.columns)
        if self.sql is not None and is_fill == (None, None, None):
            return self
        if self.sql is None and None not in is_fill:
            return self
        raise refusal(
            "must be a statement, or {fill: table, rows: 1000, columns: {id: {sequence: 1}}}"
        )


_FIELD = {"type": ["string", "integer", "null"]}
Answer = Annotated[
    list[str], BeforeValidator(_parse_answer), any_of(_FIELD, {"type": "array", "items": _FIELD})
]


class Sql(FileModel):
    """Transactions of one's own: statements with variables, and the tables that they need."""

    transactions: dict[str, Transaction] = Field(
        min_length=1,
        description="Each kind by name: a statement, a list of statements, or a mapping.",
        examples=[{"read": "SELECT v FROM t WHERE id = :id"}],
    )
    variables: dict[str, Variable] = Field(
        default={},
        description="Random variables that statements use as :name.",
        examples=[{"id": [1, 1000]}],
    )
    expected_errors: list[str | int] = Field(
        default=[],
        description="Errors by class (duplicate_key), number (1062) or SQLSTATE ('23505') that are "
        "counted and are no failure: the transaction is rolled back.",
        examples=[["duplicate_key", 1062]],
    )
    setup: list[SetupStep] = Field(
        default=[],
        description="Statements and fills that make the tables, once.",
        examples=[["CREATE TABLE t (id INT PRIMARY KEY, v INT)"]],
    )
    teardown: list[str] | None = Field(
        default=None,
        description="Statements that remove them; without it, tables that the set-up made are "
        "dropped.",
        examples=[["DROP TABLE IF EXISTS t"]],
    )
    checks: dict[str, Answer] = Field(
        default={},
        description="Queries and their answers, which must be so before a trial and after it.",
    )


DATASET_FIELDS = ("setup", "teardown", "checks")
"""The fields that the loaded rows follow from, or by which they are known."""


def plan_of(sql: Sql) -> SqlPlan:
    """Return the workload as a trial plan has it."""
    dumped = sql.model_dump(
        by_alias=True, exclude_none=True, exclude_defaults=True, exclude={"checks"}
    )
    plan = cast("SqlPlan", dumped)
    complete_data(plan, sql.checks)
    return plan


def complete_data(plan: DataPlan, checks: Mapping[str, list[str]]) -> None:
    """Give the set-up and the checks of a plan the form that the generator reads."""
    for step in plan.get("setup", ()):
        for column in step.get("columns", {}).values():
            # A value that is null was left out with what was not given.
            if not column:
                column["choice"] = [None]
    plan["checks"] = [{"sql": query, "equals": answer} for query, answer in checks.items()]


def rows_of(plan: SqlPlan) -> int:
    """Return how many rows a trial plan's fills have."""
    return sum(step.get("rows", 0) for step in plan.get("setup", ()))
