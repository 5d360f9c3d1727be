"""What a table does not say by itself: ``NAME.audit.yaml`` beside it, or a file that is named."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from dbdyno.errors import InputError
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.source import Source

SUFFIX = ".audit.yaml"

RoleName = Literal[
    "subject",
    "factor",
    "load",
    "case",
    "part",
    "round",
    "metric",
    "value",
    "quantity",
    "throughput",
    "response",
    "success",
    "errors",
    "figure",
    "claim",
    "note",
]
Level = str | int | float


class Conclusion(FileModel):
    """A sentence that was concluded from the table.

    ``than`` is what the subject is compared with; without it, every other subject. With
    ``than_where``, cells of ``where`` are compared with those of other levels, of the same subject
    unless ``than`` names another one: ``where: {memory: 256}, than_where: {memory: 128}``. Without
    a subject, it is about all of them. ``falls`` compares the best figure of a curve over load with
    the lowest beyond it; with ``than``, the curve falls more than those of the others.
    """

    says: Literal["faster", "slower", "ahead", "behind", "alike", "steadier", "falls"]
    subject: str = ""
    than: str | None = None
    where: dict[str, Level] = Field(default_factory=dict)
    than_where: dict[str, Level] = Field(default_factory=dict)
    metric: str | None = None

    @model_validator(mode="after")
    def _has_two_sides(self) -> Self:
        if not (self.subject or self.than_where or self.says == "falls"):
            raise ValueError("a claim names a subject, or the levels of than_where, or says: falls")
        return self


class Facts(FileModel):
    """Facts of the set-up that stand in no column. Durability is by subject, or for ``all``."""

    warehouses: int | None = Field(default=None, gt=0)
    paced: bool | None = None
    """Whether keying and think times were on."""
    window_s: float | None = Field(default=None, gt=0)
    warmup_s: float | None = Field(default=None, ge=0)
    success_percent: float | None = Field(default=None, ge=0)
    durability: dict[str, dict[str, str | bool | int]] = Field(default_factory=dict)


class Description(FileModel):
    """A whole description; all of it may be left out."""

    data: str | None = None
    """The file of the figures that claims are about, beside the claims' own."""
    columns: dict[str, RoleName] = Field(default_factory=dict)
    facts: Facts = Facts()
    claims: tuple[Conclusion, ...] = Field(default=(), strict=False)


NOTHING_TOLD = Description()


def description_of(path: Path, given: Path | None) -> Description:
    """Return the description of a table's file: the given one, the one beside it, or an empty one.

    ``given`` may be a folder, which then has what would be beside the file. InputError with line
    and field where it is wrong.
    """
    if given is None or given.is_dir():
        given = description_file(path, given)
        if not given.is_file():
            return NOTHING_TOLD
    if given.exists() and not given.is_file():
        raise InputError(f"{given} is damaged: it should be a regular file")
    return Source(given).read_as(Description)


def description_file(path: Path, folder: Path | None) -> Path:
    """Return where the description of a table is looked for: beside it, or in a folder."""
    return (folder or path.parent) / (path.stem + SUFFIX)
