"""The first screen: what stands above the answer, the answer, and what stands below it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.metric import RESPONSE_P95, VARIATION, MetricName
from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.confounders.model import Aspect, Confounder
from dbdyno.analysis.findings import Findings, Severity, SizeSummary
from dbdyno.experiment.plan import Cell, FactorLevels, PlannedSearch
from dbdyno.report import figures
from dbdyno.report.document.model import Block, Bullets, Callout, Figure, Paragraph, Role, Terms
from dbdyno.report.document.parts import plain as without_marks
from dbdyno.report.language import in_language, language
from dbdyno.report.sections.answer import FINDINGS_SHOWN, section
from dbdyno.report.verdicts import partial_means
from dbdyno.report.words.comparisons import verdict_word
from dbdyno.report.words.scaling import peaks_in_words
from tests.plain import plain
from tests.unit.report.report_examples import (
    WARNINGS,
    names_only,
    nothing_valid,
    one_at_a_time,
    one_cell,
    three_factors,
    tpcc,
    tpcc_of_many_cells,
    two_factors,
    two_scripts,
    watched,
)
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, trial_events

ALL = ("warnings", "limits", "steadiness", "run")
"""The sections that the first screen leads to."""
DURABILITY = Confounder(
    "journal_mode",
    Aspect.DURABILITY,
    "flushed each second",
    "durable: all that recovery needs is flushed at every commit",
    comparisons=4,
    compared=4,
    is_expected=True,
)
VERSION = Confounder("journal_mode", Aspect.VERSION, "3.46", "3.45", 4, 4, is_expected=False)


def blocks(findings: Findings) -> list[Block]:
    return list(section(findings).blocks)


def callouts(findings: Findings) -> list[tuple[Severity, str]]:
    return [
        (each.severity, plain(without_marks(each.text, ALL)))
        for each in blocks(findings)
        if isinstance(each, Callout)
    ]


def answer(findings: Findings) -> list[str]:
    return [
        plain(without_marks(each.text))
        for each in blocks(findings)
        if isinstance(each, Paragraph) and each.role is Role.LEAD
    ]


def facts(findings: Findings) -> dict[str, str]:
    (terms,) = [each for each in blocks(findings) if isinstance(each, Terms)]
    return {term: plain(without_marks(text, ALL)) for term, text in terms.pairs}


def gravest(findings: Findings) -> list[str]:
    return [
        plain(without_marks(item, ALL))
        for each in blocks(findings)
        if isinstance(each, Bullets)
        for item in each.items
    ]


def alike(findings: Findings) -> Findings:
    """Nothing differs but the factor."""
    return replace(findings, differences=(), default_differences=())


def test_where_nothing_else_differs_nothing_stands_above_the_answer() -> None:
    findings = alike(two_factors())
    assert callouts(findings) == []
    assert isinstance(blocks(findings)[0], Paragraph)
    assert facts(findings)["What else differs"] == (
        "Nothing else that was looked at differs between the compared cells."
    )


def test_what_nobody_chose_is_told_and_confounds_nothing() -> None:
    findings = replace(two_factors(), differences=())
    assert callouts(findings) == []
    assert facts(findings)["What else differs"] == (
        "Besides journal_mode, compared cells differ in: 1 setting that nobody set (cache_size)."
    )


def test_a_setting_that_differs_confounds() -> None:
    findings = names_only()
    names = [("a", "b", "c", "d"), ("b", "b", "c", "d"), ("a", "x", "c", "d")]
    assert callouts(findings) == [
        (
            Severity.WARNING,
            "Confounded: an effect below may come from something else. Besides target, compared "
            "cells differ in: 2 settings (innodb_adaptive_hash_index, binlog_format), 1 setting "
            "that nobody set (innodb_io_capacity).",
        )
    ]
    assert "What else differs" not in facts(findings)
    (told,) = callouts(replace(alike(findings), differences=tuple(names)))
    assert told[1].endswith("differ in: 2 settings (a, b).")
    many = tuple((name, "cell", "1", "2") for name in "abcde")
    (told,) = callouts(replace(alike(findings), differences=many))
    assert told[1].endswith("differ in: 5 settings (a, b, c and 2 more).")


def test_settings_confound_no_factor_that_sets_variables_of_commands() -> None:
    findings = names_only()
    factors = [replace(each, sets="target.variables.version") for each in findings.factors]
    findings = replace(findings, factors=tuple(factors))
    assert callouts(findings) == []
    assert "2 settings (innodb_adaptive_hash_index" in facts(findings)["What else differs"]


def test_what_else_differs_confounds_unless_the_factor_sets_it() -> None:
    findings = replace(alike(two_factors()), confounders=(VERSION,))
    assert callouts(findings) == [
        (
            Severity.WARNING,
            "Confounded: an effect below may come from something else. Besides journal_mode, "
            "compared cells differ in: version (3.46 against 3.45).",
        )
    ]
    expected = replace(findings, confounders=(replace(VERSION, is_expected=True),))
    assert callouts(expected) == []
    of_another = replace(findings, confounders=(replace(VERSION, factor="clients"),))
    assert callouts(of_another) == []


@pytest.mark.parametrize(
    ("aspect", "values", "told"),
    [
        (Aspect.MEMORY_LIMIT, ("536870912", ""), "memory limit of the server (512 MiB against no"),
        (Aspect.CPU_LIMIT, ("", "1.5"), "CPU limit of the server (no limit against 1.5)"),
        (Aspect.CPUS, ("0, 1", ""), "bound to (0, 1 against none named)"),
        (Aspect.DATASET, ("secondary=true", ""), "loaded (secondary=true against –)"),
        (Aspect.TRANSPORT, ("socket", "TCP"), "transport (socket against TCP)"),
    ],
)
def test_values_of_what_differs_have_words(
    aspect: Aspect, values: tuple[str, str], told: str
) -> None:
    found = replace(VERSION, aspect=aspect, value=values[0], baseline_value=values[1])
    (callout,) = callouts(replace(alike(two_factors()), confounders=(found,)))
    assert told in callout[1]


def test_durability_that_differs_stands_first_though_the_factor_sets_it() -> None:
    findings = replace(alike(two_factors()), confounders=(DURABILITY,))
    assert callouts(findings) == [
        (
            Severity.WARNING,
            "Durability differs. Flushed each second, against durable: all that recovery needs is "
            "flushed at every commit. The weaker of the two may be faster because it promises "
            "less about committed data.",
        )
    ]
    unexpected = replace(DURABILITY, is_expected=False)
    both = callouts(replace(findings, confounders=(unexpected,)))
    assert both == callouts(findings)
    both = callouts(replace(findings, confounders=(unexpected, VERSION)))
    assert [text.split(". ")[0].split(":")[0] for _, text in both] == [
        "Durability differs",
        "Confounded",
    ]
    assert both[1][1].endswith("compared cells differ in: version (3.46 against 3.45).")


def test_trials_that_are_left_out_are_told_first() -> None:
    findings = replace(two_factors(), trials_used=23)
    first, second = callouts(findings)
    assert first == (
        Severity.INVALID,
        "1 of 24 trials is not in these figures. Which, and why",
    )
    assert second[1].startswith("Confounded")
    assert facts(findings)["Trials"] == "23 of 24 valid, 3 rounds, 8 cells"
    (first, *_) = callouts(replace(findings, trials_used=20))
    assert first[1].startswith("4 of 24 trials are not in these figures.")


def test_a_smoke_run_has_no_verdict() -> None:
    findings = replace(two_factors(), compared=(), is_smoke=True)
    first, *figures = answer(findings)
    assert first == "No verdict: this was a smoke run."
    # Of many cells, the first few stand for what was measured.
    assert len(figures) == 4
    assert figures[0].startswith("journal_mode=delete, clients=1: 2")
    assert callouts(findings) == []
    assert facts(findings)["Reproduce"].startswith("dbdyno run experiment.yaml --smoke The file")


def test_one_cell_has_its_throughput() -> None:
    findings = one_cell()
    assert answer(findings) == [
        "One cell was measured, so there is nothing to compare it with.",
        "Throughput: 1,221 transactions per second, from one trial: there is no interval.",
    ]
    assert callouts(findings) == []
    assert gravest(findings) == []
    assert "Every validity check passed, or left a note only." in [
        each.text for each in blocks(findings) if isinstance(each, Paragraph)
    ]
    assert not [each for each in blocks(findings) if isinstance(each, Figure)]


def test_several_rounds_of_one_cell_have_an_interval() -> None:
    cells = two_factors().cells[:1]
    findings = replace(two_factors(), factors=(), cells=cells, compared=())
    assert answer(findings)[1].endswith("geometric mean and 95 % interval of 3 trials.")


def test_without_a_valid_trial_there_is_no_figure() -> None:
    findings = nothing_valid()
    lost = replace(findings.cells[1], cell=findings.cells[0].cell)
    (said,) = answer(findings)
    assert said.startswith("threads=64 cannot be compared with 16: 0 rounds")
    nothing = replace(findings, cells=(lost, findings.cells[1]), compared=(), trials_used=0)
    assert answer(nothing) == [
        "No verdict: no two cells have the valid trials that a comparison needs."
    ]
    assert callouts(nothing)[0][1].startswith("4 of 4 trials are not in these figures.")
    assert facts(nothing)["Trials"] == "0 of 4 valid, 2 rounds, 2 cells"
    assert not [each for each in blocks(nothing) if isinstance(each, Figure)]


def drawn(findings: Findings) -> str:
    (figure,) = [each for each in blocks(findings) if isinstance(each, Figure)]
    (drawing,) = figure.drawings
    return drawing.svg


def test_the_other_factors_have_a_line() -> None:
    findings = three_factors()
    found = facts(findings)
    first, *others = findings.factors
    assert first.name not in found
    # Of many loads it is where throughput was highest, and what more load left of it.
    assert [each.name for each in others if len(each.levels) > 2] == ["clients"]
    assert plain(found["clients"]) == "Highest at 20."
    assert plain(facts(two_factors())["clients"]) == "Highest at 1, 2; at 8 −31 % to −13.3 %."
    for name in (each.name for each in others if not each.is_load):
        for effect in findings.compared[0].effects:
            if effect.factor == name and effect.effect is not None:
                amount = plain(" ".join(figures.effect_of(effect.effect)))
                word = verdict_word(effect.kind, effect.metric)
                said = f"{effect.level} against {effect.baseline}: {amount}, {word}"
                assert said in found[name]
    assert not {each.name for each in names_only().factors} & facts(names_only()).keys()


def test_a_factor_that_depends_on_others_has_no_single_figure() -> None:
    findings = three_factors()
    (primary, *others) = findings.compared
    unlike = tuple(replace(each, is_unlike=True) for each in primary.tests)
    kinds = cycle([VerdictKind.UNDECIDED, VerdictKind.BETTER])
    comparisons = tuple(replace(each, kind=next(kinds)) for each in primary.comparisons)
    compared = (replace(primary, tests=unlike, comparisons=comparisons), *others)
    depending = replace(findings, compared=compared)
    mean = ", on the mean over clients."
    said = facts(depending)["buffer_pool"]
    assert said.startswith("buffer_pool=1G against 128M: ")
    assert said.endswith(mean)
    assert said.count(" at isolation=") == 3
    assert mean not in facts(findings)["buffer_pool"]
    assert "mean over clients)" in drawn(depending)
    assert "combinations)" not in drawn(depending)
    assert "mean over clients)" not in drawn(findings)
    assert "combinations)" in drawn(findings)


def test_the_means_beside_the_drawing_are_explained_where_there_are_any() -> None:
    said = "Last: the means"
    assert said in caption(two_factors())
    # Of many cells only those of all combinations together are drawn, which have no means.
    assert said not in caption(three_factors())


def test_a_hollow_point_off_zero_is_explained_where_there_is_one() -> None:
    findings = two_factors()
    why = "Verdicts are corrected for all comparisons, intervals are not."
    assert why not in caption(findings)
    (primary, *others) = findings.compared
    hollow = tuple(
        replace(each, kind=VerdictKind.NO_DIFFERENCE_SHOWN) for each in primary.comparisons
    )
    corrected = (replace(primary, comparisons=hollow), *others)
    assert why in caption(replace(findings, compared=corrected))


def caption(findings: Findings) -> str:
    """Return what stands above the drawing of the answer."""
    (figure,) = [block for block in blocks(findings) if isinstance(block, Figure)]
    return plain(without_marks(figure.caption))


def test_of_many_cells_only_wholes_are_drawn() -> None:
    few = drawn(two_factors())
    assert few.count("clients=") >= 4
    many = replace(
        two_factors(),
        compared=tuple(
            replace(each, comparisons=each.comparisons * 3) for each in two_factors().compared
        ),
    )
    assert "combinations" in drawn(many)
    assert "clients=" not in drawn(many)


def test_many_comparisons_without_a_whole_are_told_in_part() -> None:
    said = answer(tpcc_of_many_cells())
    assert len(said) == 5
    assert said[-1] == "2 more comparisons are in the section Verdicts."
    assert len(answer(tpcc())) == 1


def test_steadiness_is_summed_up() -> None:
    assert facts(watched())["Steadiness"] == (
        "Within trials, throughput varied by 10.0 % to 80.0 % (coefficient of variation). 24 dips "
        "below half of the median; the longest that the section lists took 2 s. Dips"
    )
    assert "Steadiness" not in facts(two_factors())


def graver(*severities: Severity) -> Findings:
    """Findings with warnings of these severities, whose messages come in turn."""
    warnings = [
        replace(WARNINGS[place % 2], severity=severity) for place, severity in enumerate(severities)
    ]
    return replace(two_factors(), warnings=tuple(warnings))


def test_of_the_findings_the_three_gravest_are_told() -> None:
    first, second = (text.removesuffix(" The finding with its evidence") for text in _both())
    severities = [Severity.INVALID, *3 * [Severity.WARNING], *2 * [Severity.NOTE]]
    told = gravest(graver(*severities))
    assert len(told) == FINDINGS_SHOWN
    assert told == [first, second, f"{first} All 6 findings"]


def _both() -> list[str]:
    one = [replace(each, severity=Severity.WARNING) for each in WARNINGS]
    return [text for each in one for text in gravest(replace(two_factors(), warnings=(each,)))]


def test_notes_are_no_grave_findings() -> None:
    assert gravest(graver(Severity.NOTE, Severity.NOTE)) == []
    (told,) = gravest(graver(Severity.WARNING, Severity.NOTE))
    assert told.endswith("All 2 findings")


SEARCHED = (
    FactorLevels("rate", ("closed",), "load.rate"),
    FactorLevels("clients", ("1", "4", "8"), "load.clients"),
)


def searched(directory: Path, limit_s: float | None = None) -> Findings:
    """A search that found most at 4 clients."""
    plan = replace(
        make_plan(SEARCHED, rounds=3),
        search=PlannedSearch(low=1, high=8, rounds=3, quantile=0.95, limit_s=limit_s),
    )

    def change(script: TrialScript) -> None:
        clients = int(script.planned.cell.level("clients"))
        script.events = trial_events([{1: 50, 4: 180, 8: 120}[clients]] * 12)

    return analyse(build_result(directory / "r", plan, change))


def test_the_knee_that_a_search_found_is_the_answer(tmp_path: Path) -> None:
    first, *_ = answer(searched(tmp_path))
    assert "throughput is highest at 4 clients, 180 transactions/s (3 trials)" in first.lower()
    assert first.endswith(".")


@pytest.mark.parametrize(
    "make", [two_factors, names_only, one_cell, nothing_valid, watched, tpcc_of_many_cells]
)
def test_sentences_in_chinese_stand_beside_each_other(make: Callable[[], Findings]) -> None:
    with in_language(language("zh")):
        for each in blocks(make()):
            if isinstance(each, Callout) and not isinstance(each.text, str):
                assert " " not in each.text


def with_variation(findings: Findings, growth: float) -> Findings:
    """Return the findings with cells of which those with WAL vary so many times as much."""
    cells = [
        replace(
            cell,
            values_by_round={
                **cell.values_by_round,
                MetricName.VARIATION: tuple(
                    (
                        number,
                        0.1
                        * (
                            growth * 1.01**number if cell.cell.level("journal_mode") == "wal" else 1
                        ),
                    )
                    for number in (1, 2, 3)
                ),
            },
        )
        for cell in findings.cells
    ]
    return replace(
        findings, cells=tuple(cells), compared=compare_cells(findings.factors, cells, Rules())
    )


def test_response_time_and_steadiness_of_what_is_asked_stand_on_the_first_screen() -> None:
    findings = with_variation(two_factors(), 2.0)
    known = {each.metric: each for each in findings.compared}
    (p95,) = (each for each in known[RESPONSE_P95].effects if each.factor == "journal_mode")
    assert p95.effect is not None
    amount = plain(" ".join(figures.effect_of(p95.effect)))
    told = facts(findings)
    word = verdict_word(p95.kind, RESPONSE_P95)
    assert told["p95 of response time"] == f"wal against delete: {amount}, {word}."
    (variation,) = (each for each in known[VARIATION].effects if each.factor == "journal_mode")
    assert variation.effect is not None
    amount = plain(" ".join(figures.effect_of(variation.effect)))
    assert told["Steadiness"].startswith(f"wal against delete: variation {amount}, less steady.")
    steadier = facts(with_variation(two_factors(), 0.5))["Steadiness"]
    assert ", steadier." in steadier


def test_a_mean_over_load_stands_where_a_mean_of_all_says_nothing() -> None:
    findings = two_scripts()
    shown = " ".join(each for each in answer(findings) if "on the mean over clients" in each)
    means = partial_means(findings)["isolation"]
    over_clients = [(where, each) for where, each in means if each.over == ("clients",)]
    assert over_clients
    for where, each in over_clients:
        amount = plain(" ".join(figures.effect_of(each.effect)))
        assert f"{amount} at {where}" in shown


def with_sizes(findings: Findings, sizes: Callable[[Cell], float]) -> Findings:
    cells = [
        replace(each, size=SizeSummary(sizes(each.cell), 2e6, False, None, None))
        for each in findings.cells
    ]
    return replace(findings, cells=tuple(cells))


def test_tables_that_differ_in_size_are_told_where_no_other_factor_changes_that() -> None:
    findings = two_factors()

    def of_mode(cell: Cell) -> float:
        return 2e6 if cell.level("journal_mode") == "wal" else 8e6

    def of_clients(cell: Cell) -> float:
        return of_mode(cell) * (
            1 if cell.level("clients") == "1" else 3 - cell.level("journal_mode").count("wal")
        )

    told = facts(with_sizes(findings, of_mode))["Size on disk"]
    assert told.startswith("journal_mode=wal 1.91 MiB, delete 7.63 MiB (−75 %).")
    for nothing in (lambda cell: 1e6, of_clients):
        assert "Size on disk" not in facts(with_sizes(findings, nothing))


def test_the_highest_mean_has_its_place_where_factors_were_varied_one_at_a_time() -> None:
    findings = one_at_a_time()
    best = max(findings.cells, key=lambda each: each.throughput_per_s.mean)
    rate = figures.rate(best.throughput_per_s.mean)
    assert facts(findings)["Highest mean"] == f"{rate} transactions/s at {best.cell.label()}."
    assert "Highest mean" not in facts(two_factors())  # One table has all cells.
    scripts = replace(findings.factors[0], sets="workload.script")
    unlike = replace(findings, factors=(scripts, *findings.factors[1:]))
    assert "Highest mean" not in facts(unlike)


def test_the_peak_of_clients_is_not_said_of_another_load() -> None:
    rates = FactorLevels("rate", ("100", "200", "400"), "load.rate")
    assert peaks_in_words(rates, two_factors()) == ""
