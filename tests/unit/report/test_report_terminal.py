"""The terminal's table: complete at every width, plain where there is no colour."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from dbdyno.analysis.findings import Findings, VerdictKind
from dbdyno.report import figures
from dbdyno.report.terminal import print_verdicts

from .report_examples import EXAMPLES, nothing_valid, one_cell, three_factors, two_factors


def printed(findings: Findings, width: int, force_terminal: bool | None = None) -> str:
    file = io.StringIO()
    print_verdicts(findings, Console(file=file, width=width, force_terminal=force_terminal))
    return file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("make", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_every_figure_is_there_whole_and_no_line_is_too_long(
    make: Callable[[], Findings], width: int
) -> None:
    findings = make()
    text = printed(findings, width)
    assert max(map(len, text.splitlines())) <= width
    for cell in findings.cells:
        estimate = cell.throughput_per_s
        assert figures.rate(estimate.mean) in text
        if estimate.low is not None:
            assert figures.rate_interval(estimate.mean, estimate.low, estimate.high) in text
    primary = findings.comparisons[0].factor if findings.comparisons else ""
    for comparison in findings.comparisons:
        effect, interval = figures.effect(
            comparison.effect_percent, comparison.low_percent, comparison.high_percent
        )
        if comparison.factor == primary and comparison.effect_percent is not None:
            assert effect in text
            assert interval in text
    flowing = " ".join(text.split())
    for warning in findings.warnings:
        for words in (warning.message, warning.evidence, warning.advice):
            assert " ".join(words.split()[:3]) in flowing


def test_the_wide_table_has_a_line_a_cell_and_the_narrow_one_two() -> None:
    def lines(width: int) -> list[str]:
        text = printed(two_factors(), width)
        return text.split("─\n")[1].split("\n\n")[0].splitlines()

    assert len(lines(120)) == 8
    assert len(lines(80)) == 16


def test_why_cells_are_not_compared_is_said() -> None:
    findings = two_factors()
    unlike = [
        replace(each, kind=VerdictKind.NOT_COMPARABLE, sentence=f"reason {number}.")
        for number, each in enumerate(findings.comparisons, start=1)
    ]
    text = printed(replace(findings, comparisons=tuple(unlike)), 120)
    said = [line.strip() for line in text.splitlines() if line.startswith("reason")]
    assert said == ["reason 1.", "reason 2.", "reason 3.", "reason 4."]
    assert f"{len(unlike) - 4} more that are not comparable: see the report." in text
    assert "reason" not in printed(findings, 120)


def test_a_row_reads_as_it_should() -> None:
    text = printed(two_factors(), 120)
    cell = two_factors().cells[4]
    row = next(line for line in text.splitlines() if line.startswith("wal "))
    assert row.split()[:5] == [
        "wal",
        "1",
        figures.rate(cell.throughput_per_s.mean),
        *figures.rate_interval(
            cell.throughput_per_s.mean, cell.throughput_per_s.low, cell.throughput_per_s.high
        ).split(),
    ]
    assert row.rstrip().endswith("faster")
    assert all(
        line.rstrip().endswith("baseline")
        for line in text.splitlines()
        if line.startswith("delete ")
    )


def test_no_escape_sequence_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in printed(nothing_valid(), 80)
    assert "\x1b[1;31m" in printed(nothing_valid(), 80, force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in printed(nothing_valid(), 80, force_terminal=True)


def test_warnings_stand_gravest_first() -> None:
    lines = printed(nothing_valid(), 120).splitlines()
    words = [line.split()[0] for line in lines if line.startswith(("invalid", "warning", "note"))]
    assert words == ["invalid", "invalid", "warning", "note"]


def test_other_factors_follow_the_table() -> None:
    text = printed(three_factors(), 120)
    assert "buffer_pool=1G against 128M: faster in 9 of 9 comparisons" in text


def test_names_are_not_markup() -> None:
    findings = replace(one_cell(), experiment="[red]x[/red] [/]", question="[bold]?")
    assert printed(findings, 80).startswith("[red]x[/red] [/]\n[bold]?\n")
