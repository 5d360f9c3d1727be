"""The method, stated once for all figures of a report."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.compare.cells import SECONDARY
from dbdyno.analysis.compare.model import MetricComparisons
from dbdyno.analysis.compare.multiple_testing import REST
from dbdyno.analysis.compare.power import SIGNIFICANCE
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.report import figures
from dbdyno.report.language import either, say, sentences
from dbdyno.report.words.metrics import metric_name
from dbdyno.report.words.partial_matrix import cells_line


def method_paragraphs(findings: Findings) -> list[str]:
    """Return how the figures came about, a paragraph for each idea."""
    if findings.imported is not None:
        return [sentences([_of_others(), _means(), _apart()]), *_verdicts(findings)]
    compared = _two_results() if findings.is_of_two_results else _within_rounds()
    counted = sentences([_counted(findings.measure), _means(), compared])
    cells = [line] if (line := cells_line(findings)) else []
    return [counted, *cells, *_verdicts(findings), _times()]


def _of_others() -> str:
    return say("All figures are those of the sources.")


def _means() -> str:
    """Return what a cell's mean is, and where its interval is too narrow."""
    return say(
        "A cell's throughput is the geometric mean over its rounds, with a 95 % interval of "
        "Student's t on the logarithms. That interval takes the rounds for a random sample: where "
        "the machine drifts, or a trial is slow now and then, it may be too narrow. The trial is "
        "the unit, not the second."
    )


def _apart() -> str:
    return say(
        "The sources do not say which rounds ran side by side, so cells are compared by Welch's t "
        "test, as if none did."
    )


def _within_rounds() -> str:
    return say(
        "Cells are compared within rounds: the mean of the logarithms of the ratios of the rounds "
        "that both have, with a 95 % interval, given as a percentage. What slows a whole round is "
        "in the intervals of the means, and not in that. Where both have the same rounds, the "
        "ratio of two means is the effect."
    )


def _two_results() -> str:
    return say(
        "An effect is the ratio of two means, given as a percentage with a 95 % interval. Only "
        "cells of one result are compared within rounds."
    )


def _counted(measure: ThroughputMeasure) -> str:
    """Return which transactions are throughput: all, or TPC-C's New-Orders."""
    if measure.kind is None:
        return say(
            "Throughput of a trial is the transactions that were committed or rolled back on "
            "purpose in its window, per second."
        )
    return say(
        "Throughput of a trial is the New-Orders that were committed or rolled back on purpose in "
        "its window, per minute."
    )


def _verdicts(findings: Findings) -> Iterator[str]:
    if not findings.compared:
        return
    primary = findings.compared[0]
    yield _tests(primary, findings.measure)
    drawn = _with_drawn_variances(primary)
    moderated = [test.factor for test in primary.tests if test.is_moderated if test.factor in drawn]
    if moderated:
        yield say(
            "Cells that differ in {factors} ran next to each other, so the variances of these "
            "comparisons are drawn towards each other (Smyth 2004).",
            factors=either(moderated),
        )
    apart = [test.factor for test in primary.tests if not test.is_paired]
    if apart and findings.imported is None:
        yield say(
            "The levels of {factors} were measured at different times, so no rounds of theirs "
            "belong together. They are compared by Welch's t test on the logarithms of the rounds. "
            "What changed on the machine between the two is a part of the difference.",
            factors=either(apart),
        )
    if findings.looks > 1:
        yield say(
            "Rounds were added after the result could be looked at, so this is look {look}: each "
            "look has a level of significance of {level}.",
            look=findings.looks,
            level=figures.share(SIGNIFICANCE / findings.looks),
        )


def _tests(primary: MetricComparisons, measure: ThroughputMeasure) -> str:
    """Return what is tested in which order, at which level."""
    total = SIGNIFICANCE * (1 + REST + SECONDARY * (1 + REST))
    tested = [
        say("The question is answered by {metric}.", metric=metric_name(primary.metric, measure))
    ]
    if primary.tests:
        tested.append(
            say(
                "First the levels of {factor} are tested on the mean of all combinations of the "
                "other factors, at a level of significance of {level}. What this leaves, and a "
                "small level beside it, is shared by their single cells, the other factors and the "
                "other figures. Each of these groups is corrected for the number of its "
                "comparisons (Holm). All else has an effect with its interval, and no verdict.",
                factor=primary.tests[0].factor,
                level=figures.percent(100 * SIGNIFICANCE),
            )
        )
    tested.append(
        say(
            "The chance that the whole report calls anything a difference that is none is at most "
            "{chance}, whatever else differs. So an interval that excludes zero is not always a "
            "difference shown.",
            chance=figures.share(total),
        )
    )
    return sentences(tested)


def _with_drawn_variances(primary: MetricComparisons) -> set[str]:
    """Return the factors of which the variance of any comparison is partly that of the others."""
    unpaired = {test.factor for test in primary.tests if not test.is_paired}
    return {
        each.factor
        for each in primary.comparisons
        if each.effect is not None
        and each.factor not in unpaired
        and each.effect.freedom > each.effect.rounds - 1
    }


def _times() -> str:
    return say(
        "Percentiles of a cell come from the merged histograms of all its valid trials. Cells are "
        "compared by the geometric means of their trials' own percentiles; where rounds scatter "
        "these have other ratios. Response time counts "
        "from the scheduled start, service time from the real one."
    )
