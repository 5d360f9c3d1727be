"""Reports as PDF: what is refused before, and that nothing is fetched."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest
from weasyprint import HTML

from dbdyno.analysis.findings import Findings
from dbdyno.errors import InputError
from dbdyno.report.document.build import build_document
from dbdyno.report.formats import pdf
from dbdyno.report.formats.html import write_print_html
from dbdyno.report.language import language
from dbdyno.report.write import refuse_unwritable, write_report
from tests.unit.report.report_examples import (
    nothing_valid,
    one_cell,
    three_factors,
    two_factors,
    watched,
)

NO_FONT = "a PDF in Chinese needs a font with Chinese characters, and none is installed"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder that programs are found in; it has none yet."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def fc_list(folder: Path, output: str, status: int = 0) -> None:
    """Put a program in the folder that lists these fonts when asked for Chinese ones."""
    program = folder / "fc-list"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = ":lang=zh-cn" ] || exit 9\nprintf "{output}"\nexit {status}\n'
    )
    program.chmod(0o755)


def test_without_weasyprint_it_is_told_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(InputError) as caught:
        pdf.require(["en"])
    assert str(caught.value).startswith("a PDF needs WeasyPrint and the library Pango: pip install")
    assert "apt install libpango-1.0-0" in str(caught.value)


def test_without_weasyprint_other_formats_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    refuse_unwritable(["html", "md"], ["en", "zh"])
    assert write_report(one_cell(), tmp_path, ["md"]) == [tmp_path / "report.md"]


def test_nothing_is_written_where_one_of_the_formats_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(InputError):
        write_report(one_cell(), tmp_path, ["html", "pdf"])
    assert list(tmp_path.iterdir()) == []


def test_chinese_needs_a_font(programs: Path) -> None:
    fc_list(programs, "")
    with pytest.raises(InputError, match=NO_FONT):
        pdf.require(["en", "zh-Hans"])
    pdf.require(["en"])


def test_chinese_is_written_where_a_font_has_its_characters(programs: Path) -> None:
    fc_list(programs, "Noto Sans CJK SC\\n")
    pdf.require(["zh-Hans"])


def test_where_fonts_cannot_be_listed_nothing_is_refused(programs: Path) -> None:
    pdf.require(["zh-Hans"])
    fc_list(programs, "", status=1)
    pdf.require(["zh-Hans"])


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A style sheet that was read would hide nearly all of the report."""
    style = tmp_path / "style.css"
    style.write_text("main, footer { display: none }")
    document = build_document(two_factors(), datetime(2026, 7, 1, tzinfo=UTC), language("en"))
    page = write_print_html(document)

    def with_links(*urls: str) -> str:
        links = "".join(f'<link rel="stylesheet" href="{url}">' for url in urls)
        return page.replace("</head>", f"{links}</head>")

    def connect(*_: object) -> None:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(socket.socket, "connect", connect)
    inside = f"data:text/css,{quote(style.read_text())}"
    named = with_links(style.as_uri(), inside, "http://192.0.2.1/style.css")
    monkeypatch.setattr(pdf, "write_print_html", lambda _: named)
    size_bytes = len(pdf.write_pdf(document))
    monkeypatch.setattr(pdf, "write_print_html", lambda _: page)
    assert size_bytes == len(pdf.write_pdf(document)) > 10_000


def test_a_page_for_print_has_neither_script_nor_variables_in_drawings() -> None:
    document = build_document(one_cell(), datetime(2026, 7, 1, tzinfo=UTC), language("en"))
    page = write_print_html(document)
    assert "<script" not in page
    assert "script-src" not in page
    drawings = page.split("<svg")[1:]
    assert not any("var(" in each.split("</svg>")[0] for each in drawings)


@pytest.mark.parametrize("make", [two_factors, watched, three_factors, nothing_valid])
def test_a_summary_is_one_page(make: Callable[[], Findings]) -> None:
    at = datetime(2026, 7, 1, tzinfo=UTC)
    document = build_document(make(), at, language("en"), is_summary=True)
    assert len(HTML(string=write_print_html(document)).render().pages) == 1
