"""Tables that are cut into parts for paper."""

from __future__ import annotations

import pytest

from dbdyno.report.document.model import Body, Cell, Column, Table
from dbdyno.report.document.parts import plain
from dbdyno.report.formats.paper import COLUMNS_OF_PART, MOST_COLUMNS, for_paper


def wide(columns: int) -> Table:
    """Return a table in which two rows share their first header."""
    texts = [f"{place}" for place in range(columns - 2)]
    rows = [
        [Cell("delete", is_header=True, rows=2), Cell("p50", is_header=True), *map(Cell, texts)],
        [Cell("p99", is_header=True), *map(Cell, texts)],
    ]
    names = ["mode", "percentile", *texts]
    return Table("Rates", "Rates.", [*map(Column, names)], [Body(rows, "all")], id="rates")


@pytest.mark.parametrize("columns", [3, MOST_COLUMNS])
def test_a_table_that_fits_stays_whole(columns: int) -> None:
    table = wide(columns)
    assert for_paper(table) == [table]


@pytest.mark.parametrize("columns", [MOST_COLUMNS + 1, 18, 19, 40, 103])
def test_the_parts_hold_every_column_once_and_repeat_the_headers(columns: int) -> None:
    table = wide(columns)
    parts = for_paper(table)
    assert len(parts) == -(-(columns - 2) // COLUMNS_OF_PART)
    headings = [[column.heading for column in part.columns] for part in parts]
    assert all(each[:2] == ["mode", "percentile"] for each in headings)
    assert [text for each in headings for text in each[2:]] == [
        column.heading for column in table.columns[2:]
    ]
    widths = {len(each) for each in headings}
    assert max(widths) - min(widths) <= 1
    for part, heading in zip(parts, headings, strict=True):
        first, second = part.bodies[0].rows
        assert [cell.text for cell in first] == ["delete", "p50", *heading[2:]]
        assert [cell.text for cell in second] == ["p99", *heading[2:]]
        assert part.bodies[0].heading == "all"


def test_each_part_says_which_it_is() -> None:
    captions = [plain(part.caption) for part in for_paper(wide(18))]
    assert captions == ["Rates. Part 1 of 2.", "Rates. Part 2 of 2."]


def test_a_table_without_headers_or_rows_is_cut_too() -> None:
    columns = [Column(str(place)) for place in range(20)]
    assert len(for_paper(Table("x", "x", columns, []))) == 3
    assert len(for_paper(Table("x", "x", columns, [Body([[Cell("1")] * 20])]))) == 3
