"""What comparisons say, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dbdyno.analysis.compare.metric import Metric, MetricName
from dbdyno.analysis.compare.model import (
    SHOWN,
    Comparison,
    Effect,
    FactorEffect,
    Reason,
    VerdictKind,
)
from dbdyno.analysis.compare.power import rounds_needed
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.experiment.plan import Cell
from dbdyno.report import figures
from dbdyno.report.words.percents import percents
from dbdyno.report.words.throughput import counted_one

BEYOND_TELLING = math.log(2)
"""An interval of a factor of two to either side says nothing that anybody could use."""
WORTH_SHOWING = 0.05
"""What a reader would like to see, where the experiment names no margin."""

_BETTER_WORSE = {
    MetricName.THROUGHPUT: ("faster", "slower"),
    MetricName.VARIATION: ("steadier", "less steady"),
}
_RESPONSE = ("shorter", "longer")

NAMES = {
    MetricName.THROUGHPUT: "throughput",
    MetricName.RESPONSE_P50: "p50 of response time",
    MetricName.RESPONSE_P95: "p95 of response time",
    MetricName.RESPONSE_P99: "p99 of response time",
    MetricName.VARIATION: "variation of throughput within a trial",
}


def verdict_word(kind: VerdictKind, metric: Metric) -> str:
    """Return a verdict in one or two words of the metric: ``faster``, ``longer``, ``steadier``."""
    better, worse = _BETTER_WORSE.get(metric.name, _RESPONSE)
    return {VerdictKind.BETTER: better, VerdictKind.WORSE: worse}.get(kind, kind.value)


def effect_sentence(effect: FactorEffect) -> str:
    """Return what a level does over all combinations of the other factors."""
    where = "" if effect.combinations < 2 else f" over {all_of(effect)} combinations"
    if effect.left_out:
        where = (
            f" over {effect.combinations} of {effect.combinations + effect.left_out} combinations "
            "(the others share too few rounds)"
        )
    subject = f"{effect.factor}={effect.level}"
    if effect.effect is None:
        return (
            f"{subject} cannot be compared with {effect.baseline}{where}: {_rounds(effect.rounds)} "
            "with a valid trial of both, and two are the least"
        )
    return _said(subject, effect.baseline, where, effect.kind, effect.effect, effect.metric)


def all_of(effect: FactorEffect) -> str:
    """Return how many combinations an effect is over: ``both``, ``all 4``."""
    return "both" if effect.combinations == 2 else f"all {effect.combinations}"


def comparison_sentence(comparison: Comparison, findings: Findings) -> str:
    """Return the verdict on one cell as a sentence."""
    factor, cell = comparison.factor, comparison.cell
    subject, other = f"{factor}={cell.level(factor)}", comparison.baseline.level(factor)
    place = _place(factor, cell)
    if comparison.reason is not None:
        return _not_comparable(comparison, subject, other + place, findings)
    if comparison.effect is None:
        return (
            f"{subject} cannot be compared with {other}{place}: {_rounds(comparison.rounds)} with "
            "a valid trial of both, and two are the least"
        )
    return _said(subject, other, place, comparison.kind, comparison.effect, comparison.metric)


def _said(
    subject: str, other: str, where: str, kind: VerdictKind, effect: Effect, metric: Metric
) -> str:
    rounds = f"({_rounds(effect.rounds)})"
    if kind in SHOWN:
        return _shown(subject, other + where, kind, effect, metric)
    if kind is VerdictKind.EQUIVALENT:
        return f"{subject} and {other} are equivalent{where} {rounds}: {_amount(effect)}"
    if kind is VerdictKind.NO_WORSE:
        return f"{subject} is no worse than {other}{where} {rounds}: {_amount(effect)}"
    if is_beyond_telling(effect):
        return (
            f"Too noisy to tell {subject} from {other}{where} {rounds}"
            f"{more_rounds(effect, WORTH_SHOWING)}"
        )
    return (
        f"No difference shown between {subject} and {other}{where} {rounds}: {_amount(effect)}"
        f"{excluded(effect, metric)}{more_rounds(effect, WORTH_SHOWING)}"
    )


def _shown(subject: str, other: str, kind: VerdictKind, effect: Effect, metric: Metric) -> str:
    word, rounds = verdict_word(kind, metric), f"({_rounds(effect.rounds)})"
    amount = _amount(effect, turned=effect.percent < 0)
    if metric.name is MetricName.THROUGHPUT:
        return f"{subject} is {amount} {word} than {other} {rounds}"
    if metric.name is MetricName.VARIATION:
        less = "less" if effect.percent < 0 else "more"
        return f"{subject} is {word} than {other}: its throughput varies {amount} {less} {rounds}"
    return f"The {NAMES[metric.name]} of {subject} is {amount} {word} than that of {other} {rounds}"


def is_beyond_telling(effect: Effect) -> bool:
    """Tell whether an interval is so wide that its ends are nobody's figures."""
    ends = (effect.low_percent, effect.high_percent)
    low, high = (math.log(max(1 + each / 100, 1e-12)) for each in ends)
    return max(-low, high) > BEYOND_TELLING and low < 0 < high


