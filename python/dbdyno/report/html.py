"""``Findings`` as one HTML file that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import dbdyno
from dbdyno.analysis.findings import (
    Finding,
    Findings,
    Severity,
)
from dbdyno.report import (
    conformance,
    figures,
    forest,
    grammar,
    host_table,
    sizes,
    usage,
    verdicts,
)
from dbdyno.report.document.build import sections_by_id
from dbdyno.report.document.model import Part, Text
from dbdyno.report.drawing import Drawing
from dbdyno.report.language import say
from dbdyno.report.words.comparisons import (
    NAMES,
    all_of,
    comparison_sentence,
    effect_sentence,
    verdict_word,
)
from dbdyno.report.words.limits import limits_line
from dbdyno.report.words.method import method_paragraphs
from dbdyno.report.words.setup import SMOKE_RUN
from dbdyno.report.words.throughput import capitalized, measure_heading, measure_words

_SEVERITIES = (
    (Severity.INVALID, "Invalid trials", "The trials named here are not used in any figure."),
    (Severity.WARNING, "Figures to read with care", "These qualify what the figures mean."),
    (Severity.NOTE, "Notes", "Good to know; no figure is in doubt because of them."),
)


MOST_SETTINGS = 3000
"""More rows of settings that nobody chose would be most of the page."""
VALUES_SHOWN = 4
"""A setting with more values is one that servers change themselves."""


@dataclass(frozen=True)
class _Charts:
    """The drawings of one report."""

    effects: list[Drawing]


def render_html(findings: Findings, generated_at: datetime) -> str:
    """Return the whole report. ``generated_at`` is shown as it is, with its time zone."""
    template = _environment().get_template("report.html")
    return template.render(
        findings=findings,
        said=lambda comparison: "; ".join(
            filter(
                None,
                [
                    comparison_sentence(comparison, findings),
                    verdicts.means_in_words(comparison, findings),
                ],
            )
        ),
        means=lambda comparison: verdicts.means(comparison, findings),
        grammar=grammar.choose(findings.factors),
        charts=_Charts(forest.effects(findings)),
        conformance_tables=conformance.tables(findings),
        host_groups=host_table.fact_groups(findings.host),
        other_hosts=host_table.other_host_tables(findings.other_hosts),
        life=conformance.LIFE,
        size_definition=sizes.DEFINITION,
        sections=sections_by_id(findings),
        verdict_groups=verdicts.factors_compared(findings),
        wholes=verdicts.wholes(findings),
        secondary=verdicts.secondary(findings),
        method=method_paragraphs(findings),
        limits_line=limits_line(findings.limits),
        most_settings=MOST_SETTINGS,
        usage_groups=usage.groups(findings),
        smoke_run=say(SMOKE_RUN) if findings.is_smoke else "",
        warning_groups=_warning_groups(findings.warnings),
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
        figures.effect, figures.percent, figures.ranges,
        all_of, effect_sentence, verdicts.touched_in_words,
        verdicts.compared_in_words, verdicts.held_in_words, verdicts.tallies,
        conformance.what_it_is, measure_heading, measure_words,
        *conformance.FILTERS, *sizes.FILTERS,
    )  # fmt: skip
    environment.filters |= {function.__name__: function for function in names}
    environment.filters["verdict_word"] = lambda each: verdict_word(each.kind, each.metric)
    environment.filters["metric_name"] = lambda metric: NAMES[metric.name]
    environment.filters["values_in_words"] = _values_in_words
    environment.filters["svg"] = _svg
    environment.filters["parts"] = _parts
    environment.tests["block"] = _is_block
    environment.filters["sentence"] = capitalized
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


def _values_in_words(values: tuple[str, ...]) -> str:
    """Return the values of a setting; one that differs from cell to cell has several."""
    words = " or ".join(value or "(empty)" for value in values[:VALUES_SHOWN])
    left = len(values) - VALUES_SHOWN
    return f"{words} or {left} more" if left > 0 else words


def _warning_groups(
    warnings: tuple[Finding, ...],
) -> list[tuple[Severity, str, str, list[Finding]]]:
    """Return the warnings by severity, the gravest first; no empty group."""
    return [
        (severity, heading, meaning, members)
        for severity, heading, meaning in _SEVERITIES
        if (members := [warning for warning in warnings if warning.severity is severity])
    ]
