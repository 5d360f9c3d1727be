"""Reports as people copy them: rows of headings, no line of dashes, means away from rounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.audit.audit import audit
from dbdyno.analysis.audit.checked import checked_claims
from dbdyno.analysis.audit.model import AuditFinding, Code
from dbdyno.cli.audit_output import print_findings
from dbdyno.errors import InputError
from dbdyno.results_table.model import ResultsTable
from dbdyno.results_table.read import read_tables


def tables_of(tmp_path: Path, text: str) -> list[ResultsTable]:
    file = tmp_path / "report.md"
    file.write_text(text, encoding="utf-8")
    return read_tables([file], None)


def found(tmp_path: Path, text: str, code: Code) -> list[AuditFinding]:
    return [each for each in audit(tables_of(tmp_path, text)) if each.code is code]


SHARDS = """
| balancing | lvs | < | list | < |
|---|---|---|---|---|
| **shard function** | **crc32** | < | **modulo** | < |
| **data nodes** | **9** | **3** | **9** | **18** |
| **clients** | **tpmC** | **tpmC** | **tpmC** | **tpmC** |
| 1 | 3048.96 | 4358.70 | 4491.08 | 4372.74 |
| 8 | 23202.36 | 33510.06 | 33506.47 | 33896.61 |
"""


def test_rows_of_headings_with_names_are_levels_of_factors(tmp_path: Path) -> None:
    (table,) = tables_of(tmp_path, SHARDS)
    figure = next(each for each in table.figures if each.number.text == "33896.61")
    assert dict(figure.levels) == {"clients": "8", "shard function": "modulo", "data nodes": "18"}
    assert (figure.subject, figure.metric.name) == ("list", "tpmc")
    assert len(table.figures) == 8
    (finding,) = found(tmp_path, SHARDS, Code.CONFOUNDED)
    assert "balancing" in str(finding.lines)


def test_rows_in_bold_are_rows_where_all_are(tmp_path: Path) -> None:
    text = "| system | tps |\n|---|---|\n| **A** | 100 |\n| **B** | 120 |\n"
    (table,) = tables_of(tmp_path, text)
    assert table.subjects == ("A", "B")


def test_a_total_that_stands_twice_is_of_the_columns_beside_each(tmp_path: Path) -> None:
    form = (
        "| machine | one | two | Total tpmC | three | four | Total tpmC |\n"
        "|---|---|---|---|---|---|---|\n"
        "| **clients** | **tpmC** | **tpmC** | ^ | **tpmC** | **tpmC** | ^ |\n"
        "| 1 | 10 | 20 | 30 | 40 | 50 | 90 |\n| 2 | 11 | 21 | 32 | 41 | 51 | 92 |\n"
        "| 4 | 12 | 22 | 34 | 42 | 52 | {last} |\n"
    )
    right, wrong = form.format(last=94), form.format(last=99)
    assert not found(tmp_path, right, Code.DUPLICATE)
    assert not found(tmp_path, right, Code.SUM_WRONG)
    (finding,) = found(tmp_path, wrong, Code.SUM_WRONG)
    assert "99" in str(finding.lines)


COPIED = """1. Results
at 48 GB
TPS | 8th | 16th | 32th |
A | 100 | 200 | 300 |
B | 110 | 190 | 350 |
TPS | 8th | 16th | 32th |
A | 101 | 201 | 301 |
B | 111 | 191 | 351 |
"""


def test_copied_tables_are_found_without_dashes_and_within_a_list(tmp_path: Path) -> None:
    first, second = tables_of(tmp_path, COPIED)
    figure = first.figures[4]
    assert (figure.metric.name, figure.subject, figure.number.text) == ("tps", "B", "190")
    assert dict(figure.levels) == {"threads": "16"}
    assert figure.place.line == 5
    assert second.figures[0].number.text == "101"


def test_tables_side_by_side_are_two(tmp_path: Path) -> None:
    heads = "TPS | 8th | 16th | QPS | 8th | 16th |\n"
    text = heads + "A | 1 | 2 | A | 20 | 40 |\nB | 3 | 4 | B | 60 | 80 |\n"
    first, second = tables_of(tmp_path, text)
    assert {each.metric.name for each in first.figures} == {"tps"}
    assert [each.number.text for each in second.figures] == ["20", "40", "60", "80"]


def test_bars_in_code_are_no_table(tmp_path: Path) -> None:
    code = "```\nsystem | tps |\nC | 5 |\n```\n"
    (table,) = tables_of(
        tmp_path, code + COPIED.partition("TPS")[0] + "\nTPS | 8th | 16th |\nA | 1 | 2 |\n"
    )
    assert len(table.figures) == 2


LOST = """memory | kind | total | tps | tpmC | | | |
---|---|---|---|---|---|---|---|
T | I | T | I | T | I | | |
192G | New-Order | 18,000 | 9,000 | 10 | 5 | 600 | 300 |
Payment | 18,007 | 9,011 | 10 | 5 | | | |
8G | New-Order | 3,600 | 1,800 | 2 | 1 | 120 | 60 |
Payment | 3,604 | 1,801 | 2 | 1 | | | |
"""


def test_cells_that_slipped_where_merges_were_lost_are_put_back(tmp_path: Path) -> None:
    (table,) = tables_of(tmp_path, LOST)
    assert table.unread == ()
    known = {
        (*sorted(dict(each.levels).values()), each.place.column): each.number.text
        for each in table.figures
    }
    assert len(known) == 20
    assert known["8G", "Payment", "tps I"] == "1"
    assert known["8G", "New-Order", "tpmC T"] == "120"


def test_a_table_that_is_not_understood_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text stands where only numbers are, so that nobody knows what slipped."""
    file = tmp_path / "report.md"
    for text, is_named in ((LOST, False), (LOST.replace("Payment | 18,007", "Payment | x"), True)):
        file.write_text(text)
        tables = read_tables([file], None)
        print_findings(tables, audit(tables), everything=False)
        said = " ".join(capsys.readouterr().out.split())
        assert ("columns without a heading" in said) is is_named


