"""The section on errors: 0 is said as 0, errors have a row each, and nobody's words mark up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from dbdyno.analysis.errors.model import CellErrors, ErrorFigures, ErrorKind
from dbdyno.analysis.findings import Findings
from dbdyno.report import error_panels
from dbdyno.report.document.build import build_document
from dbdyno.report.document.model import Figure, Paragraph, Section, Table
from dbdyno.report.error_panels import errors_over_time
from dbdyno.report.formats.markdown import write_markdown
from dbdyno.report.language import language
from dbdyno.report.sections.errors import MOST_ROWS_OF_A_CELL, section
from dbdyno.report.words.errors import LONGEST_SAMPLE, sample_in_words
from tests.unit.report.error_examples import (
    DEADLOCK,
    HOSTILE,
    figures_of,
    series_of,
    with_errors,
    without_errors,
)
from tests.unit.report.report_examples import two_factors
from tests.unit.report.report_page import Page, axis_titles, line_points, paints, read_page
from tests.unit.report.written import render_html

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def page() -> Page:
    return read_page(render_html(with_errors(), NOON))


def section_of(findings: Findings) -> Section:
    found = section(findings)
    assert found is not None
    return found


def with_kinds(count: int) -> Findings:
    """One cell with so many kinds of errors, each rarer than the one before."""
    findings = with_errors()
    kinds = [ErrorKind(f"class_{number}", number, None) for number in range(count)]
    errors = tuple(figures_of(kind, 100 - kind.code, "") for kind in kinds if kind.code is not None)
    cell = replace(findings.errors.cells[0], errors=errors, series=(series_of(1),))
    return replace(findings, errors=replace(findings.errors, cells=(cell,)))


def test_no_errors_are_a_sentence_with_0_in_it_and_no_table() -> None:
    (only,) = section_of(without_errors()).blocks
    assert only == Paragraph(
        "0 errors in the windows of 24 trials, in which 1,234,567 transactions ended."
    )


def test_nothing_is_said_where_no_trial_has_a_window() -> None:
    assert section(two_factors()) is None


def test_errors_are_told_in_all_and_those_outside_of_windows_beside(page: Page) -> None:
    assert "160 errors in the windows of 24 trials, in which 1,234,567 transactions" in page.text
    assert "4 more errors occurred before a window or after it" in page.text
    assert "6 cells had 0 errors and have no row." in page.text


def test_each_error_has_a_row_below_its_cell(page: Page) -> None:
    heading, valid, deadlock, duplicate, unused, lost = page.tables["errors-table"]
    assert heading[2:5] == ["class", "code", "errors"]
    assert (valid, unused) == (["valid trials"], ["trials that are not used"])
    assert deadlock == [
        *("delete", "2", "deadlock", "121340001", "120", "0.60\N{NO-BREAK SPACE}%", "2 of 3"),
        *("3–17.5", "60trial 4, 12–13 s", "Deadlock found when trying to get lock"),
    ]
    assert duplicate[:3] == ["duplicate_key", "106223000", "8"]
    assert lost[:5] == ["wal", "4", "connection_lost", "08006", "32"]


def test_words_of_a_server_are_escaped_cut_and_on_one_line() -> None:
    html = render_html(with_errors(), NOON)
    markdown = write_markdown(build_document(with_errors(), NOON, language("en")), "figures").text
    assert "<script>alert" not in html + markdown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert r"\<script\>alert(1)\</script\>" in markdown
    assert "\x1b" not in html + markdown
    shown = sample_in_words(HOSTILE)
    assert len(shown) == LONGEST_SAMPLE
    assert shown.endswith("x…")
    assert "\n" not in shown
    assert sample_in_words(" \n") == "–"


def test_a_panel_has_a_plot_a_class_and_a_line_a_round() -> None:
    valid, unused = errors_over_time(with_errors())
    assert (valid.heading, unused.heading) == (
        "journal_mode=delete, clients=2",
        "journal_mode=wal, clients=4, trials that are not used",
    )
    titles = [title for title in axis_titles(valid.svg) if title.endswith("errors/s")]
    assert titles == ["deadlock, errors/s", "duplicate_key, errors/s"]
    assert [len(line_points(each.svg)) for each in (valid, unused)] == [6, 1]
    assert "Errors in their windows: deadlock: 120; duplicate_key: 8." in valid.svg
    assert 'role="img"' in valid.svg
    assert 'data-rounds="1 2 3"' in valid.svg
    assert {paint for paint in paints(valid.svg) if paint.startswith("#")} == set()


def test_an_error_of_one_second_is_drawn_at_its_second_with_its_rate() -> None:
    (_, unused) = errors_over_time(with_errors())
    ((points,),) = line_points(unused.svg)
    highest_first = sorted(points, key=lambda point: point[1])
    at = [x for x, _ in highest_first[:2]]
    assert at == pytest.approx([250 * 11 / 29, 250 * 12 / 29], abs=0.2)
    assert 'data-plots="linear 0 16.8 56"' in unused.svg


def test_many_rounds_are_three_lines_and_those_without_errors_count() -> None:
    findings = with_errors()
    rounds = [series_of(1, deadlock={4: 10}), *(series_of(number) for number in range(2, 21))]
    cell = replace(findings.errors.cells[0], errors=(figures_of(DEADLOCK, 10, ""),))
    many = replace(cell, series=tuple(rounds))
    findings = replace(findings, errors=replace(findings.errors, cells=(many,)))
    (drawing,) = errors_over_time(findings)
    lowest, highest, median = (line[0] for line in line_points(drawing.svg))
    assert len({y for _, y in lowest}) == len({y for _, y in median}) == 1
    assert len({y for _, y in highest}) > 1
    assert "more than 12 rounds, three lines" in error_panels.note(findings)


def test_of_many_kinds_the_rarest_share_a_row_and_have_no_plot() -> None:
    findings = with_kinds(20)
    table = next(block for block in section_of(findings).blocks if isinstance(block, Table))
    rows = table.bodies[0].rows
    assert len(rows) == MOST_ROWS_OF_A_CELL + 1
    rest = 20 - MOST_ROWS_OF_A_CELL
    assert rows[-1][0].text == f"{rest} rarer kinds"
    assert rows[-1][2].value == sum(100 - number for number in range(MOST_ROWS_OF_A_CELL, 20))
    (drawing,) = errors_over_time(findings)
    assert sum(title.endswith("errors/s") for title in axis_titles(drawing.svg)) == 3
    assert "the 3 most frequent classes" in error_panels.note(findings)


def test_of_very_many_cells_some_are_drawn_and_the_caption_says_so() -> None:
    findings = with_errors()
    one = findings.errors.cells[0]
    many: tuple[CellErrors, ...] = (one,) * 101
    findings = replace(findings, errors=replace(findings.errors, cells=many))
    figure = next(block for block in section_of(findings).blocks if isinstance(block, Figure))
    assert len(figure.drawings) == 40
    assert "Of 101 cells with errors, 40 are drawn" in "".join(map(str, figure.caption))


def test_a_trial_in_which_nothing_ended_has_no_share() -> None:
    findings = with_errors()
    error: ErrorFigures = replace(figures_of(DEADLOCK, 10, "x"), share=None)
    cell = replace(findings.errors.cells[0], errors=(error,))
    findings = replace(findings, errors=replace(findings.errors, cells=(cell,)))
    table = next(block for block in section_of(findings).blocks if isinstance(block, Table))
    assert [cell.text for cell in table.bodies[0].rows[0]][4:6] == ["10", "–"]


def test_intervals_of_unequal_length_are_rates() -> None:
    findings = with_errors()
    each = replace(series_of(1, deadlock={4: 10}), duration_s=np.full(30, 0.5))
    cell = replace(findings.errors.cells[0], errors=(figures_of(DEADLOCK, 10, ""),), series=(each,))
    findings = replace(findings, errors=replace(findings.errors, cells=(cell,)))
    (drawing,) = errors_over_time(findings)
    assert 'data-plots="linear 0 21 56"' in drawing.svg
