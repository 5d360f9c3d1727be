"""The tables' sizes in the page, and in the terminal where cells differ in them."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

from rich.console import Console

from dbdyno.analysis.findings import Findings, SizeSummary
from dbdyno.analysis.size_gap import SizeGap, SizeName
from dbdyno.report.terminal import print_verdicts
from tests.unit.report.written import render_html

from .report_examples import names_only, two_factors
from .report_page import Page, read_page

MIB = 1 << 20
PLAIN = SizeSummary(100.0 * MIB, 80.0 * MIB, False, 3.0 * MIB, 250.0 * MIB, ("tablespaces",))
DENSE = replace(PLAIN, disk_bytes=40.0 * MIB, growth_bytes=-1024.0, sources=("sorted files",))
DENIED = SizeGap(SizeName.DISK, text="denied")
UNKNOWN = SizeSummary(None, 80.0 * MIB, True, None, None, gaps=(DENIED,), notes=("all in memory",))


def sized(*sizes: SizeSummary | None) -> Findings:
    """Return three cells with these sizes."""
    findings = names_only()
    cells = zip(findings.cells, sizes, strict=True)
    return replace(findings, cells=tuple(replace(cell, size=size) for cell, size in cells))


def page_of(findings: Findings) -> Page:
    return read_page(render_html(findings, datetime(2025, 11, 20, tzinfo=UTC)))


def printed(findings: Findings) -> str:
    file = io.StringIO()
    print_verdicts(findings, Console(file=file, width=100))
    return " ".join(file.getvalue().split())


def test_each_cell_has_a_row_with_both_sizes_and_their_ratio() -> None:
    page = page_of(sized(PLAIN, DENSE, UNKNOWN))
    rows = [
        [text.replace("\N{NO-BREAK SPACE}", " ") for text in row] for row in page.tables["sizes"]
    ]
    assert rows[1:] == [
        ["mariadb-10.11", "100 MiB", "80.0 MiB", "0.80", "125.0 %", "+3.00 MiB", "250 MiB"],
        ["mysql-8.4", "40.0 MiB", "80.0 MiB", "2.00", "50.0 %", "−1.00 KiB", "250 MiB"],
        ["mysql-9.1", "–", "≈ 80.0 MiB", "–", "–", "–", "–"],
    ]
    assert page.values["sizes"][:4] == [100.0 * MIB, 80.0 * MIB, 0.8, 1.25]
    text = " ".join(page.text.split())
    assert "Not known – size on disk: denied. (target=mysql-9.1)" in text
    assert "All in memory. (target=mysql-9.1)" in text
    assert "Asked for the sizes on disk: tablespaces; sorted files." in text


def test_nodes_have_no_ratio_and_it_is_said_why() -> None:
    spread = replace(PLAIN, nodes=3)
    page = page_of(sized(spread, spread, spread))
    assert [row[3:5] for row in page.tables["sizes"][1:]] == [["–", "–"]] * 3
    assert "in the databases of 3 nodes, and a row counts as often" in " ".join(page.text.split())


def test_what_holds_for_all_cells_names_none() -> None:
    text = " ".join(page_of(sized(UNKNOWN, UNKNOWN, UNKNOWN)).text.split())
    assert "Not known – size on disk: denied. " in text
    assert "denied. (" not in text


def test_the_terminal_has_a_table_where_cells_differ() -> None:
    text = printed(sized(PLAIN, DENSE, UNKNOWN))
    assert "target=mariadb-10.11 100 MiB 80.0 MiB 0.80 +3.00 MiB" in text
    assert "target=mysql-8.4 40.0 MiB 80.0 MiB 2.00 −1.00 KiB" in text
    nearly = replace(PLAIN, disk_bytes=100.5 * MIB)
    for alike in (sized(PLAIN, nearly, PLAIN), sized(UNKNOWN, UNKNOWN, UNKNOWN)):
        assert "size on" not in printed(alike)


def test_a_result_without_sizes_says_nothing_of_them() -> None:
    page = page_of(two_factors())
    assert "sizes" not in page.tables
    assert "logical size" not in page.text
    assert "logical" not in printed(two_factors())
