"""Verdicts in words: what was compared with what, and what many comparisons come to."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from dbdyno.analysis.compare.cells import compared_means
from dbdyno.analysis.compare.metric import THROUGHPUT, VARIATION, Metric, MetricName
from dbdyno.analysis.compare.model import (
    SHOWN,
    Comparison,
    FactorEffect,
    PartialMean,
    VerdictKind,
)
from dbdyno.analysis.compare.rules import question_factor
from dbdyno.analysis.findings import Finding, Findings
from dbdyno.experiment.plan import Cell, Contrast
from dbdyno.report import figures
from dbdyno.report.language import clauses, listed, message, say
from dbdyno.report.words.comparisons import comparison_sentence, effect_sentence, verdict_word
from dbdyno.report.words.places import named_factors, place
from dbdyno.report.words.steadiness import unlike_trends
from dbdyno.report.words.throughput import measure_heading

Compared: TypeAlias = Comparison | FactorEffect | PartialMean

MOST_LEVELS_NAMED = 2
MOST_LEVELS_SAID = 3
"""On the first screen, of each factor and each metric beside those of the question."""
MOST_OVER_LOAD = 8
"""A sentence with more effects than these is one that nobody reads."""


def factors_compared(findings: Findings) -> list[tuple[str, list[Comparison]]]:
    """Return the comparisons factor by factor, the factor that the question is about first."""
    question = question_factor(findings.factors, list(findings.by_cell))
    by_factor: dict[str, list[Comparison]] = {question: []} if question else {}
    for comparison in findings.comparisons:
        by_factor.setdefault(comparison.factor, []).append(comparison)
    return [(factor, members) for factor, members in by_factor.items() if members]


def by_cell(comparisons: Iterable[Comparison]) -> dict[Cell, Comparison]:
    """Return the comparison of each cell: the first, where it is compared with several others."""
    found: dict[Cell, Comparison] = {}
    for each in comparisons:
        found.setdefault(each.cell, each)
    return found


def wholes(findings: Findings) -> dict[str, list[FactorEffect]]:
    """Return by factor what its levels do over all combinations of the others, where there are any.

    Without other factors, the comparison of the two cells says the same.
    """
    found: dict[str, list[FactorEffect]] = {}
    for effect in findings.compared[0].effects if findings.compared else ():
        if effect.combinations + effect.left_out > 1:
            found.setdefault(effect.factor, []).append(effect)
    return found


def secondary(findings: Findings) -> list[tuple[Metric, list[Comparison], list[FactorEffect]]]:
    """Return what is compared by the other metrics, where there is any effect to show."""
    found = []
    for by_metric in findings.compared[1:]:
        comparisons = [each for each in by_metric.comparisons if each.effect is not None]
        effects = [each for each in by_metric.effects if each.combinations + each.left_out > 1]
        if comparisons:
            found.append((by_metric.metric, comparisons, effects))
    return found


def compared_in_words(compared: Compared) -> str:
    """Return what is compared with what: ``wal against delete``."""
    level, baseline = compared.contrast
    return say("{level} against {baseline}", level=level, baseline=baseline)


def said(comparison: Comparison, findings: Findings) -> str:
    """Return the verdict on a cell as a sentence, with the means that are compared."""
    sentence = comparison_sentence(comparison, findings)
    trends = unlike_trends(comparison, findings)
    return clauses([sentence, means_in_words(comparison, findings), trends])


def means_in_words(comparison: Comparison, findings: Findings) -> str:
    """Return the means that a comparison sets against each other, with their unit, or ""."""
    written = means(comparison, findings) if comparison.metric == THROUGHPUT else ""
    return f"{written} {measure_heading(findings.measure)}" if written else ""


def means(comparison: Comparison, findings: Findings) -> str:
    """Return ``174 → 495``, the baseline's mean first, or "".

    Times and shares have their unit: ``17.4 → 49.5 ms``.
    """
    metric, measure = comparison.metric, findings.measure
    baseline, cell = map(findings.by_cell.get, (comparison.baseline, comparison.cell))
    if baseline is None or cell is None:
        return ""
    is_paired = all(each.is_paired for each in findings.factors if each.name == comparison.factor)
    known = compared_means(baseline, cell, metric, is_paired=is_paired)
    if known is None:
        return ""
    match metric.name:
        case MetricName.THROUGHPUT:
            return " → ".join(figures.rate(measure.of(mean)) for mean in known)
        case MetricName.VARIATION:
            return " → ".join(map(figures.share, known))
        case _:
            return f"{' → '.join(map(figures.milliseconds, known))} ms"


def in_short(factor: str, comparisons: list[Comparison], findings: Findings) -> list[str]:
    """Return what a factor does, in whole sentences: over all combinations, and in how many.

    Where its effect depends on the other factors a mean holds for none of them: it comes last, and
    only where it is shown.
    """
    effects, sums = wholes(findings).get(factor, []), _tallies(comparisons)
    estimates = _over_load(factor, findings)
    if not depends_on_others(comparisons, findings):
        kinds = {each.kind for each in effects} | {each.kind for each in comparisons}
        if effects and SHOWN.isdisjoint(kinds):
            sums = {}  # Of levels of which nothing is shown, the means say so.
        means = _means_said(effects, message("{sentence}."), findings)
        return [*means, *_by_contrast(factor, estimates, sums)]
    shown = [each for each in effects if each.kind in SHOWN]
    unlike = message("{sentence}. This is a mean of unlike effects.")
    means = [] if estimates else _means_said(shown, unlike, findings)
    return [*_by_contrast(factor, estimates, sums), *means]


def _by_contrast(factor: str, *parts: Mapping[Contrast, str]) -> list[str]:
    """Return one sentence for each level and its baseline, with all that there is of the two."""
    return [
        say(
            "{factor}={level} against {baseline}: {parts}.",
            factor=factor,
            level=level,
            baseline=baseline,
            parts=clauses(each[level, baseline] for each in parts if (level, baseline) in each),
        )
        for level, baseline in dict.fromkeys(itertools.chain(*parts))
    ]


def _means_said(effects: list[FactorEffect], form: str, findings: Findings) -> list[str]:
    return [say(form, sentence=effect_sentence(each, findings.measure)) for each in effects]


def partial_means(findings: Findings) -> dict[str, list[tuple[str, PartialMean]]]:
    """Return by factor what its levels do over some factors, each with where: ``script=…``.

    A mean of one is left out: it is a comparison, which has its verdict.
    """
    found: dict[tuple[str, bool], list[PartialMean]] = {}
    for each in findings.compared[0].partial_means if findings.compared else ():
        if each.combinations > 1:
            found.setdefault((each.factor, each.is_over_load), []).append(each)
    placed: dict[str, list[tuple[str, PartialMean]]] = {}
    for (factor, _), members in found.items():
        placed.setdefault(factor, []).extend(_with_places(members))
    return placed


def _with_places(members: list[PartialMean]) -> list[tuple[str, PartialMean]]:
    """Name the levels in which these differ, or all where they do not."""
    first = dict(members[0].at.levels)
    varied = {
        name for each in members for name, level in each.at.levels if first[name] != level
    } or set(first)
    return [
        (Cell(tuple(level for level in each.at.levels if level[0] in varied)).label(), each)
        for each in members
    ]


def over_load(factor: str, findings: Findings) -> list[tuple[str, PartialMean]]:
    """Return a factor's mean effects over the loads, each with its place; none of very many."""
    found = [each for each in partial_means(findings).get(factor, []) if each[1].is_over_load]
    return found if len(found) <= MOST_OVER_LOAD else []