def test_headings_that_slipped_by_one_cell_are_put_back(tmp_path: Path) -> None:
    text = "48G | 96G | tps | |\nA | 10 | 20 | 30 |\nB | 11 | 21 | 31 |\n"
    (table,) = tables_of(tmp_path, text)
    assert {each.place.column for each in table.figures} == {"48G", "96G", "tps"}


ROUNDS = """
| tpmC | IBP = 128G | IBP = 256G |
|---|---|---|
| A | {mean} | 451.25 |
| B | 346.49 | 337.12 |

- IBP = 128G

| IBP = 128G | Round 1 | Round 2 | Round 3 | Round 4 | Round 5 |
|---|---|---|---|---|---|
| A | 450.62 | 456.95 | 419.83 | 459.99 | 459.41 |
| B | 343.99 | 345.94 | 324.83 | 352.62 | 352.12 |
"""


@pytest.mark.parametrize(
    ("mean", "left_out"), [("456.74", ("3",)), ("449.36", None), ("470.00", None)]
)
def test_means_and_their_rounds_in_two_tables_belong_together_by_their_figures(
    mean: str, left_out: tuple[str, ...] | None, tmp_path: Path
) -> None:
    findings = found(tmp_path, ROUNDS.format(mean=mean), Code.ROUNDS_LEFT_OUT)
    named = [
        dict(line.figures)["rounds"]
        for each in findings
        for line in each.lines
        if line.kind == "left_out" and dict(line.figures)["name"] == "A"
    ]
    assert named == ([left_out] if left_out else [])


SAID = """
| threads | A TPS | B TPS | improvement (%) |
|---|---|---|---|
| 150 | 296958 | 291233 | -1.93 |
| 300 | 442315 | 450641 | 1.88 |
| 600 | 536790 | 571275 | 6.42 |
| 900 | 545976 | 592352 | 8.49 |

B against A: throughput improved by {amount}%.
"""


