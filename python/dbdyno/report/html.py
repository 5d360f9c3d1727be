"""``Findings`` as one HTML file that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import dbdyno
from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT
from dbdyno.analysis.findings import (
    Findings,
)
from dbdyno.report import (
    asked,
    charts,
    figures,
    grammar,
    matrix,
    means,
    panels,
    partial_service,
    percentiles,
    series,
)
from dbdyno.report.document.build import sections_by_id
from dbdyno.report.document.model import Part, Text
from dbdyno.report.drawing import Drawing
from dbdyno.report.words import scaling, steadiness
from dbdyno.report.words.limits import (
    NO_TRIALS,
    NOTHING,
    all_unknown,
    certainty_word,
    limit_evidence,
    limit_name,
    not_growing_words,
    time_words,
)
from dbdyno.report.words.setup import SMOKE_RUN, command, setup_rows


@dataclass(frozen=True)
class _Charts:
    """The drawings of one report."""

    throughput: list[Drawing]
    over_time: list[Drawing]
    percentiles: list[Drawing]


def render_html(findings: Findings, generated_at: datetime) -> str:
    """Return the whole report. ``generated_at`` is shown as it is, with its time zone."""
    template = _environment().get_template("report.html")
    return template.render(
        findings=findings,
        grammar=grammar.choose(findings.factors),
        charts=_Charts(
            charts.throughput(findings),
            panels.over_time(findings),
            panels.percentile_curves(findings),
        ),
        scaling_definition=scaling.DEFINITION,
        sections=sections_by_id(findings),
        section_ids=frozenset(),
        is_print=False,
        steadiness_meaning=steadiness.MEANING,
        partly_served=partial_service.note(findings.cells),
        notes_on_means=means.notes(findings),
        note_on_lines=series.note(findings),
        failed=list(asked.lines(findings)),
        notes_on_percentiles=percentiles.notes(findings),
        nothing_found=NOTHING,
        no_trials=NO_TRIALS,
        throughput_matrix=matrix.matrices(findings, THROUGHPUT),
        response_matrix=matrix.matrices(findings, RESPONSE_P95),
        response_times=lambda cell: matrix.response_of(cell, findings),
        rerun=command(is_smoke=findings.is_smoke),
        smoke_run=SMOKE_RUN if findings.is_smoke else "",
        generated_at=generated_at.strftime("%Y-%m-%d %H:%M %Z").strip(),
        version=dbdyno.__version__,
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("dbdyno.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = (
        figures.rate, figures.rate_interval, figures.milliseconds, figures.count, figures.share,
        figures.effect, figures.percent, figures.ranges, percentiles.measures,
        percentiles.table_values,
        setup_rows,
        grammar.transaction_in_words, partial_service.at_least,
        *scaling.FILTERS, *steadiness.FILTERS,
        limit_name, limit_evidence, certainty_word, not_growing_words, time_words, all_unknown,
    )  # fmt: skip
    environment.filters |= {function.__name__: function for function in names}
    environment.filters["svg"] = _svg
    environment.filters["standalone"] = _svg
    environment.filters["reachable"] = lambda text, _: _parts(text)
    environment.tests["block"] = _is_block
    environment.filters["sentence"] = _sentence
    return environment


def _svg(drawing: Drawing) -> Markup:
    """Let a drawing into the page as markup: Vega has escaped every text inside it."""
    return Markup(drawing.svg)


def _parts(text: Text) -> tuple[Part, ...]:
    """Return the parts of a text; one without marks has but itself."""
    return (text,) if isinstance(text, str) else text


def _is_block(value: object, name: str) -> bool:
    """Tell whether a block, or a part of a text, is one of a kind: ``block is block("Table")``."""
    return type(value).__name__ == name


def _sentence(words: str) -> str:
    """Begin with a capital letter and leave the rest as it is."""
    return words[:1].upper() + words[1:]
