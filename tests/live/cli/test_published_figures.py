"""Published figures in the report of a real run: copied, marked, drawn again from the copies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.live.run.launch import call
from tests.unit.report.formats.markdown_page import read_markdown

EXPERIMENT = """\
experiment: tiny
question: Are two clients faster than one?
workload: {sysbench: {script: oltp_point_select, table_size: 100}}
target: {sqlite: {}}
factors: {clients: [1, 2]}
procedure: {warmup: 0.1s, duration: 0.6s, interval: 0.1s, rounds: 2}
report:
  formats: [md]
  published:
    - source: Their report, 9 servers
      files: [figures/theirs.csv]
      match: {threads: {factor: clients, levels: {8: 1, 16: 2}}}
"""
TABLE = "threads,note,tps\n8,mysql://me:secret@db1/x,100\n16,mysql://me:secret@db1/x,150\n"
DESCRIPTION = "facts: {success_percent: 100, window_s: 60}\n"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a result; what it was made of is gone."""
    directory = tmp_path_factory.mktemp("published")
    (directory / "figures").mkdir()
    (directory / "figures" / "theirs.csv").write_text(TABLE)
    (directory / "figures" / "theirs.audit.yaml").write_text(DESCRIPTION)
    (directory / "tiny.yaml").write_text(EXPERIMENT)
    planned = call(["plan", "tiny.yaml"], directory=directory)
    said = "2 published figures (theirs.csv) of Their report, 9 servers; threads is clients"
    assert said in " ".join(planned.output.split())
    done = call(["run", "tiny.yaml", "--out", "result"], directory=directory)
    assert done.status == 0, done.errors
    shutil.rmtree(directory / "figures")
    (directory / "tiny.yaml").unlink()
    return directory / "result"


def test_a_report_is_drawn_again_when_the_originals_are_gone(measured: Path) -> None:
    first = section(measured)
    (measured / "report.md").unlink()
    done = call(["report", "result", "--format", "md,html"], directory=measured.parent)
    assert done.status == 0, done.errors
    assert section(measured) == first
    page = (measured / "report.html").read_text(encoding="utf-8")
    assert page.count('id="cells"') == 1


def test_the_report_says_whose_figures_they_are(measured: Path) -> None:
    said = section(measured)
    assert "The figures of this section were not measured by this experiment." in said
    assert "Their report, 9 servers" in said
    assert "theirs.csv: A success of 100 % is stated" in said.replace("\N{NO-BREAK SPACE}", " ")
    captions = said.count("![Transactions per second")
    tables = sum(line.startswith("| :--") for line in said.splitlines())
    ratios = 1
    assert captions == 1
    assert said.count("**Published, of another machine.**") == captions + tables - ratios


def test_ratios_stand_side_by_side(measured: Path) -> None:
    (row,) = [line for line in section(measured).splitlines() if "| 2 / 1<br>16 / 8 |" in line]
    assert "| throughput | 1.50 |" in row
    assert r"<br>\[" in row.rpartition("1.50")[2]


def test_no_copy_has_a_password(measured: Path) -> None:
    copies = [path for path in (measured / "published").rglob("*") if path.is_file()]
    names = {str(path.relative_to(measured / "published")) for path in copies}
    assert names == {"sources.json", "1/theirs.csv", "1/theirs.audit.yaml"}
    texts = [path.read_text() for path in measured.rglob("*.*") if path.suffix in (".csv", ".md")]
    assert texts
    assert not any("secret" in text for text in texts)


def test_a_damaged_copy_is_named(measured: Path) -> None:
    copy = measured / "published" / "1" / "theirs.csv"
    kept = copy.read_bytes()
    copy.unlink()
    try:
        done = call(["report", "result"], directory=measured.parent)
    finally:
        copy.write_bytes(kept)
    assert done.status == 2
    assert (
        "result/published/1/theirs.csv: cannot be read (No such file or directory)" in done.errors
    )


def section(result: Path) -> str:
    """Return the section of published figures in the Markdown report."""
    text = (result / "report.md").read_text(encoding="utf-8")
    assert read_markdown(text)
    return text.partition("## Published figures, of another machine\n")[2].partition("\n## ")[0]
