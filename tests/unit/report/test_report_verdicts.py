"""What many comparisons come to, in one sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.metric import RESPONSE_P95
from dbdyno.analysis.compare.model import Comparison, Reason, VerdictKind
from dbdyno.analysis.findings import Finding, Findings, Severity
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.report import figures
from dbdyno.report.verdicts import (
    factors_compared,
    in_few_words,
    in_short,
    means,
    means_in_words,
    tallies,
    touched_in_words,
)
from tests.unit.analysis.compare.summaries import summary
from tests.unit.report.written import render_html

from .report_examples import RULES, names_only, two_factors
from .report_page import read_page


def changed(comparison: Comparison, percent: float) -> Comparison:
    """Return a comparison that shows another effect."""
    assert comparison.effect is not None
    return replace(
        comparison,
        kind=VerdictKind.BETTER,
        effect=replace(comparison.effect, percent=percent),
    )


def test_a_tally_counts_each_kind_of_verdict() -> None:
    first, second, *rest = (c for c in two_factors().comparisons if c.factor == "journal_mode")
    mixed = [
        changed(first, 12.0),
        changed(second, 44.1),
        *(replace(c, kind=VerdictKind.NO_DIFFERENCE_SHOWN) for c in rest),
    ]
    (tally,) = tallies(mixed)
    assert tally.replace("\N{NO-BREAK SPACE}", " ") == (
        "journal_mode=wal against delete: faster in 2 of 4 comparisons "
        "(at clients=1, clients=2: +12 % to +44 %), no difference shown in 2."
    )


def test_one_comparison_unlike_all_others_is_told_with_its_place() -> None:
    first, *rest = (c for c in two_factors().comparisons if c.factor == "journal_mode")
    others = (replace(c, kind=VerdictKind.NO_DIFFERENCE_SHOWN) for c in rest)
    (tally,) = tallies([changed(first, 12.0), *others])
    assert " (at clients=1: +12" in tally


def test_a_mean_of_unlike_effects_comes_last_and_only_where_it_is_shown() -> None:
    findings = two_factors()
    throughput, *others = findings.compared

    def told(*, is_unlike: bool) -> Findings:
        tests = tuple(replace(each, is_unlike=is_unlike) for each in throughput.tests)
        return replace(findings, compared=(replace(throughput, tests=tests), *others))

    (factor, comparisons), *_ = factors_compared(findings)
    unlike = told(is_unlike=True)
    # Where all effects go one way, a mean misleads nobody.
    alike = in_short(factor, comparisons, unlike)
    assert alike == in_short(factor, comparisons, told(is_unlike=False))
    comparisons[0] = replace(comparisons[0], kind=VerdictKind.UNDECIDED)
    tally = tallies(comparisons)
    assert "over all" in alike[0]
    turned = in_short(factor, comparisons, unlike)
    assert turned[:1] == tally
    assert turned[1] == f"{alike[0]} This is a mean of unlike effects."
    not_shown = tuple(
        replace(each, kind=VerdictKind.UNDECIDED) for each in unlike.compared[0].effects
    )
    throughput = replace(unlike.compared[0], effects=not_shown)
    undecided = replace(unlike, compared=(throughput, *others))
    assert in_short(factor, comparisons, undecided) == tally


def test_a_pair_compared_once_needs_no_tally() -> None:
    assert tallies(list(names_only().comparisons)) == []


def test_the_factor_of_the_question_comes_first() -> None:
    findings = two_factors()
    first = findings.compared[0]
    turned = replace(first, comparisons=tuple(reversed(first.comparisons)))
    backwards = replace(findings, compared=(turned, *findings.compared[1:]))
    assert [factor for factor, _ in factors_compared(backwards)] == ["journal_mode", "clients"]


def test_what_a_warning_touches_is_told_among_several_comparisons() -> None:
    warning = Finding(Code.STALLS, Severity.WARNING, comparisons=2)
    assert touched_in_words(warning, 3) == "This touches 2 of 3 comparisons."
    assert touched_in_words(warning, 1) == ""
    assert touched_in_words(replace(warning, comparisons=0), 3) == ""


def test_two_combinations_are_both_in_sentence_table_and_drawing() -> None:
    findings = two_factors()
    page = render_html(findings, datetime(2025, 11, 20, tzinfo=UTC))
    assert "over both combinations" in page
    assert '<td class="t">both combinations</td>' in page
    assert "2 against 1 (both combinations)" in page
    assert "all 2" not in page
    assert '<td class="t">all 4 combinations</td>' in page


def test_the_ratio_of_the_means_beside_a_verdict_is_its_effect() -> None:
    """Also where a round has one of the two cells alone, and each has a mean of its own rounds."""
    baseline, level = (Cell((("journal_mode", each),)) for each in ("delete", "wal"))
    slow_first = {1: 50.0, 2: 100.0, 3: 100.0, 4: 100.0}
    cells = (summary(baseline, slow_first), summary(level, {2: 120.0, 3: 120.0, 4: 120.0}))
    factor = FactorLevels("journal_mode", ("delete", "wal"), "server.journal_mode")
    findings = replace(
        two_factors(),
        factors=(factor,),
        cells=cells,
        compared=compare_cells((factor,), cells, RULES),
    )
    (comparison,) = findings.comparisons
    assert comparison.effect is not None
    assert comparison.effect.percent == pytest.approx(20)
    assert means(comparison, findings) == "100.0 → 120.0"


def test_a_verdict_on_throughput_has_the_means_of_both() -> None:
    findings = two_factors()
    (comparison,) = [
        each
        for each in findings.comparisons
        if each.cell.levels == (("journal_mode", "wal"), ("clients", "4"))
        and each.factor == "journal_mode"
    ]
    written = means_in_words(comparison, findings)
    delete, wal = (
        figures.rate(cell.throughput_per_s.mean)
        for cell in findings.cells
        if cell.cell.level("clients") == "4"
    )
    assert written == f"{delete} → {wal} transactions/s"
    page = render_html(findings, datetime(2025, 11, 20, tzinfo=UTC))
    assert f"<td>{delete} → {wal}</td>" in page
    assert f"(3 rounds); {written}</li>" in page
    assert means_in_words(replace(comparison, metric=RESPONSE_P95), findings) == ""
    assert means_in_words(comparison, replace(findings, cells=findings.cells[:4])) == ""


def with_few_times(findings: Findings, *clients: str) -> Findings:
    """Return findings whose p95 is compared nowhere at these numbers of clients."""

    def few(each: Comparison) -> Comparison:
        if each.cell.level("clients") not in clients:
            return each
        return replace(each, effect=None, kind=VerdictKind.NOT_COMPARABLE, reason=Reason.FEW_TIMES)

    known = 4 - len(clients)
    compared = tuple(
        replace(
            each,
            comparisons=tuple(map(few, each.comparisons)),
            effects=tuple(
                replace(effect, combinations=known)
                for effect in each.effects
                if effect.factor == "journal_mode" and known > 1
            ),
        )
        if each.metric == RESPONSE_P95
        else each
        for each in findings.compared
    )
    return replace(findings, compared=compared)


def test_a_figure_that_fewer_combinations_have_says_how_many() -> None:
    page = read_page(
        render_html(with_few_times(two_factors(), "1", "2"), datetime(2025, 11, 20, tzinfo=UTC))
    )
    assert "wal against delete (2 of 4 combinations): " in page.text
    rows = [row[:2] for row in page.tables["other-verdicts"] if row]
    assert ["wal against delete", "2 of 4 combinations"] in rows
    of_throughput = [row[:2] for row in page.tables["verdicts"] if row]
    assert ["wal against delete", "all 4 combinations"] in of_throughput


def test_a_figure_of_one_place_says_which() -> None:
    findings = with_few_times(two_factors(), "1", "2", "4")
    (of_p95,) = (each for each in findings.compared if each.metric == RESPONSE_P95)
    (left,) = (
        each
        for each in of_p95.comparisons
        if each.factor == "journal_mode" and each.effect is not None
    )
    assert in_few_words([left], findings).startswith("wal against delete (clients=8): ")
    alone = replace(findings, compared=(replace(of_p95, comparisons=(left,)),))
    assert in_few_words([left], alone).startswith("wal against delete: ")


def test_comparisons_without_a_row_are_counted() -> None:
    findings = two_factors()
    missing = sum(
        each.cell.level("clients") == "1"
        for by_metric in findings.compared
        for each in by_metric.comparisons
        if by_metric.metric == RESPONSE_P95
    )
    assert missing == 1
    page = read_page(render_html(with_few_times(findings, "1"), datetime(2025, 11, 20, tzinfo=UTC)))
    assert "1 comparison has no row: some round of a cell had too few transactions" in page.text
    whole = read_page(render_html(findings, datetime(2025, 11, 20, tzinfo=UTC)))
    assert "no row" not in whole.text
