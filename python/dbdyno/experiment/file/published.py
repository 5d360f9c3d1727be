"""Tables of figures that somebody else has published, which a report shows beside its own."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.level_labels import LevelLabels
from dbdyno.experiment.translated import WrittenText


def _factor_alone(value: object) -> object:
    """Return the long form of ``system: target``."""
    return {"factor": value} if isinstance(value, str) else value


class Match(FileModel):
    """The factor of this experiment that a column of a table stands for."""

    factor: str = Field(description="Its name in factors.", examples=["buffer_pool"])
    levels: LevelLabels = Field(
        default={},
        description="Levels of the column, each with the factor's level that it stands for, as in "
        "{128: 128G}. Levels that are written alike need not be named.",
        examples=[{"128": "128G"}],
    )
    at: dict[str, LevelLabels] = Field(
        default={},
        description="Levels of the column that stand for a level of further factors, too, as in "
        "{GreatSQL-thdpool: {thread_pool: pool}}. The level of all others is in the source's at.",
        examples=[{"GreatSQL-thdpool": {"thread_pool": "pool"}}],
    )


class Published(FileModel):
    """Tables of one source."""

    source: WrittenText = Field(
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
        description="Factors that no column stands for, each with the level at which all was "
        "measured of which match says no other, as in {numa: bound}.",
    )
