"""Facts that a text beside a table tells: which are taken, which are not, what is found by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.audit.audit import audit
from dbdyno.analysis.audit.model import Code
from dbdyno.results_table.model import ResultsTable
from dbdyno.results_table.read import read_tables

TABLE = "system,tpmC,success rate (%)\nA,1200,100\nB,1250,100\n"
ROW = "| TPC-C | rates.csv, -claims.csv | 100 warehouses, 2 minutes each, no warm-up |\n"


def read(folder: Path, text: str, description: str = "") -> ResultsTable:
    (folder / "rates.csv").write_text(TABLE)
    (folder / "README.md").write_text(f"# Results\n\n{text}")
    if description:
        (folder / "rates.audit.yaml").write_text(description)
    (table,) = read_tables([folder / "rates.csv"], None)
    return table


def told(table: ResultsTable) -> dict[str, float]:
    return {note.fact: note.value for note in table.notes}


def test_facts_of_a_line_that_names_the_file_are_taken(tmp_path: Path) -> None:
    table = read(tmp_path, ROW)
    assert told(table) == {"warehouses": 100, "window_s": 120, "warmup_s": 0}
    assert {note.line for note in table.notes} == {3}
    assert [each.code for each in audit([table])] == [Code.SHORT_WINDOW]


@pytest.mark.parametrize(
    "text",
    [
        "Elsewhere: 50 warehouses, 2 minutes each.\n",
        "| other-rates.csv | 50 warehouses, 2 minutes each |\n",
        "| rates.csv | 2 minutes between runs, one of 9 cases |\n",
        "`rates.csv`: 50 warehouses; `more.csv`: 80 warehouses\n",
    ],
)
def test_other_lines_tell_nothing(tmp_path: Path, text: str) -> None:
    table = read(tmp_path, text)
    assert told(table) == {}
    assert list(audit([table])) == []


def test_a_description_is_believed_before_a_text(tmp_path: Path) -> None:
    table = read(tmp_path, ROW, "facts: {warehouses: 1000, window_s: 1800}\n")
    assert told(table) == {"warmup_s": 0}
    assert table.description.facts.warehouses == 1000


@pytest.mark.parametrize(
    ("words", "fact", "value"),
    [
        ("8 rounds of 20 minutes each", "window_s", 1200),
        ("300 s warm-up", "warmup_s", 300),
        ("warm-up of 5 min", "warmup_s", 300),
        ("1 h measured", "window_s", 3600),
        ("10 minutes a run and 5 minutes between runs", "window_s", 600),
        ("2,000 warehouses (182 GB)", "warehouses", 2000),
        ("success rate: 100 %", "success_percent", 100),
    ],
)
def test_words_of_a_fact(tmp_path: Path, words: str, fact: str, value: float) -> None:
    assert told(read(tmp_path, f"- rates.csv: {words}\n")) == {fact: value}


REPORT = """# Test

{text}

| threads | tpmC | success rate (%) |
|---|---|---|
| 8 | 1200000 | 100 |
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("warehouses = 1000", {"warehouses": 1000}),
        (
            "每次测试前先 warm up 300 秒，每次测试持续 30 分钟。",
            {"warmup_s": 300, "window_s": 1800},
        ),
        ("分别发起 8/16 并发的2分钟压力测试", {"window_s": 120}),
        ("对 TiDB 测试 10 分钟，间隔 5 分钟", {"window_s": 600}),
        ("warehouses = 100, and warehouses = 1000", {}),
    ],
)
def test_a_reports_own_text_is_of_its_tables(
    text: str, expected: dict[str, float], tmp_path: Path
) -> None:
    (tmp_path / "report.md").write_text(REPORT.format(text=text), encoding="utf-8")
    (table,) = read_tables([tmp_path / "report.md"], None)
    assert told(table) == expected
