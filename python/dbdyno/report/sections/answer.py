"""Section: the answer, and what a reader needs with it: one screen.

What puts the comparison in doubt stands above it. Below it, in this order: how large the effect is,
drawn; how many trials stand behind it, the limit, steadiness, what else differs, how to run it
again; and the gravest findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT, VARIATION, Metric
from dbdyno.analysis.compare.model import SHOWN, Comparison, FactorEffect
from dbdyno.analysis.compare.peaks import FEWEST_LOADS
from dbdyno.analysis.confounders.model import Aspect
from dbdyno.analysis.findings import Findings, Severity
from dbdyno.analysis.validity import codes
from dbdyno.report import figures, verdicts
from dbdyno.report.document.model import (
    Block,
    Bullets,
    Callout,
    Code,
    Figure,
    Layout,
    Link,
    Paragraph,
    Role,
    Section,
    Strong,
    Terms,
    Text,
)
from dbdyno.report.forest import main_effects, note_on_means
from dbdyno.report.grammar import levels_in_words, varied, views
from dbdyno.report.language import current, message, say, say_count, sentences
from dbdyno.report.sizes import sizes_compared
from dbdyno.report.words.answer import steadiness_line
from dbdyno.report.words.baselines import baselines_line
from dbdyno.report.words.checks.words import check_message
from dbdyno.report.words.confounders import differs_line, durability_line, is_confounded
from dbdyno.report.words.import_notes import UNCHECKED
from dbdyno.report.words.knees import knee_sentences
from dbdyno.report.words.limits import limits_line, not_ruled_out_line
from dbdyno.report.words.metrics import metric_name
from dbdyno.report.words.partial_matrix import no_verdict_sentences
from dbdyno.report.words.places import common_place
from dbdyno.report.words.scaling import peaks_in_words
from dbdyno.report.words.setup import command
from dbdyno.report.words.throughput import measure_heading, measure_words

FINDINGS_SHOWN = 3
SENTENCES_SHOWN = 4
SAID_ABOVE = (
    codes.Code.SETTINGS_DIFFER,
    codes.Code.DURABILITY_DIFFERS,
    codes.Code.ISOLATION_DIFFERS,
)
"""Findings of which the callouts above the answer say more."""


def section(findings: Findings) -> Section:
    """Return the section; every report has an answer."""
    blocks: list[Block] = [
        *_doubts(findings),
        *(Paragraph(capitalised(text), Role.LEAD) for text in answers(findings)),
        *_drawn(findings),
        Terms(list(_facts(findings)), is_table=True),
        *_gravest(findings),
    ]
    return Section("answer", say("Answer"), blocks)


def answers(findings: Findings) -> list[str]:
    """Return what the question's answer is, in few sentences."""
    texts = [say("{sentence}.", sentence=capitalised(each)) for each in knee_sentences(findings)]
    texts += [say("{sentence}.", sentence=each) for each in no_verdict_sentences(findings)]
    compared = verdicts.factors_compared(findings)
    if not compared:
        return [*(texts or [_nothing_compared(findings)]), *_single(findings)]
    factor, comparisons = compared[0]
    texts += verdicts.in_short(factor, comparisons, findings)
    if verdicts.tallies(comparisons):
        return texts
    said = [verdicts.said(each, findings) for each in comparisons]
    texts += [say("{sentence}.", sentence=each) for each in said[:SENTENCES_SHOWN]]
    return [*texts, *_left_out(len(said) - SENTENCES_SHOWN)]


def _other_factors(findings: Findings) -> Iterator[tuple[str, Text]]:
    """Yield what each factor but the first does, for the section on verdicts is far below."""
    wholes = verdicts.wholes(findings)
    loads = {
        each.name: each
        for each in findings.factors
        if each.is_load and len(each.levels) >= FEWEST_LOADS
    }
    for factor, comparisons in verdicts.factors_compared(findings)[1:]:
        text = _in_few_words(wholes.get(factor) or comparisons, findings)
        if factor in loads:
            text = peaks_in_words(loads[factor], findings)
        elif verdicts.depends_on_others(comparisons, findings):
            # One figure would hold for none of the combinations.
            text = sentences(verdicts.over_load_said(factor, findings)) or text
        if text:
            yield factor, text


def _in_few_words(compared: Sequence[Comparison | FactorEffect], findings: Findings) -> str:
    """Return effects with their verdicts, of many the first few, and how many more there are."""
    known = [each for each in compared if each.effect is not None]
    shown = verdicts.in_few_words(known[: verdicts.MOST_LEVELS_SAID], findings)
    return sentences([shown, *_left_out(len(known) - verdicts.MOST_LEVELS_SAID)])


