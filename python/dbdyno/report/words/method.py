"""The method, stated once for all figures of a report."""

from __future__ import annotations

from dbdyno.analysis.compare.cells import SECONDARY
from dbdyno.analysis.compare.judge import REST
from dbdyno.analysis.compare.power import SIGNIFICANCE
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.report.words.comparisons import NAMES
from dbdyno.report.words.throughput import counted_many


def method_paragraphs(findings: Findings) -> list[str]:
    """Return how the figures came about, a paragraph for each idea."""
    return [_means(findings.measure), *_verdicts(findings), _times()]


def _means(measure: ThroughputMeasure) -> str:
    counted = "what was" if measure.kind is None else f"the {counted_many(measure)} that were"
    return (
        f"Throughput of a trial is {counted} committed or rolled back on purpose in its window, "
        f"per {'second' if measure.period_s == 1 else 'minute'}. A cell's throughput is the "
        "geometric mean over the rounds that the compared cells have in common, with a 95 % "
        "interval of Student's t on the logarithms. The trial is the unit, not the second. Cells "
        "are compared within rounds: the mean of the logarithms of the rounds' ratios, with a 95 % "
        "interval, given as a percentage. So the ratio of two means is the effect."
    )


def _verdicts(findings: Findings) -> list[str]:
    if not findings.compared:
        return []
    primary = findings.compared[0]
    name = NAMES[primary.metric.name]
    question = primary.tests[0].factor if primary.tests else ""
    total = SIGNIFICANCE * (1 + REST + SECONDARY * (1 + REST))
    paragraphs = [
        f"The question is answered by {name}. A factor is asked first: does a level differ from "
        "the baseline on the mean of all combinations of the other factors, or does its effect "
        "depend on them? Only where it does, its levels and single cells are judged, with Holm's "
        "correction for their number. Elsewhere there is an effect with its interval, and no "
        f"verdict. The factor {question} is asked at a level of significance of "
        f"{SIGNIFICANCE:.0%}; the other factors, and the other figures, share a small level, and "
        "have that one as well where it has shown a difference. If nothing differed at all, the "
        "chance that the whole report calls anything a difference would be at most "
        f"{total:.1%}. So an interval that excludes zero is not always a difference shown.".replace(
            "%", " %"
        )
    ]
    moderated = [test.factor for test in primary.tests if test.is_moderated]
    if moderated and any(
        each.effect is not None and each.effect.freedom > each.effect.rounds - 1
        for each in primary.comparisons
    ):
        paragraphs.append(
            f"Cells that differ in {' or '.join(moderated)} ran next to each other, so that the "
            "variances of these comparisons are drawn towards each other (Smyth 2004)."
        )
    if findings.looks > 1:
        paragraphs.append(
            f"Rounds were added after the result could be looked at, so that this is look "
            f"{findings.looks}: each look has a level of significance of "
            f"{SIGNIFICANCE / findings.looks:.1%}.".replace("%", " %")
        )
    return paragraphs


def _times() -> str:
    return (
        "Percentiles come from merged histograms of all valid trials of a cell and are never "
        "averaged; cells are compared by the percentiles of their trials. Response time counts "
        "from the scheduled start, service time from the real one."
    )
