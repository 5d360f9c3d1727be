"""Reports of a real result: formats, languages and the summary, by options and by the file."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.live.run.launch import Ended, call
from tests.unit.report.formats.markdown_page import read_markdown

EXPERIMENT = """\
experiment: tiny
question: Are two clients faster than one?
workload: {sysbench: {script: oltp_point_select, table_size: 100}}
target: {sqlite: {}}
factors: {clients: [1, 2]}
procedure: {warmup: 0.1s, duration: 0.6s, interval: 0.1s, rounds: 2}
"""
IN_CHINESE = "report: {languages: [zh], formats: [html, md]}\n"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a result whose file asks for pages and Markdown in Chinese."""
    directory = tmp_path_factory.mktemp("formats")
    (directory / "tiny.yaml").write_text(EXPERIMENT + IN_CHINESE)
    done = call(["run", "tiny.yaml", "--out", "result"], directory=directory)
    assert done.status == 0, done.errors
    assert reports(done) == ["result/report.zh.html", "result/report.zh.md"]
    return directory


@pytest.fixture
def directory(measured: Path, tmp_path: Path) -> Path:
    """Return a copy of the result without any report."""
    shutil.copytree(measured / "result", tmp_path / "result")
    for path in written(tmp_path):
        (tmp_path / "result" / path).unlink()
    return tmp_path


def reports(done: Ended) -> list[str]:
    """Return what the command says it has written."""
    lines = done.output.splitlines()
    return [line.removeprefix("report: ") for line in lines if line.startswith("report: ")]


def written(directory: Path) -> list[str]:
    """Return the files of reports and summaries, without those of drawings."""
    result = directory / "result"
    found = [*result.glob("report.*"), *result.glob("summary.*")]
    return sorted(path.name for path in found if path.is_file())


def test_the_file_says_which_reports_a_run_writes(measured: Path) -> None:
    assert written(measured) == ["report.zh.html", "report.zh.md"]
    page = (measured / "result" / "report.zh.html").read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in page


def test_a_report_that_is_written_again_is_what_the_file_says(directory: Path) -> None:
    done = call(["report", "result"], directory=directory)
    assert done.status == 0
    assert reports(done) == ["result/report.zh.html", "result/report.zh.md"]
    assert written(directory) == ["report.zh.html", "report.zh.md"]


def test_each_format_is_written_in_each_language_as_a_summary(directory: Path) -> None:
    options = ["--format", "md,pdf", "--lang", "en,zh", "--summary"]
    done = call(["report", "result", *options], directory=directory)
    assert done.status == 0, done.errors
    names = ["summary.md", "summary.pdf", "summary.zh.md", "summary.zh.pdf"]
    assert reports(done) == [f"result/{name}" for name in names]
    assert written(directory) == sorted(names)
    for name in ("summary.pdf", "summary.zh.pdf"):
        assert (directory / "result" / name).read_bytes().startswith(b"%PDF-")
    page = read_markdown((directory / "result" / "summary.md").read_text(encoding="utf-8"))
    assert page.texts[0] == "tiny"
    assert page.anchors == {"answer"}
    assert page.images
    for image in page.images:
        assert (directory / "result" / image).is_file()


def test_an_option_takes_the_place_of_what_the_file_says(directory: Path) -> None:
    done = call(["report", "result", "--format", "html , md"], directory=directory)
    assert reports(done) == ["result/report.zh.html", "result/report.zh.md"]
    done = call(["report", "result", "--lang", "en", "--format", "md,md"], directory=directory)
    assert reports(done) == ["result/report.md"]


def test_a_pdf_that_cannot_be_written_is_refused_before_anything_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny.yaml").write_text(EXPERIMENT + "report: {formats: [html, pdf]}\n")
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    done = call(["run", "tiny.yaml", "--out", "result"], directory=tmp_path)
    assert done.status == 2
    assert "a PDF needs WeasyPrint and the library Pango" in " ".join(done.errors.split())
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.yaml"]


def test_a_pdf_that_cannot_be_written_is_refused_before_the_other_formats(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    done = call(["report", "result", "--format", "html,pdf"], directory=directory)
    assert done.status == 2
    assert "a PDF needs WeasyPrint" in done.errors
    assert written(directory) == []


def test_the_reports_of_a_result_may_be_asked_for_anew(measured: Path, tmp_path: Path) -> None:
    shutil.copytree(measured / "result", tmp_path / "result")
    (tmp_path / "tiny.yaml").write_text(EXPERIMENT + "report: {formats: [md]}\n")
    done = call(["run", "tiny.yaml", "--out", "result"], directory=tmp_path)
    assert done.status == 0, done.errors
    assert reports(done) == ["result/report.md"]
    assert reports(call(["report", "result"], directory=tmp_path)) == ["result/report.md"]


def test_a_report_against_another_baseline_is_a_file_of_its_own(directory: Path) -> None:
    done = call(
        ["report", "result", "--baseline", "clients=2", "--format", "md", "--lang", "en"],
        directory=directory,
    )
    assert done.status == 0, done.errors
    assert reports(done) == ["result/report.clients=2.md"]
    assert written(directory) == ["report.clients=2.md"]
    chosen = "clients=2, chosen for this report; the experiment has clients=1."
    assert chosen in " ".join(done.output.split())
    text = (directory / "result" / "report.clients=2.md").read_text(encoding="utf-8")
    assert chosen in text
    assert "1 against 2" in text
    assert "2 against 1" not in text


def test_a_baseline_that_is_none_is_refused_before_anything_is_read(directory: Path) -> None:
    for path in (directory / "result" / "trials").iterdir():
        shutil.rmtree(path)
    done = call(["report", "result", "--baseline", "clients=3"], directory=directory)
    assert done.status == 2
    assert done.errors == "baseline clients=3: no such level; there are 1, 2\n"
    assert written(directory) == []
