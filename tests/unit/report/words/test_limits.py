"""Limits in words: in one line, in the table of the page, and nothing of others as markup."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from dbdyno.analysis.bottleneck.model import (
    CellLimit,
    Certainty,
    Figure,
    FigureName,
    Limit,
    LimitCode,
    Need,
    TimeKind,
    TimeShare,
    Unknown,
)
from dbdyno.analysis.findings import Findings
from dbdyno.report.terminal import print_verdicts
from dbdyno.report.words import limits as words
from tests.unit.report.report_examples import names_only
from tests.unit.report.report_page import Page, read_page
from tests.unit.report.written import render_html

EVIL = "<b>vda</b>"
SHARE = Figure(FigureName.CPU_BUSY, 0.951, 0.93, 0.972, 3, 0.9)
THREADS = Figure(FigureName.CPU_WAITING, 4.25, 4.25, 4.25, 1, 0.3)
CPU = Limit(
    LimitCode.SERVER_CPU, "server", "local", figures=(SHARE, THREADS), certainty=Certainty.SHOWN
)
DISK = Limit(LimitCode.DISK, "", "db1", EVIL, certainty=Certainty.LIKELY)


def with_limits() -> Findings:
    """Three cells: one with two limits, one with none, one of which too little is known."""
    findings = names_only()
    first, second, third = (cell.cell for cell in findings.cells)
    unknown = (
        Unknown(LimitCode.ROW_LOCKS, Need.COUNTERS),
        Unknown(LimitCode.COMMIT, Need.COUNTERS),
    )
    time = (TimeShare(TimeKind.CPU, 0.25), TimeShare(TimeKind.LOCK, 0.75))
    return replace(
        findings,
        limits=(
            CellLimit(first, 3, limits=(CPU, DISK), time=time),
            CellLimit(second, 3, not_growing=(DISK,), unknown=unknown),
            CellLimit(third, 0),
        ),
    )


def page() -> Page:
    return read_page(render_html(with_limits(), datetime(2026, 1, 1, tzinfo=UTC)))


def test_every_code_has_words() -> None:
    assert words.CODES.keys() == set(LimitCode)
    assert words.NEEDS.keys() == set(Need)
    assert words.TIMES.keys() == set(TimeKind)
    assert words.CERTAINTIES.keys() == set(Certainty)


@pytest.mark.parametrize("name", list(FigureName))
def test_every_figure_has_words(name: FigureName) -> None:
    text = words.limit_evidence(Limit(LimitCode.DISK, figures=(Figure(name, 0.5, 0.5, 0.5, 1),)))
    assert "0.5" in text or "50" in text


def test_evidence_has_value_range_and_threshold() -> None:
    assert words.limit_evidence(CPU).replace("\N{NO-BREAK SPACE}", " ") == (
        "CPUs 95.1 % busy or stolen (93.0 % to 97.2 %, from 90.0 % on it counts); "
        "4.25 threads waiting for a CPU (from 0.300 on it counts)"
    )
    judging = min(each.trials for each in CPU.figures)
    assert words.limit_evidence(CPU, judging) == words.limit_evidence(CPU)
    assert words.limit_evidence(CPU, judging + 1) == (
        f"{words.limit_evidence(CPU)}; in {judging} of {judging + 1} trials"
    )
    assert words.limit_name(CPU) == "server CPU (server on local)"
    assert words.limit_name(Limit(LimitCode.GIVEN_LOAD)) == "the load that was given"


def test_what_is_not_known_is_not_ruled_out_where_nothing_was_found() -> None:
    cell = names_only().cells[0].cell
    unknown = (Unknown(LimitCode.DISK, Need.HOST), Unknown(LimitCode.DISK, Need.HOST))
    nothing = CellLimit(cell, 1, unknown=unknown)
    assert words.not_ruled_out_line([nothing]) == "Not known, and so not ruled out: disk."
    assert words.not_ruled_out_line([CellLimit(cell, 1)]) == ""
    assert words.not_ruled_out_line([CellLimit(cell, 1, limits=(CPU,), unknown=unknown)]) == ""
    assert words.not_ruled_out_line([CellLimit(cell, 0, unknown=unknown)]) == ""


def test_one_line_counts_cells() -> None:
    cell = names_only().cells[0].cell
    shown, none = CellLimit(cell, 1, limits=(CPU,)), CellLimit(cell, 1)
    likely = CellLimit(cell, 1, limits=(DISK,))
    assert words.limits_line(()) == ""
    assert words.limits_line((CellLimit(cell, 0),)) == ""
    assert words.limits_line((none,)) == "Limit: nothing found."
    assert words.limits_line((likely,)) == "Limit: disk (likely only, as load was not varied)."
    assert words.limits_line((shown, shown, none)) == (
        "Limit: server CPU in 2 of 3 cells; nothing found in 1."
    )
    assert words.limits_line((shown, likely)).endswith(
        "disk in 1. In 1 cell this is likely only, as load was not varied."
    )
    both = CellLimit(cell, 1, limits=(CPU, DISK))
    assert words.limits_line((shown, both)).startswith("Limit: server CPU in 2 of 2 cells; disk in")


def test_what_is_unknown_is_told_by_what_it_takes() -> None:
    (line,) = words.all_unknown(with_limits().limits)
    assert line == (
        "row locks, log writes of commits: the server was not asked; "
        "watch: {server: counters} asks it"
    )


def test_a_disk_of_which_a_server_may_use_a_part_has_the_names_of_both() -> None:
    limit = Limit(LimitCode.DISK, "node-2", "db1", "vda")
    assert words.limit_name(limit) == "disk (vda, limited for node-2 on db1)"


def test_the_page_has_each_limit_with_its_cell() -> None:
    rows = page().tables["limits-table"]
    assert [row[0] for row in rows[1:]] == [
        "mariadb-10.11",
        f"disk ({EVIL} on db1)",
        "mysql-8.4",
        "mysql-9.1",
    ]
    assert rows[1][1:4] == [
        "server CPU (server on local)",
        words.limit_evidence(CPU, 3),
        "shown: waiting for it grows with load, and its use does not fall",
    ]
    assert rows[3][1] == "nothing found"
    assert rows[3][2].startswith("at the limit, but not more so with more load: disk")
    assert rows[4][1] == "no valid trial"


def test_the_page_says_what_is_not_known_and_where_time_went() -> None:
    found = page()
    assert "Not known, so that it may have been a limit all the same" in found.text
    assert "watch: {server: counters} asks it" in found.text
    ((_, time),) = found.tables["time-table"][1:]
    assert time.replace("\N{NO-BREAK SPACE}", " ") == "locks 75.0 %, CPU 25.0 %"


def test_nothing_of_a_result_is_taken_for_markup() -> None:
    html = render_html(with_limits(), datetime(2026, 1, 1, tzinfo=UTC))
    assert EVIL not in html
    assert "&lt;b&gt;vda" in html


def test_the_answer_and_the_terminal_have_one_line() -> None:
    line = "Limit: server CPU in 1 of 2 cells; disk in 1; nothing found in 1."
    assert line in page().text
    file = io.StringIO()
    print_verdicts(with_limits(), Console(file=file, width=100))
    assert line in file.getvalue()


def test_a_result_without_limits_has_no_section() -> None:
    html = render_html(names_only(), datetime(2026, 1, 1, tzinfo=UTC))
    assert "#limits" not in html
    assert "limits-table" not in html


@pytest.mark.parametrize(
    ("others", "name"),
    [(1.74, "other programs, which used most of the host's CPUs"), (0.1, "CPUs of the host")],
)
def test_the_cpus_of_a_host_are_named_by_who_used_them(others: float, name: str) -> None:
    used = {FigureName.SERVER_CORES: 0.2, FigureName.OTHER_CORES: others}
    told = tuple(Figure(each, cores, cores, cores, 1) for each, cores in used.items())
    assert words.limit_name(Limit(LimitCode.HOST_CPU, figures=told)) == name
