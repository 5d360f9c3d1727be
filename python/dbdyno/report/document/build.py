"""From ``Findings`` to the document that every format of a report is written from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import dbdyno
from dbdyno.analysis.findings import Findings
from dbdyno.report.by_case import by_case
from dbdyno.report.document.model import Document, Section
from dbdyno.report.language import (
    Language,
    in_language,
    message,
    moment,
    say,
    sentences,
    template,
    translated,
)
from dbdyno.report.sections import (
    answer,
    conformance,
    cost,
    differences,
    errors,
    generators,
    glossary,
    hosts,
    limits,
    over_time,
    published,
    resources,
    response_time,
    scaling,
    servers,
    setup,
    sizes,
    steadiness,
    tested,
    throughput,
    told,
    trials,
    verdicts,
    warnings,
)
from dbdyno.report.words.unlike import warnings_above

BuildSection = Callable[[Findings], Section | None]

_OF_CELLS: tuple[BuildSection, ...] = (
    over_time.section,
    response_time.section,
    scaling.section,
    cost.section,
    steadiness.section,
    errors.section,
    limits.section,
    conformance.section,
    hosts.section,
    resources.section,
    servers.section,
    generators.section,
    sizes.section,
)

SECTIONS: tuple[BuildSection, ...] = (
    answer.section,
    verdicts.section,
    setup.section,
    throughput.section,
    told.section,
    *_OF_CELLS,
    published.section,
    warnings.section,
    differences.section,
    trials.section,
    tested.section,
    glossary.section,
)
"""In the order in which a reader sees them. A section that has nothing to say is None."""

_SHORT_NAMES = frozenset({*_OF_CELLS, warnings.section, trials.section})
"""Those that have each cell, under a name that is as short as can be."""

_SUMMARY: tuple[BuildSection, ...] = (answer.section,)
"""What fits on one page."""


def build_document(
    findings: Findings, generated_at: datetime, language: Language, *, is_summary: bool = False
) -> Document:
    """Return a report in a language; ``generated_at`` is shown with its time zone."""
    with in_language(language):
        described = findings if is_summary else by_case(findings)
        built = (
            build(described if build in _SHORT_NAMES else findings)
            for build in (_SUMMARY if is_summary else SECTIONS)
        )
        return Document(
            title=findings.experiment,
            kicker=say("dbdyno report"),
            question=translated(findings.question),
            facts=[
                say("written {moment}", moment=moment(generated_at)),
                say("dbdyno {version}", version=dbdyno.__version__),
            ],
            warning=sentences(warnings_above(findings)),
            sections=[section for section in built if section is not None],
            footer=_footer(findings),
            language=language,
            labels=_labels(),
        )


def _labels() -> dict[str, str]:
    return {
        "sections": say("Sections"),
        "copy": say("Copy as TSV"),
        "copied": say("Copied"),
        "save": say("Save as SVG"),
        "search": say("Search trials"),
        "theme": say("Light or dark"),
        "reading": say(
            "To read values, point at a chart, tap it or move in it with the arrow keys. To see a "
            "part of the time, drag over it or press +; a double click or Escape goes back."
        ),
        "whole": say("Show the whole time"),
        "moment": template(message("{seconds} s")),
        "round": template(message("round {number}")),
        "lowest": say("lowest of all rounds"),
        "highest": say("highest of all rounds"),
        "median": say("median of all rounds"),
    }


def _footer(findings: Findings) -> str:
    text = say(
        "Written from the trials that are stored beside this file. The figures hold for the set-up "
        "that is described here."
    )
    if any(cell.conformance for cell in findings.cells):
        return text
    return text + " " + say("They are not results of TPC or of any other organisation.")
