"""The terminal's table: complete at every width, plain where there is no colour."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from dbdyno.analysis.compare.model import Reason, VerdictKind
from dbdyno.analysis.findings import Estimate, Findings
from dbdyno.report import figures
from dbdyno.report.terminal import print_verdicts
from tests.unit.analysis.told import words_of

from .report_examples import (
    EXAMPLES,
    TRANSACTION,
    nothing_valid,
    one_cell,
    overloaded,
    three_factors,
    two_factors,
)


def printed(findings: Findings, width: int, force_terminal: bool | None = None) -> str:
    file = io.StringIO()
    print_verdicts(findings, Console(file=file, width=width, force_terminal=force_terminal))
    return file.getvalue()


@pytest.mark.parametrize("width", [72, 80, 120])
@pytest.mark.parametrize("make", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_every_figure_is_there_whole_and_no_line_is_too_long(
    make: Callable[[], Findings], width: int
) -> None:
    findings = make()
    text = printed(findings, width)
    assert max(map(len, text.splitlines())) <= width
    for cell in findings.cells:
        estimate = findings.measure.estimate(cell.throughput_per_s)
        assert figures.rate(estimate.mean) in text
        if estimate.low is not None:
            assert figures.rate_interval(estimate.mean, estimate.low, estimate.high) in text
    primary = findings.comparisons[0].factor if findings.comparisons else ""
    for comparison in findings.comparisons:
        found = comparison.effect
        if comparison.factor == primary and found is not None:
            effect, interval = figures.effect(found.percent, found.low_percent, found.high_percent)
            assert effect in text
            assert interval in text
    flowing = " ".join(text.split())
    for warning in findings.warnings:
        for words in words_of(warning):
            assert " ".join(words.split()[:3]) in flowing


def rows(findings: Findings, width: int) -> list[list[str]]:
    """The words of each line of the table, below its rule and up to the sentences."""
    text = printed(findings, width).split("─\n")[1]
    table, _, _ = text.partition("\n\n")
    return [line.split() for line in table.splitlines()]


def test_the_wide_table_has_a_line_a_cell() -> None:
    assert len(rows(two_factors(), 120)) == 8
    assert rows(three_factors(), 160)[0][:3] == ["read-committed", "128M", "4"]


def test_two_factors_have_a_column_each_where_lines_have_room() -> None:
    table = rows(two_factors(), 120)
    levels = [[level for _, level in cell.cell.levels] for cell in two_factors().cells]
    assert [row[:2] for row in table] == levels


def test_two_factors_without_room_are_a_matrix_with_the_number_across() -> None:
    findings = two_factors()
    lines = printed(findings, 80).splitlines()
    (head,) = [n for n, line in enumerate(lines) if line.startswith("\\ clients")][:1]
    assert lines[head - 1].split() == ["journal_mode"]
    assert lines[head].split() == ["\\", "clients", "1", "2", "4", "8"]
    delete, wal = findings.cells[:4], findings.cells[4:]
    assert lines[head + 2].split() == [
        "delete", *(figures.rate(cell.throughput_per_s.mean) for cell in delete)
    ]  # fmt: skip
    assert lines[head + 4].split() == ["baseline"] * 4
    assert lines[head + 6].split() == [
        "wal", *(figures.rate(cell.throughput_per_s.mean) for cell in wal)
    ]  # fmt: skip
    shown = [each.effect for each in findings.comparisons if each.factor == "journal_mode"]
    effects = [figures.effect(e.percent, e.low_percent, e.high_percent)[0] for e in shown if e]
    assert all(f"{effect} *" in lines[head + 8] for effect in effects)


def test_three_factors_without_room_are_a_matrix_for_each_level_of_the_third() -> None:
    text = printed(three_factors(), 72)
    headings = [line for line in text.splitlines() if line.startswith("buffer_pool=")]
    assert [line.split(",")[:2] for line in headings[:4]] == [
        ["buffer_pool=128M", " transactions/s"],
        ["buffer_pool=1G", " transactions/s"],
        ["buffer_pool=128M", " response time"],
        ["buffer_pool=1G", " response time"],
    ]


def test_levels_that_have_no_room_at_all_are_named_below_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dbdyno.report.terminal.matrix_tables", lambda _: [])
    lines = [line.split() for line in printed(three_factors(), 72).splitlines()]
    first = lines.index(next(line for line in lines if line[:1] == ["isolation=read-committed"]))
    assert [line[0] for line in lines[first : first + 3]] == [
        "isolation=read-committed",
        "buffer_pool=128M",
        "clients=4",
    ]


@pytest.mark.parametrize("width", [72, 120])
def test_percentiles_of_a_cell_that_dropped_work_are_marked(width: int) -> None:
    kept_up, fell_behind = overloaded().cells
    text = printed(overloaded(), width)
    for cell, mark in ((kept_up, False), (fell_behind, True)):
        times = cell.response[TRANSACTION]
        for value in (times.p95_ms, times.p99_ms, times.max_ms):
            figure = figures.milliseconds(value)
            assert (f"≥\N{NO-BREAK SPACE}{figure}" in text) is mark
            assert figure in text
    note = "≥ marks times of served transactions only: 62.0 % of the scheduled were dropped."
    assert note in " ".join(text.split())
    assert "≥" not in printed(two_factors(), width)


def test_why_cells_are_not_compared_is_said() -> None:
    findings = two_factors()
    first = findings.compared[0]
    unlike = tuple(
        replace(each, kind=VerdictKind.NOT_COMPARABLE, reason=Reason.IDLE, idle_rounds=(number,))
        for number, each in enumerate(first.comparisons, start=1)
    )
    changed = replace(findings, compared=(replace(first, comparisons=unlike),))
    text = " ".join(printed(changed, 120).split())
    told = [f"a single transaction in round {number}, so" in text for number in range(1, 6)]
    assert told == [True, True, True, True, False]
    assert f"{len(unlike) - 4} more that are not comparable: see the report." in text
    assert "cannot be compared" not in printed(findings, 120)


def test_what_a_factor_does_as_a_whole_is_said_first() -> None:
    text = " ".join(printed(two_factors(), 120).split())
    assert re.search(r"journal_mode=wal is \d+ % \[\d+, \d+\] faster than delete over all 4", text)
    assert "faster than delete over all 4 combinations (3 rounds)" in text


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


@pytest.mark.parametrize("width", [72, 120])
def test_the_maximum_stands_beside_the_percentiles(width: int) -> None:
    findings = two_factors()
    cell = findings.cells[0]
    times = cell.response[TRANSACTION]
    slow = replace(cell, response={TRANSACTION: replace(times, max_ms=61_234.0)})
    text = printed(replace(findings, cells=(slow, *findings.cells[1:])), width)
    assert "61,234" in text.split("\n\nclients=")[0]


def test_failed_transactions_are_told_with_their_times_and_only_then() -> None:
    findings = two_factors()
    assert "asked for" not in printed(findings, 120)
    cell = findings.cells[0]
    times = cell.response[TRANSACTION]
    failing = replace(
        cell,
        failed=7,
        failed_response={TRANSACTION: replace(times, count=7, max_ms=60_000.0)},
        asked_response={TRANSACTION: replace(times, p99_ms=60_000.0, max_ms=60_000.0)},
    )
    text = " ".join(printed(replace(findings, cells=(failing,)), 120).split())
    assert (
        f"journal_mode=delete, clients=1: 7 failed ({TRANSACTION}), which no other percentile "
        f"includes. Of all that were asked for, p95 is {figures.milliseconds(times.p95_ms)} ms and "
        f"p99 60,000 ms, against a p99 of {figures.milliseconds(times.p99_ms)} ms without them; "
        "the longest took 60,000 ms."
    ) in text


def test_a_mean_of_zero_is_told() -> None:
    findings = two_factors()
    first, second, *others = findings.cells
    by_round = tuple(zip((1, 2, 3), (200.0, 0.0, 210.0), strict=True))
    idle = replace(
        first, throughput_per_s=Estimate(0.0, None, None, 3), throughput_by_round=by_round
    )
    text = " ".join(printed(replace(findings, cells=(idle, second, *others)), 120).split())
    assert (
        "journal_mode=delete, clients=1: not a single transaction in round 2, so the "
        "geometric mean is zero and has no interval. The other rounds: 200.0 to 210.0."
    ) in text
    assert "geometric mean is zero" not in printed(findings, 120)
