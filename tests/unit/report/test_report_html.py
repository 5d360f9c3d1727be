"""The page as a whole: its figures are those of the findings, and it needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from math import inf

import pytest

from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.evidence import said
from dbdyno.analysis.findings import CellSummary, Findings, Percentiles, TrialReason
from dbdyno.analysis.settings import TargetSettings
from dbdyno.analysis.setup import WorkloadSetup
from dbdyno.analysis.usage import Resource, Usage, UsageKey
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.facts.storage import Disk
from dbdyno.report import figures
from dbdyno.report.verdicts import partial_means, wholes
from dbdyno.report.words.comparisons import comparison_sentence, effect_sentence, verdict_word
from dbdyno.store.layout import overall_key
from tests.plain import plain
from tests.unit.analysis.told import words_of
from tests.unit.report.written import render_html

from .report_examples import (
    EXAMPLES,
    SETUP,
    TRANSACTION,
    nothing_valid,
    one_cell,
    overloaded,
    two_factors,
)
from .report_page import Page, read_page

NINE_DIGITS = 1e-8
"""How near an exact figure of the page is, relative to it."""

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)

FETCHING = re.compile(r"""url\s*\(|@import|src\s*=|https?:""", re.IGNORECASE)


def page_of(findings: Findings) -> Page:
    return read_page(render_html(findings, NOON))


@pytest.fixture(scope="module", params=EXAMPLES.values(), ids=list(EXAMPLES))
def example(request: pytest.FixtureRequest) -> tuple[Findings, str]:
    make: Callable[[], Findings] = request.param
    findings = make()
    return findings, render_html(findings, NOON)


def test_the_page_fetches_nothing(example: tuple[Findings, str]) -> None:
    _, html = example
    page = read_page(html)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|sendBeacon|WebSocket", script)
    assert not page.all("link")
    assert not page.all("img")
    for element in page.elements:
        for name, value in element.attributes.items():
            assert not name.startswith("on"), element
            if name in {"href", "xlink:href"}:
                assert value.startswith("#"), element
            elif not name.startswith("xmlns"):
                assert not FETCHING.search(value), element
    assert not FETCHING.search(page.styles)
    policy = [e.attributes.get("content") for e in page.all("meta") if "http-equiv" in e.attributes]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == [
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    ]


def test_every_link_leads_somewhere_and_no_id_is_there_twice(
    example: tuple[Findings, str],
) -> None:
    page = read_page(example[1])
    identifiers = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(identifiers) == len(set(identifiers))
    assert {a.attributes["href"].removeprefix("#") for a in page.all("a")} <= set(identifiers)


def test_every_table_has_a_caption_and_headers_with_a_scope(example: tuple[Findings, str]) -> None:
    page = read_page(example[1])
    assert len(page.all("table")) == len(page.all("caption"))
    assert all("scope" in header.attributes for header in page.all("th"))


def test_every_chart_has_a_title_and_a_description(example: tuple[Findings, str]) -> None:
    html = example[1]
    charts = re.findall(r"<svg (?:(?!</svg>).)*</svg>", html, re.DOTALL)
    drawn = [chart for chart in charts if 'class="marker"' not in chart]
    assert drawn
    assert all(re.search(r'role="img"><title>.+</title><desc>.+</desc>', c) for c in drawn)


def test_throughput_is_that_of_the_findings(example: tuple[Findings, str]) -> None:
    findings, html = example
    page = read_page(html)
    rows = page.tables["cells"][1:]
    assert len(rows) == len(findings.cells)
    for cell, row in zip(findings.cells, rows, strict=True):
        levels = [level for _, level in cell.cell.levels] or ["(one cell)"]
        estimate = findings.measure.estimate(cell.throughput_per_s)
        assert row[: len(levels)] == levels
        assert row[len(levels) :] == [
            figures.rate(estimate.mean),
            figures.rate_interval(estimate.mean, estimate.low, estimate.high),
            str(estimate.count),
            figures.share(cell.coefficient_of_variation),
            *(
                [figures.rate(findings.measure.of(cell.transactions_per_s.mean))]
                if cell.transactions_per_s
                else []
            ),
            figures.rate(statements_per_s(cell)) if cell.throughput_per_s.count else "–",
        ]
    exact = [
        value
        for cell in findings.cells
        for value in (
            findings.measure.of(cell.throughput_per_s.mean)
            if cell.throughput_per_s.count
            else None,
            cell.throughput_per_s.count,
            cell.coefficient_of_variation,
            findings.measure.of(cell.transactions_per_s.mean) if cell.transactions_per_s else None,
            statements_per_s(cell) if cell.throughput_per_s.count else None,
        )
        if value is not None
    ]
    assert page.values["cells"] == pytest.approx(exact, rel=NINE_DIGITS)


def statements_per_s(cell: CellSummary) -> float:
    rate = (cell.transactions_per_s or cell.throughput_per_s).mean
    return rate * cell.statements_per_transaction


def test_outcomes_are_those_of_the_findings() -> None:
    findings = two_factors()
    page = page_of(findings)
    exact = [
        value
        for c in findings.cells
        for value in (
            c.committed,
            c.rolled_back,
            c.failed,
            c.dropped,
            (c.committed + c.rolled_back) / (c.committed + c.rolled_back + c.failed + c.dropped),
            c.retries,
            c.first_attempt_abort_share,
            c.statements_per_transaction,
        )
    ]
    assert page.values["outcomes"] == pytest.approx(exact, rel=NINE_DIGITS)


def test_percentiles_are_those_of_the_findings(example: tuple[Findings, str]) -> None:
    findings, html = example
    exact = [
        value
        for cell in findings.cells
        for transaction in cell.response
        for measure in (cell.response, cell.service, cell.lag)
        if transaction in measure
        if measure is cell.response or cell.service.get(transaction) != cell.response[transaction]
        for value in (
            *percentile_values(measure[transaction]),
            *rate_of_a_kind(measure[transaction], transaction, cell, findings),
        )
    ]
    found = read_page(html).values.get("percentiles", [])
    assert found == pytest.approx(exact, rel=NINE_DIGITS)


def percentile_values(p: Percentiles) -> tuple[float, ...]:
    upper = [p.p99_ms] * (p.count >= 1000) + [p.p999_ms] * (p.count >= 10_000)
    return (p.p50_ms, p.p90_ms, p.p95_ms, *upper, p.max_ms, p.count)


def rate_of_a_kind(
    times: Percentiles, transaction: str, cell: CellSummary, findings: Findings
) -> list[float]:
    """Return the rate of transactions that throughput does not count: that is in one table."""
    counted = findings.measure.kind or overall_key(list(cell.response))
    return [] if transaction == counted else [times.count / cell.window_s]


def test_times_of_a_cell_that_dropped_work_are_marked_but_for_service_times() -> None:
    page = page_of(overloaded())
    rows = [row for row in page.tables["percentiles"][1:] if row]
    marked = {(number, row[-8]): row[-7].startswith("≥") for number, row in enumerate(rows)}
    assert marked == {
        (0, "response time"): False, (1, "service time"): False, (2, "schedule lag"): False,
        (3, "response time"): True, (4, "service time"): False, (5, "schedule lag"): True,
    }  # fmt: skip
    words = plain(page.text)
    assert "times of served transactions only: 62.0 % of the scheduled were dropped." in words
    assert "of served transactions only" not in page_of(two_factors()).text


def test_every_verdict_stands_in_words_and_in_the_table(example: tuple[Findings, str]) -> None:
    findings, html = example
    page = read_page(html)
    words = plain(page.text)
    rows = [row for row in page.tables.get("verdicts", [])[1:] if len(row) > 1]
    together = [each for group in wholes(findings).values() for each in group]
    means = [
        each
        for group in partial_means(findings).values()
        for each in group
        if each[1].combinations > 1
    ]
    assert len(rows) == len(findings.comparisons) + len(together) + len(means)
    for where, mean in means:
        amount = figures.effect_of(mean.effect)
        at = f"{where}, mean over {' and '.join(mean.over)}"
        row = [f"{mean.level} against {mean.baseline}", at, "mean"]
        assert [*row, *amount, str(mean.effect.rounds), figures.ABSENT] in rows
    for effect_of_all in together:
        assert plain(effect_sentence(effect_of_all)) in words
    for comparison in findings.comparisons:
        found = comparison.effect
        effect, interval = (
            ("–", "–")
            if found is None
            else figures.effect(found.percent, found.low_percent, found.high_percent)
        )
        compared = [
            f"{comparison.cell.level(comparison.factor)} against "
            f"{comparison.baseline.level(comparison.factor)}",
            verdict_word(comparison.kind, comparison.metric),
            effect,
            interval,
            str(comparison.rounds),
        ]
        assert plain(comparison_sentence(comparison, findings)) in words
        assert any(set(compared) <= set(row) for row in rows), compared


def test_warnings_stand_gravest_first_with_evidence_and_advice() -> None:
    findings = nothing_valid()
    words = " ".join(page_of(findings).text.split())
    # The answer names the gravest of them above.
    warnings = words[words.rindex("Figures to read with care") - 2000 :]
    places = [
        warnings.index(text)
        for severity in ("invalid", "warning", "note")
        for warning in findings.warnings
        if warning.severity == severity
        for text in words_of(warning)
        if text
    ]
    assert places == sorted(places)
    assert "3 of 4 trials are not in these figures" in words


def test_trials_that_are_not_used_are_named_with_their_reason() -> None:
    rows = page_of(nothing_valid()).tables["excluded"][1:]
    assert rows == [
        ["3", "16", "interrupted"],
        ["2", "64", "failed: server closed the connection"],
        ["4", "64", "error share 31 %"],
    ]


def test_a_cell_without_valid_trials_has_no_figures() -> None:
    page = page_of(nothing_valid())
    assert page.tables["cells"][-1] == ["64", "–", "–", "0", "–", "–"]
    assert page.tables["outcomes"][-1][-2:] == ["–", "–"]
    assert "nan" not in page.text.lower()


def test_one_cell_is_an_answer_without_a_verdict() -> None:
    page = page_of(one_cell())
    words = plain(page.text)
    assert "One cell was measured, so there is nothing to compare it with." in words
    assert "from one trial: there is no interval" in words
    assert "verdicts" not in page.tables


def test_a_time_beyond_the_histograms_is_written_as_a_limit_and_not_drawn() -> None:
    findings = two_factors()
    beyond = replace(findings.cells[0].response[TRANSACTION], max_ms=inf)
    first = replace(findings.cells[0], response={TRANSACTION: beyond})
    page = page_of(replace(findings, cells=(first, *findings.cells[1:])))
    assert figures.milliseconds(inf) in page.tables["percentiles"][1]


HOSTILE = '</title></style><script>alert("1")</script>\'&amp; [bold]x[/] ${{7*7}}\\u0022+datum'


def hostile_findings() -> Findings:
    """Every text that a user or a server can choose is markup, quotes and expressions."""

    def rename(cell: CellSummary) -> CellSummary:
        clients = cell.cell.level("clients")
        mode = HOSTILE if cell.cell.level("journal_mode") == "wal" else "delete"
        levels = ((HOSTILE, mode), ("clients", clients))
        return replace(
            cell,
            cell=Cell(levels),
            response={HOSTILE: cell.response[TRANSACTION]},
            service={},
            excluded=((1, TrialReason(None, said(HOSTILE))),),
        )

    findings = two_factors()
    cells = tuple(rename(cell) for cell in findings.cells)
    factors = (FactorLevels(HOSTILE, ("delete", HOSTILE), HOSTILE), findings.factors[1])
    return replace(
        findings,
        experiment=HOSTILE,
        question=HOSTILE,
        factors=factors,
        cells=cells,
        compared=compare_cells(factors, cells, Rules()),
        warnings=tuple(replace(w, evidence=said(HOSTILE)) for w in findings.warnings),
        host=HostFacts(
            cpu_model=HOSTILE,
            disks=(Disk(name=HOSTILE, model=HOSTILE),),
            kernel_settings={HOSTILE: HOSTILE},
        ),
        other_hosts={
            HOSTILE: OtherHost(use="watched", reason=HOSTILE),
            f"{HOSTILE} 2": OtherHost(use="generator", facts=HostFacts(cpu_model=HOSTILE)),
        },
        targets=({HOSTILE: HOSTILE},),
        settings=(TargetSettings(HOSTILE, {HOSTILE: (HOSTILE,)}, {HOSTILE: (HOSTILE,)}, 1),),
        usage={
            cell.cell: {
                UsageKey(HOSTILE, HOSTILE, "", Resource.PROCESS_CPU_CORES): Usage(1.0, 2.0),
                UsageKey(HOSTILE, "", HOSTILE, Resource.DISK_AWAIT_S): Usage(1.0, 2.0),
            }
            for cell in cells
        },
        setup=replace(
            SETUP,
            workloads=(WorkloadSetup("sysbench", {"script": (HOSTILE,), "tables": (HOSTILE,)}),),
            starts=(HOSTILE,),
            experiment_text=HOSTILE,
        ),
        differences=((HOSTILE, HOSTILE, HOSTILE, HOSTILE),),
        default_differences=((HOSTILE, HOSTILE, HOSTILE, HOSTILE),),
    )


def test_text_from_outside_is_never_markup() -> None:
    hostile = page_of(hostile_findings())
    tame = page_of(two_factors())
    assert len(hostile.all("script")) == 1, "the page's own"
    assert {e.tag for e in hostile.elements} <= {e.tag for e in tame.elements}
    assert hostile.text.count(HOSTILE) > 40


def contrast(first: str, second: str) -> float:
    """WCAG 2.2's contrast ratio of two ``#rrggbb`` colours."""

    def luminance(colour: str) -> float:
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_text_and_series_have_enough_contrast_in_light_and_in_dark() -> None:
    blocks = re.findall(r":root[^{]* \{([^}]*--paper[^}]*)\}", page_of(one_cell()).styles)
    light, by_system, by_button = blocks
    assert by_system.split() == by_button.split(), "dark is dark, whoever asks for it"
    for block in (light, by_system):
        colours = dict(re.findall(r"--([\w-]+): (#\w{6});", block))
        for name in ("ink", "muted", "link", "invalid", "warning", "note"):
            assert contrast(colours[name], colours["paper"]) >= 4.5, name
        series = [name for name in colours if name.startswith("series-")]
        assert len(series) == 8
        for name in series:
            assert contrast(colours[name], colours["paper"]) >= 3, name
