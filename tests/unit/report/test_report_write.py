"""Reports as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.report.write import write_report

from .report_examples import one_cell, two_factors
from .report_page import read_page


def test_the_report_is_a_complete_page(tmp_path: Path) -> None:
    assert write_report(one_cell(), tmp_path, ["html"]) == [tmp_path / "report.html"]
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert html.rstrip().endswith("</html>")
    assert "UTC" in read_page(html).text


def test_an_older_report_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("old")
    write_report(one_cell(), tmp_path, ["html"])
    assert "old" not in (tmp_path / "report.html").read_text(encoding="utf-8").split("<style>")[0]


@pytest.mark.parametrize("name", ["docx", "../html", ""])
def test_a_format_that_is_not_known_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(InputError) as caught:
        write_report(one_cell(), tmp_path, ["html", name])
    assert str(caught.value) == f"report format {name!r} is not known; known: html, md, pdf"
    assert list(tmp_path.iterdir()) == []


def test_a_language_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="report language 'de' is not known; known: en, zh"):
        write_report(one_cell(), tmp_path, ["html"], ["de"])


def test_each_format_is_written_in_each_language(tmp_path: Path) -> None:
    paths = write_report(two_factors(), tmp_path, ["html", "md", "pdf"], ["en", "zh"])
    assert [path.name for path in paths] == [
        *("report.html", "report.md", "report.pdf"),
        *("report.zh.html", "report.zh.md", "report.zh.pdf"),
    ]
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert '<html lang="zh-Hans">' in (tmp_path / "report.zh.html").read_text(encoding="utf-8")
    assert (tmp_path / "report.figures" / "01.svg").is_file()


def test_a_summary_is_a_file_of_its_own_with_the_answer_alone(tmp_path: Path) -> None:
    (path,) = write_report(one_cell(), tmp_path, ["html"], is_summary=True)
    assert path.name == "summary.html"
    sections = read_page(path.read_text(encoding="utf-8")).all("section")
    assert [each.attributes["id"] for each in sections] == ["answer"]
