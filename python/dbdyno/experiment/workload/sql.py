"""A user's own SQL as a workload, as an experiment file says it.

What is wrong with the statements themselves is found by the generator's own reader
(``check_workload``), so that there is one set of rules; the forms and types are checked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, WithJsonSchema, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import describe
from dbdyno.protocol.workload_plan import DataPlan, SqlPlan
from dbdyno.refusal import refusal


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _parse_range(value: object) -> object:
    """Return two whole numbers."""
    if isinstance(value, list) and len(value) == 2 and all(map(_is_whole, value)):
        return value
    raise refusal(f"must be two whole numbers, as in [1, 1000], not {describe(value)}")


def _parse_decimals(value: object) -> object:
    """Return two numbers."""
    if isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)):
        return [float(bound) for bound in value]
    raise refusal(f"must be two numbers, as in [0.01, 99.99], not {describe(value)}")


def _parse_length(value: object) -> object:
    """Return the shortest and the longest length from ``12`` or ``[4, 12]``."""
    lengths = [value, value] if _is_whole(value) else value
    is_pair = isinstance(lengths, list) and len(lengths) == 2 and all(map(_is_whole, lengths))
    if is_pair and isinstance(lengths, list) and min(lengths) >= 0:
        return lengths
    raise refusal(f"must be a length, as in 12, or two, as in [4, 12], not {describe(value)}")


def _parse_constant(value: object) -> object:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise refusal(f"must be text, a number, true, false or null, not {describe(value)}")


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


def _schema(*types: JsonSchemaValue) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": list(types)})


_PAIR_OF_INTEGERS = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
_PAIR_OF_NUMBERS = _PAIR_OF_INTEGERS | {"items": {"type": "number"}}
_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}

WrittenConstant = Annotated[
    Any,
    BeforeValidator(_parse_constant),
    WithJsonSchema({"type": ["string", "number", "boolean", "null"]}),
]


class ShortForm(FileModel):
    """A mapping that may also be written shorter; ``short`` says how, for the JSON schema."""

    short: ClassVar[tuple[JsonSchemaValue, ...]] = ()

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the long form beside the short ones."""
        long = handler.resolve_ref_schema(handler(core_schema))
        return {"anyOf": [*cls.short, dict(long)]} if cls.short else dict(long)


class Variable(ShortForm):
    """A random variable: exactly one of int, decimal, text, sequence, choice and value."""

    short: ClassVar[tuple[JsonSchemaValue, ...]] = (_PAIR_OF_INTEGERS,)

    whole: (
        Annotated[list[int], BeforeValidator(_parse_range), _schema(_PAIR_OF_INTEGERS)] | None
    ) = Field(
        default=None,
        alias="int",
        description="Whole numbers from the first to the second.",
        examples=[[1, 1000]],
    )
    decimal: (
        Annotated[list[float], BeforeValidator(_parse_decimals), _schema(_PAIR_OF_NUMBERS)] | None
    ) = Field(
        default=None,
        description="Numbers with decimals from the first to the second.",
        examples=[[0.5, 99.5]],
    )
    decimals: Annotated[int, Field(ge=0, le=9)] | None = Field(
        default=None, description="How many decimals; without it, 2.", examples=[2]
    )
    text: (
        Annotated[
            list[int],
            BeforeValidator(_parse_length),
            _schema({"type": "integer", "minimum": 0}, _PAIR_OF_INTEGERS),
        ]
        | None
    ) = Field(
        default=None,
        description="Texts of this length, or of one between two.",
        examples=[[10, 20]],
    )
    alphabet: str | None = Field(
        default=None,
        description="The characters of texts; without it, letters and digits.",
        examples=["0123456789"],
    )
    sequence: int | None = Field(
        default=None,
        description="Whole numbers from here on, each given once, whichever client asks.",
    )
    choice: list[WrittenConstant] | None = Field(
        default=None, description="One of these values.", examples=[["new", "paid", "sent"]]
    )
    value: WrittenConstant = Field(default=None, description="Always this value.", examples=["CN"])
    distribution: Literal["uniform", "gaussian", "special", "pareto", "zipfian"] | None = Field(
        default=None, description="How numbers are spread over their range; without it, uniform."
    )
    zipfian_exponent: float | None = Field(
        default=None, ge=0, le=10, description="Of zipfian: its exponent.", examples=[0.8]
    )
    pareto_h: float | None = Field(
        default=None, gt=0, lt=1, description="Of pareto: its parameter h.", examples=[0.2]
    )
    special_percent: float | None = Field(
        default=None,
        gt=0,
        le=100,
        description="Of special: the hot share of numbers, in percent.",
        examples=[1],
    )
    special_residual: float | None = Field(
        default=None,
        ge=0,
        le=100,
        description="Of special: the share of draws that are hot, in percent.",
        examples=[75],
    )
    scrambled: bool | None = Field(default=None, description="Scatter hot numbers over the range.")

    @model_validator(mode="before")
    @classmethod
    def read_short_form(cls, value: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Read ``[1, 1000]`` as ``{int: [1, 1000]}``."""
        return {"int": value} if isinstance(value, list) else value


class Statement(ShortForm):
    """A statement with what is kept of its answer."""

    short: ClassVar[tuple[JsonSchemaValue, ...]] = (_TEXT,)

    sql: str = Field(description="The statement, with variables as :name.")
    into: Annotated[list[str], BeforeValidator(_parse_name_list), _schema(_TEXT, _TEXTS)] = Field(
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


class Column(Variable):
    """What a column is filled with: a variable, or a value that is always the same."""

    short: ClassVar[tuple[JsonSchemaValue, ...]] = (
        _PAIR_OF_INTEGERS,
        {"type": ["string", "number", "boolean", "null"]},
    )

    @model_validator(mode="before")
    @classmethod
    def read_value(cls, value: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Read ``0`` as ``{value: 0}``."""
        return value if isinstance(value, dict | list | Variable) else {"value": value}


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
    list[str], BeforeValidator(_parse_answer), _schema(_FIELD, {"type": "array", "items": _FIELD})
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
