"""Section: every verdict, in words, as a table, and drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from dbdyno.analysis.compare.metric import QUANTILES, THROUGHPUT, Metric
from dbdyno.analysis.compare.model import (
    Comparison,
    Effect,
    FactorEffect,
    PartialMean,
    Reason,
    VerdictKind,
)
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures, forest, verdicts
from dbdyno.report.document import cells
from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.model import (
    Block,
    Body,
    Bullets,
    Cell,
    Column,
    Details,
    Figure,
    Heading,
    Layout,
    Link,
    Section,
    Strong,
    Table,
    Text,
    Tone,
)
from dbdyno.report.drawn import CELLS_OF_MANY, MOST_CELLS
from dbdyno.report.language import listed, message, say, say_count, sentences
from dbdyno.report.words.comparisons import all_of, verdict_word
from dbdyno.report.words.metrics import metric_name
from dbdyno.report.words.places import common_places, named_factors, place
from dbdyno.report.words.throughput import measure_heading, measure_words

TRIALS_OWN = message(
    "Means and effects are of the trials' own percentiles. Those of all trials merged, under "
    "Response time, have other ratios where rounds scatter."
)

_TONES = {VerdictKind.BETTER: Tone.BETTER, VerdictKind.WORSE: Tone.WORSE}


def section(findings: Findings) -> Section | None:
    """Return the section; None where nothing is compared."""
    if not verdicts.factors_compared(findings):
        return None
    blocks = [_table(findings), *_drawn(findings), *_in_words(findings), *_other_metrics(findings)]
    return Section("verdicts-in-full", say("Verdicts"), blocks)


def _in_words(findings: Findings) -> Iterator[Block]:
    """Yield the sentences, folded: those that matter most are in the answer."""
    said: list[Block] = []
    count = 0
    for factor, comparisons in verdicts.factors_compared(findings):
        items = verdicts.in_short(factor, comparisons, findings)
        if len(comparisons) <= MOST_CELLS:
            items += [verdicts.said(each, findings) for each in comparisons]
            count += len(comparisons)
        if items:
            said += [Heading(factor), Bullets(items)]
    if count:
        yield Details(
            say_count("{count} verdict in words", "{count} verdicts in words", count), said
        )


def _table(findings: Findings) -> Table:
    wholes, partial = verdicts.wholes(findings), verdicts.partial_means(findings)
    compared = verdicts.factors_compared(findings)
    everywhere, own = common_places([comparisons for _, comparisons in compared])
    bodies = [
        Body(
            [
                *_whole_rows(findings, wholes.get(factor, [])),
                *_partial_rows(partial.get(factor, [])),
                *_rows(findings, comparisons),
            ],
            say("{factor}, at {place}", factor=factor, place=where) if where else factor,
        )
        for (factor, comparisons), where in zip(compared, own, strict=True)
    ]
    measured = metric_name(findings.metric, findings.measure)
    if findings.measure.kind:
        measured = say("{metric}, {unit}", metric=measured, unit=measure_words(findings.measure))
    caption: Text = (
        say("Verdicts on {metric}.", metric=measured),
        " ",
        *((say("All else at {place}.", place=everywhere), " ") if everywhere else ()),
        say(
            "The effect is the difference from the baseline. A difference counts as shown only "
            "after the correction for all others. Intervals are not corrected: each is at 95 %, "
            "for itself alone, and one that leaves out zero may still be undecided."
        ),
        " ",
        Link(say("Method"), "tested"),
    )
    unit = measure_heading(findings.measure)
    is_throughput = findings.metric == THROUGHPUT
    heading = say("{unit}, baseline → level", unit=unit) if is_throughput else _means_heading()
    columns = _columns(findings, heading)
    return Table(say("Verdicts"), caption, columns, bodies, id="verdicts")


def _means_heading() -> str:
    return say("means, baseline → level")


def _columns(findings: Findings, means_heading: str) -> list[Column]:
    columns = [Column(say("compared"))]
    if _is_placed(findings):
        columns.append(Column(say("at")))
    columns += [
        Column(say("verdict")),
        cells.number(say("effect")),
        cells.number(say("95 % interval")),
        cells.number(say("rounds")),
        cells.number(means_heading),
    ]
    return columns


def _is_placed(findings: Findings) -> bool:
    """Tell whether any comparison names levels of other factors, or is over some."""
    compared = verdicts.factors_compared(findings)
    return bool(verdicts.wholes(findings)) or any(named_factors(each) for _, each in compared)


def _whole_rows(findings: Findings, wholes: Iterable[FactorEffect]) -> Iterator[Sequence[Cell]]:
    """Yield a row for each level over all combinations."""
    is_placed = _is_placed(findings)
    for whole in wholes:
        at = [Cell(verdicts.scope(whole, findings) or all_of(whole))] if is_placed else []
        yield [_header(whole), *at, *_verdict(whole), cells.NONE]


def _partial_rows(effects: Iterable[tuple[str, PartialMean]]) -> Iterator[Sequence[Cell]]:
    """Yield a row for each mean over some factors, without a verdict: none of them is tested."""
    for where, each in effects:
        at = say("{place}, mean over {factors}", place=where, factors=listed(each.over))
        figure = _effect(each.effect)
        yield [_header(each), Cell(at), Cell(say("mean"), tone=Tone.FAINT), *figure, cells.NONE]


def _rows(findings: Findings, comparisons: Iterable[Comparison]) -> Iterator[Sequence[Cell]]:
    """Yield a row for each cell."""
    is_placed = _is_placed(findings)
    # Other metrics are known at fewer places: which ones these are is said as of throughput.
    named = {
        factor: named_factors(of_factor)
        for factor, of_factor in verdicts.factors_compared(findings)
    }
    for each in comparisons:
        at = [Cell(place(each, named[each.factor]) or figures.ABSENT)] if is_placed else []
        means = Cell(verdicts.means(each, findings) or figures.ABSENT)
        yield [_header(each), *at, *_verdict(each), means]


def _header(compared: verdicts.Compared) -> Cell:
    return cells.header(verdicts.compared_in_words(compared))


def _verdict(compared: Comparison | FactorEffect) -> list[Cell]:
    word = verdict_word(compared.kind, compared.metric)
    verdict = Cell(word, tone=_TONES.get(compared.kind, Tone.FAINT))
    found = compared.effect
    if found is None:
        return [verdict, cells.NONE, cells.NONE, cells.count(compared.rounds)]
    return [verdict, *_effect(found)]


def _effect(found: Effect) -> list[Cell]:
    effect, interval = figures.effect_of(found)
    return [Cell(effect, value=found.percent), Cell(interval), cells.count(found.rounds)]


def _drawn(findings: Findings) -> Iterator[Block]:
    drawings = forest.effects(findings)
    if drawings:
        title = say("Effect on {metric}.", metric=metric_name(findings.metric, findings.measure))
        meaning = say(
            "Point and line: effect and its 95 % interval, on an axis of ratios. A filled point is "
            "a difference shown, a hollow one is not. Diamonds stand for all compared combinations "
            "of the other factors together; an arrow says that an interval goes on beyond the axis."
        )
        meaning = sentences(
            [meaning, forest.note_on_means(findings, verdicts.factors_compared(findings))]
        )
        compared = [each for _, each in verdicts.factors_compared(findings)]
        if any(
            sum(each.effect is not None for each in members) > MOST_CELLS for members in compared
        ):
            meaning = sentences([meaning, _note_on_points()])
        drawn = (each.cell for members in compared for each in forest.drawn_effects(members))
        yield Figure(
            (Strong(title), " ", meaning), drawings, Layout.WIDE, legend_of(findings, drawn)
        )


def _worth_a_row(comparisons: Sequence[Comparison]) -> Sequence[Comparison]:
    """Return all comparisons by a metric, or of very many those that show anything."""
    if len(comparisons) <= MOST_CELLS:
        return comparisons
    return [each for each in comparisons if each.kind is not VerdictKind.NO_DIFFERENCE_SHOWN]


def _note_on_points() -> str:
    return say(
        "Of a factor with more than {most} effects, {drawn} are drawn: from the lowest to the "
        "highest, evenly spread over their ranks.",
        most=MOST_CELLS,
        drawn=CELLS_OF_MANY,
    )


def _missing(shown: Container[Metric], findings: Findings) -> Iterator[str]:
    """Yield how many comparisons of these metrics have no row, and why."""
    reasons = Counter(
        comparison.reason
        for by_metric in findings.compared[1:]
        if by_metric.metric in shown
        for comparison in by_metric.comparisons
    )
    if count := reasons[Reason.FEW_TIMES]:
        yield say_count(
            "{count} comparison has no row: some round of a cell had too few transactions for the "
            "percentile.",
            "{count} comparisons have no row: some round of a cell had too few transactions for "
            "the percentile.",
            count,
        )
    if count := reasons[Reason.UNLIKE_CLIENTS]:
        yield say_count(
            "{count} comparison has no row: of one cell clearly fewer clients waited for the "
            "server (†).",
            "{count} comparisons have no row: of one cell clearly fewer clients waited for the "
            "server (†).",
            count,
        )


def _other_metrics(findings: Findings) -> Iterator[Block]:
    others = verdicts.secondary(findings)
    bodies = [
        Body(
            [
                *_whole_rows(findings, effects),
                *_rows(findings, _worth_a_row(comparisons)),
            ],
            metric_name(metric, findings.measure),
        )
        for metric, comparisons, effects in others
    ]
    if bodies:
        caption = say(
            "What was compared besides, with a small share of the report's level of significance."
        )
        if any(len(comparisons) > MOST_CELLS for _, comparisons, _ in others):
            left_out = say("Cells of which no difference was shown are left out, as they are many.")
            caption = sentences([caption, left_out])
        # A reader has the percentiles of all trials merged elsewhere.
        if any(metric in QUANTILES for metric, *_ in others):
            caption = sentences([caption, say(TRIALS_OWN)])
        caption = sentences([caption, *_missing({metric for metric, *_ in others}, findings)])
        columns = _columns(findings, _means_heading())
        label = say("Other figures compared")
        table = Table(label, caption, columns, bodies, id="other-verdicts")
        yield Details(
            say("Response times, steadiness and the other figures, compared alike"), [table]
        )