def over_load_said(factor: str, findings: Findings) -> list[str]:
    """Return one sentence for each level: its mean effect over the loads, at each place."""
    return _by_contrast(factor, _over_load(factor, findings))


def _over_load(factor: str, findings: Findings) -> dict[Contrast, str]:
    effects = over_load(factor, findings)
    by_levels: dict[Contrast, list[str]] = {}
    for where, each in effects:
        words = " ".join(figures.effect_of(each.effect))
        part = say("{effect} at {place}", effect=words, place=where)
        by_levels.setdefault(each.contrast, []).append(part)
    loads = listed(dict.fromkeys(name for _, each in effects for name in each.over))
    return {
        contrast: say("{effects}, on the mean over {loads}", loads=loads, effects=listed(parts))
        for contrast, parts in by_levels.items()
    }


def depends_on_others(comparisons: Sequence[Comparison], findings: Findings) -> bool:
    """Tell whether a factor's effect was shown to depend on the others, and its verdicts differ."""
    tests = findings.compared[0].tests if findings.compared else ()
    is_unlike = any(each.factor == comparisons[0].factor and each.is_unlike for each in tests)
    return is_unlike and len({each.kind for each in comparisons}) > 1


def scope(compared: Comparison | FactorEffect, findings: Findings) -> str:
    """Return where a figure is known that throughput has at more places; "" where it has not."""
    level = compared.factor, *compared.contrast
    of_factor = [each for each in findings.comparisons if each.factor == compared.factor]
    alike = [each for each in of_factor if (each.factor, *each.contrast) == level]
    if isinstance(compared, Comparison):
        return place(compared, named_factors(of_factor)) if len(alike) > 1 else ""
    if compared.combinations >= len(alike):
        return ""
    return say("{count} of {total} combinations", count=compared.combinations, total=len(alike))


