"""What comparisons say, in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dbdyno.analysis.compare.cells import mean_by_round
from dbdyno.analysis.compare.metric import RESPONSE_P99, Metric, MetricName
from dbdyno.analysis.compare.model import (
    SHOWN,
    Comparison,
    Effect,
    FactorEffect,
    Reason,
    VerdictKind,
)
from dbdyno.analysis.compare.power import Strictness, range_of_deviation, rounds_needed
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.throughput import TRANSACTIONS, ThroughputMeasure
from dbdyno.report import figures
from dbdyno.report.language import clauses, listed, message, say, say_count
from dbdyno.report.partial_service import clients_in_effect
from dbdyno.report.words.metrics import metric_name
from dbdyno.report.words.percents import percents
from dbdyno.report.words.places import named_factors, place
from dbdyno.report.words.throughput import counted_one

BEYOND_TELLING = math.log(10)
"""An interval from a figure to ten times that says nothing of use, where it has zero in it."""
WORTH_SHOWING = 0.05
"""What a reader would like to see, where the experiment names no margin."""

_WORDS = {
    MetricName.THROUGHPUT: (message("faster"), message("slower")),
    MetricName.VARIATION: (message("steadier"), message("less steady")),
}
_RESPONSE_WORDS = (message("shorter"), message("longer"))
_OTHER_WORDS = {
    VerdictKind.UNDECIDED: message("undecided"),
    VerdictKind.NO_DIFFERENCE_SHOWN: message("no difference shown"),
    VerdictKind.EQUIVALENT: message("equivalent"),
    VerdictKind.NO_WORSE: message("no worse"),
    VerdictKind.TOO_FEW_ROUNDS: message("too few rounds"),
    VerdictKind.NOT_COMPARABLE: message("not comparable"),
}

_SHOWN_SENTENCES = {
    MetricName.THROUGHPUT: (
        message("{subject} is {amount} faster than {other} ({rounds})"),
        message("{subject} is {amount} slower than {other} ({rounds})"),
    ),
    MetricName.VARIATION: (
        message(
            "{subject} is steadier than {other}: its throughput varies {amount} less ({rounds})"
        ),
        message(
            "{subject} is less steady than {other}: its throughput varies {amount} more ({rounds})"
        ),
    ),
}
"""What is said of a better and of a worse one."""
_RESPONSE_SENTENCES = (
    message("The {metric} of {subject} is {amount} shorter than that of {other} ({rounds})"),
    message("The {metric} of {subject} is {amount} longer than that of {other} ({rounds})"),
)


def verdict_word(kind: VerdictKind, metric: Metric) -> str:
    """Return a verdict in one or two words of the metric: ``faster``, ``longer``, ``steadier``."""
    better, worse = _WORDS.get(metric.name, _RESPONSE_WORDS)
    words = {VerdictKind.BETTER: better, VerdictKind.WORSE: worse}
    return say(words[kind] if kind in words else _OTHER_WORDS[kind])


def effect_sentence(effect: FactorEffect, measure: ThroughputMeasure = TRANSACTIONS) -> str:
    """Return what a level does over all combinations of the other factors."""
    subject, other = f"{effect.factor}={effect.level}", _over(effect)
    if effect.effect is None:
        return _too_few(subject, other, effect.rounds)
    return _said(subject, other, effect, effect.effect, measure)


def _over(effect: FactorEffect) -> str:
    """Return the baseline, and over how many combinations it is compared."""
    if effect.left_out:
        return say(
            "{level} over {count} of {total} combinations (the others share too few rounds)",
            level=effect.baseline,
            count=effect.combinations,
            total=effect.combinations + effect.left_out,
        )
    if effect.combinations < 2:
        return effect.baseline
    return say("{level} over {combinations}", level=effect.baseline, combinations=all_of(effect))


def all_of(effect: FactorEffect) -> str:
    """Return how many combinations an effect is over: ``both combinations``, ``all 4 …``."""
    if not effect.combinations:
        return say("no combination")
    if effect.not_both:
        return say_count(
            "the one combination that has both",
            "the {count} combinations that have both",
            effect.combinations,
        )
    if effect.combinations == 2:
        return say("both combinations")
    return say_count("the one combination", "all {count} combinations", effect.combinations)


def comparison_sentence(comparison: Comparison, findings: Findings) -> str:
    """Return the verdict on one cell as a sentence."""
    factor, cell = comparison.factor, comparison.cell
    subject = f"{factor}={cell.level(factor)}"
    peers = [each for each in findings.comparisons if each.factor == factor]
    named = named_factors([comparison, *peers])
    other = _at(comparison.baseline.level(factor), place(comparison, named))
    if comparison.reason is not None:
        return _not_comparable(comparison, subject, other, findings)
    if comparison.effect is None:
        return _too_few(subject, other, comparison.rounds)
    return _said(subject, other, comparison, comparison.effect, findings.measure)


def _at(level: str, others: str) -> str:
    """Return a level, and the levels of the other factors at which it is compared."""
    return say("{level} at {place}", level=level, place=others) if others else level


def _too_few(subject: str, other: str, rounds: int) -> str:
    return say(
        "{subject} cannot be compared with {other}: {rounds} with a valid trial of both, and two "
        "are the least",
        subject=subject,
        other=other,
        rounds=_rounds(rounds),
    )


def _said(
    subject: str,
    other: str,
    compared: Comparison | FactorEffect,
    effect: Effect,
    measure: ThroughputMeasure,
) -> str:
    kind, metric, rounds = compared.kind, compared.metric, _rounds(effect.rounds)
    if kind in SHOWN:
        sentence = _shown_sentence(kind, metric)
        name = metric_name(metric, measure)
        amount = _amount(effect, turned=effect.percent < 0)
        return say(
            sentence, metric=name, subject=subject, other=other, amount=amount, rounds=rounds
        )
    amount = _amount(effect)
    values = {"subject": subject, "other": other, "rounds": rounds, "amount": amount}
    if kind is VerdictKind.EQUIVALENT:
        return say("{subject} and {other} are equivalent ({rounds}): {amount}", **values)
    if kind is VerdictKind.NO_WORSE:
        return say("{subject} is no worse than {other} ({rounds}): {amount}", **values)
    if kind is VerdictKind.UNDECIDED:
        more = more_rounds(effect, effect.percent / 100, say("this difference"))
        undecided = say(
            "Undecided whether {subject} differs from {other} ({rounds}): {amount}, and nothing is "
            "shown after the correction for all comparisons",
            **values,
        )
        return clauses([undecided, more])
    beyond = is_beyond_telling(effect)
    if beyond:
        values["amount"] = say("too noisy to tell")
    nothing = say(
        "No difference shown between {subject} and {other} ({rounds}): {amount}", **values
    )
    worth = figures.percent(100 * WORTH_SHOWING)
    if isinstance(compared, FactorEffect) and compared.combinations > 1:
        # A mean of several combinations has the difference where each of them has it.
        worth = say("{difference} in every combination", difference=worth)
    more = more_rounds(effect, WORTH_SHOWING, worth)
    return clauses([nothing, "" if beyond else excluded(effect, metric), more])


def _shown_sentence(kind: VerdictKind, metric: Metric) -> str:
    better, worse = _SHOWN_SENTENCES.get(metric.name, _RESPONSE_SENTENCES)
    return better if kind is VerdictKind.BETTER else worse


def is_beyond_telling(effect: Effect) -> bool:
    """Tell whether an interval is so wide that its ends are no figures to go by."""
    ends = (effect.low_percent, effect.high_percent)
    low, high = (math.log(max(1 + each / 100, 1e-12)) for each in ends)
    return high - low > BEYOND_TELLING and low < 0 < high


def excluded(effect: Effect, metric: Metric) -> str:
    """Return which differences the interval excludes, where zero is in it."""
    if not effect.low_percent < 0 < effect.high_percent:
        return ""
    _, less, more = (
        figures.with_percent_sign(each)
        for each in percents(effect.percent, -effect.low_percent, effect.high_percent)
    )
    if metric.name is MetricName.THROUGHPUT:
        return say(
            "more than {more} faster or {less} slower is excluded (95 %, for this comparison "
            "alone)",
            more=more,
            less=less,
        )
    return say(
        "an increase of more than {more} or a decrease of more than {less} is excluded (95 %, for "
        "this comparison alone)",
        more=more,
        less=less,
    )


def more_rounds(effect: Effect, share: float, difference: str) -> str:
    """Return how many rounds would show a difference with this scatter, where these do not.

    That is a range, because the scatter of a few rounds is hardly known.
    """
    test = Strictness(effect.level, effect.freedom / (effect.rounds - 1))

    def needed(deviation: float) -> int | None:
        return rounds_needed(abs(math.log1p(share)), deviation, test)

    usual = needed(effect.deviation)
    if usual is not None and usual <= effect.rounds:
        return ""
    few, many = map(needed, range_of_deviation(effect.deviation, effect.freedom))
    if few is None:
        return say("{difference} would take more than 1,000 rounds to show", difference=difference)
    low = figures.count(max(_one_digit(few, math.floor), effect.rounds + 1))
    if many is None:
        return say(
            "{difference} would take at least {rounds} rounds to show",
            difference=difference,
            rounds=low,
        )
    return say(
        "{difference} would take {low} to {high} rounds to show",
        difference=difference,
        low=low,
        high=figures.count(_one_digit(many, math.ceil)),
    )


def _one_digit(count: int, towards: Callable[[float], int]) -> int:
    """Return a count with one significant digit, and of those below twenty the count itself."""
    step = 10 ** (len(str(count)) - 1) if count >= 20 else 1
    return step * towards(count / step)


def _not_comparable(comparison: Comparison, subject: str, other: str, findings: Findings) -> str:
    own, base = findings.by_cell[comparison.cell], findings.by_cell[comparison.baseline]
    level, base_level = (
        each.level(comparison.factor) for each in (comparison.cell, comparison.baseline)
    )
    values = {
        "subject": subject,
        "other": other,
        "level": level,
        "base": base_level,
        "done": _done(own),
        "done_of_base": _done(base),
    }
    match comparison.reason:
        case Reason.IDLE:
            return say(
                "{subject} cannot be compared with {other}: one of them did not complete a single "
                "{counted} in {rounds}, so no percentage can be given",
                counted=counted_one(findings.measure),
                rounds=_listed(comparison.idle_rounds),
                **values,
            )
        case Reason.UNLIKE_RATES:
            return say(
                "{subject} and {other} were given different loads, so they cannot be compared: "
                "{level} {done}, {base} {done_of_base}",
                **values,
            )
        case Reason.GIVEN_RATE:
            return say(
                "{subject} and {other} both kept up with the {offered}/s offered, so that "
                "throughput cannot tell them apart; compare response times: p99 {own} against "
                "{theirs}",
                offered=f"{own.offered_per_s:,g}",
                own=_p99(own),
                theirs=_p99(base),
                **values,
            )
        case Reason.UNLIKE_CLIENTS:
            return say(
                "{subject} cannot be compared with {other} by response time: {level} had "
                "{own_clients} clients in effect, {base} {base_clients}; the generator read "
                "answers late",
                own_clients=clients_in_effect(own),
                base_clients=clients_in_effect(base),
                **values,
            )
        case Reason.FEW_TIMES:
            return say(
                "{subject} cannot be compared with {other} by this percentile: some rounds had too "
                "few transactions for it",
                **values,
            )
        case _:
            return say(
                "{subject} cannot be compared with {other} by response time: {level} {done}, "
                "{base} {done_of_base}; where load piles up, response times grow with the length "
                "of the trial",
                **values,
            )


def _done(summary: CellSummary) -> str:
    done = figures.count((summary.transactions_per_s or summary.throughput_per_s).mean)
    if summary.offered_per_s is None:
        return say("did {done}/s in a closed loop", done=done)
    return say("did {done}/s of {offered}/s", done=done, offered=f"{summary.offered_per_s:,g}")


def _p99(summary: CellSummary) -> str:
    """Return the mean of the trials' own, as effects have it; else the largest of all kinds."""
    found = mean_by_round(summary, RESPONSE_P99)
    kinds = (each.p99_ms for each in summary.response.values())
    longest_ms = found.mean if found.count else max(kinds, default=math.nan)
    return f"{figures.milliseconds(longest_ms)} ms"


def _amount(effect: Effect, *, turned: bool = False) -> str:
    """Return ``18 % [14, 22]``; ``turned`` tells a decrease as how much less it is."""
    values = (effect.percent, effect.low_percent, effect.high_percent)
    if turned:
        values = (-values[0], -values[2], -values[1])
    centre, low, high = (text.replace("-", "−") for text in percents(*values))
    return f"{figures.with_percent_sign(centre)} [{low}, {high}]"


def _rounds(count: int) -> str:
    return say_count("{count} round", "{count} rounds", count)


def _listed(rounds: Sequence[int]) -> str:
    numbers = listed(str(number) for number in rounds)
    if len(rounds) == 1:
        return say("round {number}", number=numbers)
    return say("rounds {numbers}", numbers=numbers)
