"""What is written of an experiment when all trials are done, and how it is judged."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Strict

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.published import Published
from dbdyno.experiment.file.quantity import Share
from dbdyno.experiment.translated import LanguageCode


class Report(FileModel):
    """What is written when all trials are done."""

    languages: Annotated[
        tuple[LanguageCode, ...],
        Strict(False),
        Field(min_length=1, description="English, Chinese: a report in each of them."),
    ] = ("en",)
    formats: Annotated[
        tuple[Literal["html", "md", "pdf"], ...],
        Strict(False),
        Field(
            min_length=1,
            description="Of each report: a page, Markdown with its drawings, a PDF (which needs "
            "WeasyPrint and Pango).",
        ),
    ] = ("html",)
    margin: Annotated[Share, Field(gt=0)] | None = Field(
        default=None,
        description="Differences below it do not matter, as in 5%: where no difference is shown, "
        "the report says whether cells are equivalent, or no worse, by that.",
    )
    published: tuple[Published, ...] = Field(
        default=(),
        strict=False,
        description="Tables of figures that somebody else has measured on another machine. The "
        "report shows them in a section of their own, and no verdict rests on them.",
    )
