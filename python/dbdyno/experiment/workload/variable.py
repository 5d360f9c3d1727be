"""Random variables of a user's own workload, and columns that are filled with them, as written."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, WithJsonSchema, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import describe
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


def any_of(*types: JsonSchemaValue) -> WithJsonSchema:
    """Return the JSON schema of a value that is written in one of several ways."""
    return WithJsonSchema({"anyOf": list(types)})


_PAIR_OF_INTEGERS = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
_PAIR_OF_NUMBERS = _PAIR_OF_INTEGERS | {"items": {"type": "number"}}

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

    whole: Annotated[list[int], BeforeValidator(_parse_range), any_of(_PAIR_OF_INTEGERS)] | None = (
        Field(
            default=None,
            alias="int",
            description="Whole numbers from the first to the second.",
            examples=[[1, 1000]],
        )
    )
    decimal: (
        Annotated[list[float], BeforeValidator(_parse_decimals), any_of(_PAIR_OF_NUMBERS)] | None
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
            any_of({"type": "integer", "minimum": 0}, _PAIR_OF_INTEGERS),
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