def test_a_sentence_with_the_plain_mean_of_a_column_is_one(tmp_path: Path) -> None:
    # (-1.93 + 1.88 + 6.42 + 8.49) / 4; the geometric mean is 3.64.
    (finding,) = found(tmp_path, SAID.format(amount="3.715"), Code.MEAN_OF_RATIOS)
    assert "3.715" in str(finding.lines)
    assert not found(tmp_path, SAID.format(amount="3.64"), Code.MEAN_OF_RATIOS)


SECTIONS = """\
| 1G | 2G | 4G | avg | |
| B vs A | 0.6000 | 0.7500 | 0.9000 | 0.7500 |

2.1 cache=1G

| TPS | 8th | 64th |
| A | 100 | 200 |
| B | 90 | 120 |

| QPS | 8th | 64th |
| A | 2000 | 4000 |
| B | 1800 | 2400 |

2.2 cache=2G

| TPS | 8th | 64th |
| A | 110 | 400 |
| B | 90 | 300 |

2.3 cache=4G

| TPS | 8th | 64th |
| A | 120 | 500 |
| B | 90 | 450 |
"""


def test_ratios_of_sections_are_of_the_tables_below_their_lines(tmp_path: Path) -> None:
    """All three are at 64 threads: at 8 threads they are 0.9, 0.82 and 0.75."""
    (chosen,) = found(tmp_path, SECTIONS, Code.CHOSEN_CELLS)
    assert chosen.table == "report.md, tables 2 to 5"
    assert dict(chosen.figures)["at"] == "threads=64"
    (mean,) = found(tmp_path, SECTIONS, Code.MEAN_OF_RATIOS)
    assert dict(mean.lines[0].figures)["stated"] == "0.7500"
    checked = checked_claims(tables_of(tmp_path, SECTIONS))
    assert (checked.claims, checked.unchecked) == (4, ())
    (wrong,) = found(tmp_path, SECTIONS.replace("0.9000", "0.9300"), Code.CHANGE_WRONG)
    assert "0.9300" in str(wrong.lines)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Two sections of one level: it is not known which of them a ratio is of.
        ("2.3 cache=4G", "2.3 cache=2G"),
        # A numbered line ends a section.
        ("2.3 cache=4G", "2.3 cache=4G\n\n2.4 Other results"),
        ("| 1G | 2G | 4G |", "| 1G | 2G | 8G |"),
    ],
)
def test_ratios_of_no_sections_of_theirs_are_not_checked(
    old: str, new: str, tmp_path: Path
) -> None:
    tables = tables_of(tmp_path, SECTIONS.replace(old, new))
    assert [table.name for table in tables] == [f"report.md, table {n}" for n in range(1, 6)]
    assert len(checked_claims(tables).unchecked) == 4


SUMMARY = """
| threads | A TPS | B TPS | TPS improvement (%) |
|---|---|---|---|
| 8 | 300 | 330 | 10.00% |
| 16 | 100 | 90 | -10.00% |
| 32 | 100 | 130 | 30.00% |
| 64 | 100 | 150 | 50.00% |

| threads | A TPS | B TPS | TPS improvement (%) |
|---|---|---|---|
| 8 | 200 | 210 | 5.00% |
| 16 | 200 | 212 | 6.00% |
| 32 | 200 | 220 | 10.00% |

| script | improvement |
|---|---|
| read write | 20.0% |
| point select | 7.0% |
| update index | 8.0% |
"""


def test_a_summary_with_the_plain_mean_of_a_column_is_of_it(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, SUMMARY, Code.MEAN_OF_RATIOS)  # 7.0 % is both means.
    (line,) = finding.lines
    assert finding.table == "report.md, table 1"
    assert dict(line.figures)["table"] == "report.md, table 3"
    checked = checked_claims(tables_of(tmp_path, SUMMARY))
    assert [each.text for each in checked.unchecked] == ["8.0%"]


