"""What a comparison says, in words; and the method, stated once for all figures of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dbdyno.analysis.estimates import CONFIDENCE, PairedEffect
from dbdyno.analysis.findings import CellSummary, VerdictKind
from dbdyno.analysis.throughput import TRANSACTIONS, ThroughputMeasure
from dbdyno.experiment.plan import Cell


def comparison_sentence(
    factor: str,
    cell: Cell,
    baseline: Cell,
    effect: PairedEffect,
    idle_rounds: Sequence[int],
    counted: str = TRANSACTIONS.counted,
) -> str:
    """Return the verdict as a sentence; ``idle_rounds`` are those in which one did nothing."""
    subject = f"{factor}={cell.level(factor)}"
    other, place = baseline.level(factor), _place(factor, cell)
    match effect.kind:
        case VerdictKind.FASTER | VerdictKind.SLOWER:
            return (
                f"{subject} is {_amount(effect)} {effect.kind.value} than {other}{place} "
                f"({_rounds(effect.rounds)})"
            )
        case VerdictKind.NO_DIFFERENCE_SHOWN:
            return (
                f"No difference shown between {subject} and {other}{place} "
                f"({_rounds(effect.rounds)}): {_amount(effect)}; the smallest difference that this "
                f"experiment could show is {percents(effect.detectable_percent or 0.0)[0]} %"
            )
        case VerdictKind.TOO_FEW_ROUNDS:
            return (
                f"{subject} cannot be compared with {other}{place}: "
                f"{_rounds(effect.rounds)} with a valid trial of both, and two are the least"
            )
        case VerdictKind.NOT_COMPARABLE:
            return (
                f"{subject} cannot be compared with {other}{place}: one of them did not complete "
                f"a single {counted} in {_listed(idle_rounds)}, so no percentage can be given"
            )


def given_rate_sentence(factor: str, summary: CellSummary, baseline: CellSummary) -> str:
    """Return what can be said where throughput was given by an open loop and not by the server."""
    own, other = summary.cell.level(factor), baseline.cell.level(factor)
    place = _place(factor, summary.cell)
    if summary.offered_per_s != baseline.offered_per_s:
        return (
            f"{factor}={own} and {other}{place} were given different loads, so their throughput "
            f"cannot be compared: {own} {_done(summary)}, {other} {_done(baseline)}"
        )
    return (
        f"{factor}={own} and {other}{place} both kept up with the {summary.offered_per_s:,g}/s "
        "offered, so that throughput cannot tell them apart; compare response times: p99 "
        f"{_p99(summary)} against {_p99(baseline)}"
    )


def _done(summary: CellSummary) -> str:
    done = f"did {(summary.transactions_per_s or summary.throughput_per_s).mean:,.0f}/s"
    if summary.offered_per_s is None:
        return f"{done} in a closed loop"
    return f"{done} of {summary.offered_per_s:,g}/s"


def _p99(summary: CellSummary) -> str:
    """Return the largest of the transaction kinds' 99th percentiles."""
    return f"{max((each.p99_ms for each in summary.response.values()), default=math.nan):.3g} ms"


def _amount(effect: PairedEffect) -> str:
    """Return ``18 % [14, 22]``; for a slower cell, how much slower."""
    values = (effect.effect_percent or 0.0, effect.low_percent or 0.0, effect.high_percent or 0.0)
    if effect.kind is VerdictKind.SLOWER:
        values = (-values[0], -values[2], -values[1])
    centre, low, high = percents(*values)
    return f"{centre} % [{low}, {high}]"


def percents(*values: float) -> list[str]:
    """Return percentages that belong together with as many decimals as tell them apart.

    The width of an interval decides, and no end that is not zero is shown as zero, because whether
    the interval excludes zero is what the reader looks for.
    """
    width = max(values) - min(values) if len(values) > 1 else abs(values[0])
    smallest = min((abs(value) for value in values if value != 0), default=1.0)
    enough = [
        decimals
        for decimals in (0, 1, 2, 3)
        if width * 10**decimals >= 5 and smallest * 10**decimals >= 0.5
    ]
    decimals = enough[0] if enough else 3
    # Adding zero turns a negative zero, which would be printed with its sign, into a plain one.
    return [f"{value + 0.0:.{decimals}f}" for value in values]


def _place(factor: str, cell: Cell) -> str:
    rest = Cell(tuple(level for level in cell.levels if level[0] != factor))
    return f" at {rest.label()}" if rest.levels else ""


def _rounds(count: int) -> str:
    return f"{count} round" if count == 1 else f"{count} rounds"


def _listed(rounds: Sequence[int]) -> str:
    noun = "round" if len(rounds) == 1 else "rounds"
    return f"{noun} {', '.join(str(number) for number in rounds)}"


def method_text(comparisons: int, measure: ThroughputMeasure = TRANSACTIONS) -> str:
    """Return how the figures came about, including what ``comparisons`` of them do to chance."""
    confidence = f"{CONFIDENCE:.0%}".replace("%", " %")
    text = (
        f"Throughput of a trial is {_counted(measure)} in its window, per "
        f"{'second' if measure.period_s == 1 else 'minute'}. "
        "A cell's throughput is the geometric mean over the rounds that the compared cells have in "
        f"common, with a {confidence} interval of Student's t on the logarithms; the trial is the "
        "unit, not the second. Two cells are compared within rounds: the mean of the logarithms of "
        f"the rounds' ratios, with a {confidence} t interval, given as a percentage. So the ratio "
        "of two means is the effect. One is called faster or slower only "
        "where that interval excludes zero; otherwise the smallest true difference is stated that "
        "the experiment would have shown with 80 % probability, given the scatter that was seen. "
        "Percentiles come from merged histograms of all valid trials of a cell and are never "
        "averaged. Response time counts from the scheduled start, service time from the real one."
    )
    if comparisons < 2:
        return text
    expected = f"{comparisons * (1 - CONFIDENCE):.2g}"
    return (
        f"{text} Each interval stands for its own comparison only: if nothing differed at all, "
        f"about {expected} of the {comparisons} comparisons would still be expected to show a "
        "difference."
    )


def _counted(measure: ThroughputMeasure) -> str:
    counted = "what was" if measure.kind is None else f"the {measure.counted}s that were"
    return f"{counted} committed or rolled back on purpose"