def _left_out(count: int) -> Iterator[str]:
    """Yield where the other comparisons are, if there are any."""
    if count > 0:
        yield say_count(
            "{count} more comparison is in the section Verdicts.",
            "{count} more comparisons are in the section Verdicts.",
            count,
        )


def _nothing_compared(findings: Findings) -> str:
    if findings.is_smoke:
        return say("No verdict: this was a smoke run.")
    if findings.imported is not None and len(findings.cells) > 1:
        return say(
            "No verdict: each cell ran once, so no difference can be told from chance. The section "
            "Sources has the plain differences."
        )
    if len(findings.cells) > 1:
        return say("No verdict: no two cells have the valid trials that a comparison needs.")
    return say("One cell was measured, so there is nothing to compare it with.")


def _single(findings: Findings) -> Iterator[str]:
    """Yield the throughput of the first cells, where nothing is compared."""
    measured = [cell for cell in findings.cells if cell.throughput_per_s.count]
    for cell in measured[:SENTENCES_SHOWN]:
        found = findings.measure.estimate(cell.throughput_per_s)
        values = {
            "cell": cell.cell.label() if cell.cell.levels else say("Throughput"),
            "rate": figures.rate(found.mean),
            "unit": measure_words(findings.measure),
        }
        if found.low is None:
            yield say("{cell}: {rate} {unit}, from one trial: there is no interval.", **values)
        else:
            yield say(
                "{cell}: {rate} {unit} {interval}, geometric mean and 95 % interval of {count} "
                "trials.",
                interval=figures.rate_interval(found.mean, found.low, found.high),
                count=found.count,
                **values,
            )


def _doubts(findings: Findings) -> Iterator[Block]:
    """Yield what a reader must know before the answer."""
    left_out = findings.trials_planned - findings.trials_used
    if left_out:
        text = say_count(
            "{count} of {total} trials is not in these figures.",
            "{count} of {total} trials are not in these figures.",
            left_out,
            total=figures.count(findings.trials_planned),
        )
        yield Callout(
            Severity.INVALID,
            (Strong(text), _between(), Link(say("Which, and why"), "warnings")),
        )
    compared = verdicts.factors_compared(findings)
    if not compared:
        return
    factor = compared[0][0]
    apart = None
    if line := durability_line(findings, factor):
        apart = Aspect.DURABILITY
        yield Callout(
            Severity.WARNING, (Strong(say("Durability differs.")), _between(), capitalised(line))
        )
    if is_confounded(findings, factor, apart):
        text = (
            say("What differs between the two results.")
            if findings.is_of_two_results
            else say("Confounded: an effect below may come from something else.")
        )
        line = differs_line(findings, factor, apart)
        yield Callout(Severity.WARNING, (Strong(text), _between(), line))


def _drawn(findings: Findings) -> Iterator[Block]:
    drawings, has_means = main_effects(findings)
    if drawings:
        caption = say("Effect on {metric}.", metric=metric_name(findings.metric, findings.measure))
        meaning = say(
            "Point and line: effect and its 95 % interval. Filled: a difference shown. Hollow: not "
            "shown."
        )
        why = sentences(
            [
                note_on_means(findings, verdicts.factors_compared(findings)[:1]),
                _why_hollow(findings),
            ]
        )
        means = ""
        if has_means and findings.metric == THROUGHPUT:
            unit = measure_heading(findings.measure)
            means = say("Last: the means, in {unit}.", unit=unit)
        yield Figure(
            (Strong(caption), _between(), sentences([meaning, why, means])), drawings, Layout.WIDE
        )


def _why_hollow(findings: Findings) -> str:
    """Return why a difference may not be shown although its interval excludes zero."""
    factor, comparisons = verdicts.factors_compared(findings)[0]
    compared: list[Comparison | FactorEffect] = [*comparisons]
    compared += verdicts.wholes(findings).get(factor, [])
    found = [each.effect for each in compared if each.effect and each.kind not in SHOWN]
    if not any(effect.low_percent > 0 or effect.high_percent < 0 for effect in found):
        return ""
    return say("Verdicts are corrected for all comparisons, intervals are not.")