def excluded(effect: Effect, metric: Metric) -> str:
    """Return which differences the interval excludes, where zero is in it."""
    if not effect.low_percent < 0 < effect.high_percent:
        return ""
    _, less, more = percents(effect.percent, -effect.low_percent, effect.high_percent)
    if metric.name is MetricName.THROUGHPUT:
        return f"; more than {more} % faster or {less} % slower is excluded"
    return f"; an increase of more than {more} % or a decrease of more than {less} % is excluded"


def more_rounds(effect: Effect, share: float) -> str:
    """Return how many rounds would show a difference with this scatter, where these do not."""
    needed = rounds_needed(math.log1p(share), effect.deviation)
    if needed is not None and needed <= effect.rounds:
        return ""
    how_many = "more than 1,000 rounds" if needed is None else f"about {needed:,} rounds"
    return f"; {share:.0%} would take {how_many} to show".replace("%", " %")


def _not_comparable(comparison: Comparison, subject: str, other: str, findings: Findings) -> str:
    by_cell = {summary.cell: summary for summary in findings.cells}
    own, base = by_cell[comparison.cell], by_cell[comparison.baseline]
    level, base_level = (
        each.level(comparison.factor) for each in (comparison.cell, comparison.baseline)
    )
    match comparison.reason:
        case Reason.IDLE:
            return (
                f"{subject} cannot be compared with {other}: one of them did not complete a single "
                f"{counted_one(findings.measure)} in {_listed(comparison.idle_rounds)}, so no "
                "percentage can be given"
            )
        case Reason.UNLIKE_RATES:
            return (
                f"{subject} and {other} were given different loads, so they cannot be compared: "
                f"{level} {_done(own)}, {base_level} {_done(base)}"
            )
        case Reason.GIVEN_RATE:
            return (
                f"{subject} and {other} both kept up with the {own.offered_per_s:,g}/s offered, so "
                "that throughput cannot tell them apart; compare response times: p99 "
                f"{_p99(own)} against {_p99(base)}"
            )
        case _:
            return (
                f"{subject} cannot be compared with {other} by response time: "
                f"{level} {_done(own)}, {base_level} {_done(base)}; where load piles up, response "
                "times grow with the length of the trial"
            )


def _done(summary: CellSummary) -> str:
    done = f"did {(summary.transactions_per_s or summary.throughput_per_s).mean:,.0f}/s"
    if summary.offered_per_s is None:
        return f"{done} in a closed loop"
    return f"{done} of {summary.offered_per_s:,g}/s"


def _p99(summary: CellSummary) -> str:
    """Return the largest of the transaction kinds' 99th percentiles."""
    longest_ms = max((each.p99_ms for each in summary.response.values()), default=math.nan)
    return f"{figures.milliseconds(longest_ms)} ms"


def _amount(effect: Effect, *, turned: bool = False) -> str:
    """Return ``18 % [14, 22]``; ``turned`` tells a decrease as how much less it is."""
    values = (effect.percent, effect.low_percent, effect.high_percent)
    if turned:
        values = (-values[0], -values[2], -values[1])
    centre, low, high = (text.replace("-", "−") for text in percents(*values))
    return f"{centre} % [{low}, {high}]"


def _place(factor: str, cell: Cell) -> str:
    rest = cell.without(factor)
    return f" at {rest.label()}" if rest.levels else ""


def _rounds(count: int) -> str:
    return f"{count} round" if count == 1 else f"{count} rounds"


def _listed(rounds: Sequence[int]) -> str:
    noun = "round" if len(rounds) == 1 else "rounds"
    return f"{noun} {', '.join(str(number) for number in rounds)}"
