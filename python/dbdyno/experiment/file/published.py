"""Tables of figures that somebody else has published, which a report shows beside its own."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import check_printable, describe
from dbdyno.password import without_passwords
from dbdyno.refusal import refusal


def _check_source(text: str) -> str:
    if without_passwords(text) != text:
        raise refusal("holds a password; take it out")
    return text


def _label(value: object) -> str:
    """Return a level as it is shown: ``128`` and ``128.0`` are the same."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str | int | float):
        return str(value)
    raise refusal(f"a level must be text or a number, not {describe(value)}")


def _with_labels(value: object) -> object:
    """Return a mapping of levels as texts."""
    if not isinstance(value, dict):
        return value
    return {_label(told): _label(own) for told, own in value.items()}


def _factor_alone(value: object) -> object:
    """Return the long form of ``system: target``."""
    return {"factor": value} if isinstance(value, str) else value


LevelLabels = Annotated[
    dict[str, str],
    BeforeValidator(_with_labels, json_schema_input_type=dict[str, str | int | float | bool]),
]
"""Levels by name, however they are written."""


class Match(FileModel):
    """The factor of this experiment that a column of a table stands for."""

    factor: str = Field(description="Its name in factors.", examples=["buffer_pool"])
    levels: LevelLabels = Field(
        default={},
        description="Levels of the column, each with the factor's level that it stands for, as in "
        "{128: 128G}. Levels that are written alike need not be named.",
        examples=[{"128": "128G"}],
    )


class Published(FileModel):
    """Tables of one source."""

    source: Annotated[str, AfterValidator(check_printable), AfterValidator(_check_source)] = Field(
        min_length=1,
        description="Where the figures come from, and on which machine they were measured.",
        examples=["A test of 2023, on two machines with 64 CPUs"],
    )
    files: Annotated[list[str], Field(min_length=1)] = Field(
        description="CSV, Markdown or HTML as dbdyno audit reads it, relative to this file.",
        examples=[["vendor.csv"]],
    )
    columns: str | None = Field(
        default=None,
        description="What the tables do not say, as dbdyno audit --columns takes it. Without it, "
        "NAME.audit.yaml beside each file.",
        examples=["vendor.audit.yaml"],
    )
    match: dict[
        str,
        Annotated[Match, BeforeValidator(_factor_alone, json_schema_input_type=str | Match)],
    ] = Field(
        default={},
        description="Columns of the tables, each with the factor that it stands for. The report "
        "then sets ratios of the tables beside those of this experiment.",
        examples=[{"concurrency": "terminals"}],
    )
    at: LevelLabels = Field(
        default={},
        description="Factors that no column stands for, each with the level at which all of the "
        "tables were measured, as in {numa: bound}.",
    )