def _facts(findings: Findings) -> Iterator[tuple[str, Text]]:
    if line := baselines_line(findings):
        yield say("Baseline"), line
    for _, comparisons in verdicts.factors_compared(findings)[:1]:
        if place := common_place(comparisons):
            yield say("All else"), say("at {place}", place=place)
    yield from _other_factors(findings)
    if line := _highest(findings):
        yield say("Highest mean"), line
    if line := limits_line(findings.limits):
        text = sentences([line, not_ruled_out_line(findings.limits)])
        yield say("What held it back"), (text, _between(), Link(say("Evidence"), "limits"))
    compared = verdicts.factors_compared(findings)
    is_looked_at = findings.imported is None or findings.is_of_two_results
    if compared and is_looked_at and not is_confounded(findings, compared[0][0]):
        yield say("What else differs"), differs_line(findings, compared[0][0])
    yield from _by_other_metrics(findings)
    if line := sizes_compared(compared[0][1], findings) if compared else "":
        yield say("Size on disk"), (line, _between(), Link(say("Sizes"), "size"))
    yield (
        say("Trials"),
        say(
            "{used} of {planned} valid, {rounds}, {cells}",
            used=figures.count(findings.trials_used),
            planned=figures.count(findings.trials_planned),
            rounds=say_count("{count} round", "{count} rounds", findings.rounds),
            cells=say_count("{count} cell", "{count} cells", len(findings.cells)),
        ),
    )
    if findings.setup is not None and not findings.is_of_two_results:
        yield (
            say("Reproduce"),
            (
                Code(command(is_smoke=findings.ran_with_smoke)),
                " ",
                Link(say("The file"), "run"),
            ),
        )


def _highest(findings: Findings) -> str:
    """Return the highest mean and whose it is, where no one table has all cells.

    It is left out where cells do different work, and where the load sets the throughput.
    """
    measured = [each for each in findings.cells if each.throughput_per_s.count]
    is_unlike = any(each.sets_transactions and len(each.levels) > 1 for each in findings.factors)
    is_in_one_table = len(views(findings.factors, findings.cells)) == 1
    if is_in_one_table or is_unlike or findings.metric != THROUGHPUT or not measured:
        return ""
    best = max(measured, key=lambda each: each.throughput_per_s.mean)
    return say(
        "{rate} {unit} at {place}.",
        rate=figures.rate(findings.measure.of(best.throughput_per_s.mean)),
        unit=measure_heading(findings.measure),
        place=levels_in_words(best.cell, varied(findings.factors)),
    )


def _by_other_metrics(findings: Findings) -> Iterator[tuple[str, Text]]:
    """Yield what the factor in question does to response times, and to how steady they are."""
    said = {
        metric: _in_few_words(compared, findings)
        for metric, compared in _question_by_metric(findings)
    }
    if RESPONSE_P95 in said:
        yield metric_name(RESPONSE_P95, findings.measure), said[RESPONSE_P95]
    line = steadiness_line(findings.steadiness)
    if text := sentences(filter(None, [said.get(VARIATION, ""), line])):
        yield say("Steadiness"), (text, _between(), Link(say("Dips"), "steadiness"))


def _question_by_metric(
    findings: Findings,
) -> Iterator[tuple[Metric, Sequence[Comparison | FactorEffect]]]:
    """Yield by each metric but the first what the factor in question does, as a whole if known."""
    compared = verdicts.factors_compared(findings)
    question = compared[0][0] if compared else ""
    for metric, comparisons, wholes in verdicts.secondary(findings):
        own = [each for each in wholes if each.factor == question and each.effect is not None]
        cells = [each for each in comparisons if each.factor == question]
        if own or cells:
            yield metric, own or cells


def _gravest(findings: Findings) -> Iterator[Block]:
    """Yield the gravest findings; they are ranked already."""
    if findings.imported is not None and not findings.warnings:
        text = say("Others measured this: no validity check of dbdyno could look at the trials.")
        yield Paragraph(text, Role.MUTED)
        return
    grave = [each for each in findings.warnings if each.severity is not Severity.NOTE]
    grave.sort(key=lambda each: each.code in SAID_ABOVE)
    if not grave:
        passed = message("Every validity check passed, or left a note only.")
        yield Paragraph(say(UNCHECKED if findings.imported else passed), Role.MUTED)
        return
    items: list[Text] = [check_message(each.code) for each in grave[:FINDINGS_SHOWN]]
    items[-1] = (
        str(items[-1]),
        _between(),
        Link(
            say_count(
                "The finding with its evidence", "All {count} findings", len(findings.warnings)
            ),
            "warnings",
        ),
    )
    yield Bullets(items)


def _between() -> str:
    """Return what stands between two sentences that differ in their marks."""
    return current().between_sentences


def capitalised(text: str) -> str:
    """Begin with a capital letter, unless a factor's name comes first."""
    return text if "=" in text.split(" ", maxsplit=1)[0] else text[:1].upper() + text[1:]
