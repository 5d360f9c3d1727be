"""Reports as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.report.write import write_report

from .report_examples import one_cell
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


@pytest.mark.parametrize("name", ["pdf", "md", "docx", "../html"])
def test_a_format_that_is_not_there_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(InputError) as caught:
        write_report(one_cell(), tmp_path, ["html", name])
    assert str(caught.value) == (
        f"report format {name!r} is not in this release, which writes: html; "
        "to get a PDF, print the HTML report from a browser"
    )
    assert list(tmp_path.iterdir()) == []