def in_few_words(compared: Sequence[Comparison | FactorEffect], findings: Findings) -> str:
    """Return each effect with its verdict.

    ``b against a: variation −12.3 % [−20.1, −3.4], steadier.``
    """
    said = []
    for each in compared:
        if each.effect is None:
            continue
        effect = " ".join(figures.effect_of(each.effect))
        if each.metric == VARIATION:
            effect = say("variation {effect}", effect=effect)
        pair, where = compared_in_words(each), scope(each, findings)
        text = say(
            "{pair}: {effect}, {verdict}",
            pair=say("{pair} ({place})", pair=pair, place=where) if where else pair,
            effect=effect,
            verdict=verdict_word(each.kind, each.metric),
        )
        said.append(text)
    return say("{sentence}.", sentence=clauses(said)) if said else ""


def tallies(comparisons: list[Comparison]) -> list[str]:
    """Return one sentence for each pair of levels that was compared more than once.

    ``journal_mode=wal against delete: faster in 3 of 4 comparisons (+12.0 % to +44.1 %), no
    difference shown in 1.`` What all those have in common that differ, and no other has, is named.
    """
    return _by_contrast(comparisons[0].factor, _tallies(comparisons)) if comparisons else []


def _tallies(comparisons: list[Comparison]) -> dict[Contrast, str]:
    pairs: dict[Contrast, list[Comparison]] = {}
    for comparison in comparisons:
        pairs.setdefault(comparison.contrast, []).append(comparison)
    return {pair: _tally(members) for pair, members in pairs.items() if len(members) > 1}


def _tally(members: list[Comparison]) -> str:
    kinds = Counter(comparison.kind for comparison in members)
    parts = [
        _counted(kind, kinds[kind], members, is_first=place == 0)
        for place, kind in enumerate(kind for kind in VerdictKind if kinds[kind])
    ]
    return listed(parts)


def _counted(kind: VerdictKind, count: int, members: list[Comparison], *, is_first: bool) -> str:
    word = verdict_word(kind, members[0].metric)
    if is_first:
        text = say(
            "{verdict} in {count} of {total} comparisons",
            verdict=word,
            count=count,
            total=len(members),
        )
    else:
        text = say("{verdict} in {count}", verdict=word, count=count)
    of_kind = [each for each in members if each.kind is kind]
    effects = [each.effect.percent for each in of_kind if each.effect is not None]
    if kind not in SHOWN or not effects:
        return text
    low, high = (figures.effect(end(effects, key=abs))[0] for end in (min, max))
    span = low if low == high else say("{low} to {high}", low=low, high=high)
    if place := _place(of_kind, members):
        return say("{text} (at {place}: {span})", text=text, place=place, span=span)
    return say("{text} ({span})", text=text, span=span)


def _place(of_kind: list[Comparison], members: list[Comparison]) -> str:
    """Return the level, or two, at which all of a kind are and no other: ``clients=8``; or "".

    Of one alone it is where that is.
    """
    if len(of_kind) == len(members):
        return ""
    if len(of_kind) == 1:
        return place(of_kind[0], named_factors(members))
    factor = members[0].factor
    for name, _ in members[0].cell.without(factor).levels:
        own = dict.fromkeys(each.cell.level(name) for each in of_kind)
        at_them = [each for each in members if each.cell.level(name) in own]
        if len(own) <= MOST_LEVELS_NAMED and len(at_them) == len(of_kind):
            return listed(f"{name}={level}" for level in own)
    return ""


def touched_in_words(warning: Finding, comparisons: int) -> str:
    """Return how many of several comparisons a warning touches, in a sentence; or ""."""
    if not warning.comparisons or comparisons < 2:
        return ""
    return say(
        "This touches {count} of {total} comparisons.",
        count=warning.comparisons,
        total=comparisons,
    )