def test_stars_of_a_product_are_kept(tmp_path: Path) -> None:
    (table,) = tables_of(
        tmp_path, "| *system* | CPUs | tps |\n|---|---|---|\n| A | 14*2*2 | 10 |\n"
    )
    assert [column.name for column in table.columns] == ["system", "CPUs", "tps"]
    assert "14*2*2" in str(table.figures[0])


TWO = """
| servers | 3 x 4 | 3 x 3 |
|---|---|---|
| **clients** | **tpmC** | **tpmC** |
| 1 | 4527.84 | 4491.08 |
| 8 | 36061.59 | 33506.47 |
| 16 | 70684.45 | 62297.48 |
| 64 | 249996.91 | 203411.56 |
| 128 | 431716.77 | 318865.39 |

| servers | {other} | 6 x 1 |
|---|---|---|
| **clients** | **tpmC** | **tpmC** |
| 1 | 4527.84 | 4437.81 |
| 8 | 36061.59 | 35680.06 |
| 16 | 70684.45 | 68980.50 |
| 64 | 249996.91 | 238081.88 |
| 128 | {last} | 406311.60 |
"""


@pytest.mark.parametrize(
    ("other", "last", "is_found"),
    [
        ("3 x 5", "431716.77", True),
        ("3 x 4", "431716.77", False),
        ("3 x 4 and 1 x 0", "431716.77", False),
        ("3 x 5", "431716.78", False),
    ],
)
def test_one_series_of_two_settings_is_found(
    other: str, last: str, is_found: bool, tmp_path: Path
) -> None:
    findings = found(tmp_path, TWO.format(other=other, last=last), Code.SAME_SERIES)
    assert len(findings) == is_found
    for finding in findings:
        figures = dict(finding.lines[0].figures)
        assert (figures["cell"], figures["other_cell"]) == ("servers=3 x 5", "servers=3 x 4")
        assert (figures["line"], figures["other_line"], figures["count"]) == (14, 5, 5)


def test_claims_that_stand_elsewhere_are_counted(tmp_path: Path) -> None:
    checked = checked_claims(tables_of(tmp_path, SAID.format(amount="3.715")))
    assert (checked.claims, checked.unchecked) == (5, ())
    # A's first figure alone is a mean of its rounds.
    checked = checked_claims(tables_of(tmp_path, ROUNDS.format(mean="456.74")))
    assert (checked.claims, checked.unchecked) == (1, ())


def test_levels_that_would_not_fit_into_memory_are_refused(tmp_path: Path) -> None:
    columns = 400
    levels, alike = range(columns), "| success " * columns
    heads = f"| a {''.join(f'| {n} ' for n in levels)}{alike}|\n"
    names = f"| **b** {'| tpmC ' * columns}{'| ^ ' * columns}|\n"
    row = f"| 1 {'| 1 ' * (2 * columns)}|\n"
    with pytest.raises(InputError, match="is too large"):
        tables_of(tmp_path, f"{heads}{'|---' * (2 * columns + 1)}|\n{names}{row * 20}")


def test_two_reports_of_unlike_durability_are_one_finding(tmp_path: Path) -> None:
    table = "| threads | A TPS | B TPS |\n|---|---|---|\n| 8 | 100 | 110 |\n| 16 | 150 | 180 |\n\n"
    for name, value in (("one", "on"), ("other", "off")):
        (tmp_path / f"{name}.md").write_text(f"{table}Then:\n\n{table}")
        facts = f"facts:\n  durability:\n    all: {{flush at commit: {value}}}\n"
        (tmp_path / f"{name}.audit.yaml").write_text(facts)
    tables = read_tables([tmp_path / "one.md", tmp_path / "other.md"], None)
    assert len(tables) == 4
    (finding,) = [each for each in audit(tables) if each.code is Code.UNLIKE_DURABILITY]
    assert finding.table == "one.md"
    assert dict(finding.figures)["other_table"] == "other.md"
