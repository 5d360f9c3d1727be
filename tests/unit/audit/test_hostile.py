"""Files that are no results, or are made to do harm: read in bounds, or refused in words."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from typer.testing import CliRunner

from dbdyno.analysis.audit.audit import audit
from dbdyno.cli.main import app
from dbdyno.errors import InputError
from dbdyno.results_table.numbers import read_number
from dbdyno.results_table.read import read_tables

DIGITS = "9" * 5000
CELLS = ("1e400", "1e-400", "1e999999999", DIGITS, f"0.{DIGITS}", f"1e{DIGITS}", "inf", "nan", "∞")
ROWS = "<tr><th>DB<th>TPS</tr><tr><td>A<td>100</tr><tr><td>C<td>110</tr>"
PAGE = f"<table>{ROWS}<tr><td {{span}}>B<td>120</tr></table>"
SPANS = (f'colspan="{DIGITS}"', f'rowspan="{DIGITS}"', 'colspan="-1"', 'colspan="0"', "colspan=x")


@pytest.mark.parametrize("text", CELLS)
def test_what_is_no_figure_of_a_benchmark_is_no_number(text: str) -> None:
    assert read_number(text) is None


@pytest.mark.parametrize("form", ["t.csv", "t.md"])
@pytest.mark.parametrize("text", CELLS)
def test_such_cells_and_headings_are_passed_over(text: str, form: str, tmp_path: Path) -> None:
    sound = (("A", "8", "100", "1"), ("A", "16", "200", "1"), ("B", "8", "110", "1"))
    rows = (("DB", "Threads", "TPS", text), *sound, ("B", text, text, text))
    lines = [",".join(row) if form == "t.csv" else f"| {' | '.join(row)} |" for row in rows]
    if form == "t.md":
        lines.insert(1, "|---|---|---|---|")
    (tmp_path / form).write_text("\n".join(lines) + "\n")
    (table,) = read_tables([tmp_path / form], None)
    assert "A" in table.subjects
    audit([table])


@pytest.mark.parametrize("span", SPANS)
def test_spans_are_bounded(span: str, tmp_path: Path) -> None:
    (tmp_path / "t.html").write_text(PAGE.format(span=span))
    (table,) = read_tables([tmp_path / "t.html"], None)
    assert [each.value for each in table.figures][:1] == [100]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.html", f"<table>{('<tr>' + '<td colspan=1000>x' * 2001) * 2}</table>"),
        ("t.csv", f"a,b{',' * 3000}\n" + "1,2\n" * 1000),
    ],
)
def test_few_bytes_that_make_many_cells_are_refused(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="columns is too large"):
        read_tables([tmp_path / name], None)


@pytest.mark.parametrize("text", ["x" * 200_000, f'"{"x," * 100_000}"', "(/ " * 70_000])
def test_a_long_field_is_a_text_as_others_are(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"system,threads,tps,comment\nA,8,100,{text}\nB,8,120,\n")
    (table,) = read_tables([tmp_path / "t.csv"], None)
    assert [each.value for each in table.figures] == [100, 120]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "sys\x1b[2Jtem,tps,\x9b31mtotal\nA\x1b]0;x\x07,1,x\nB,-2,3\n"),
        ("t.md", "| DB | TPS |\n|---|---|\n| A&#27;[2J | -1 |\n| B\x1b[31m | 2 |\n"),
        ("t.html", PAGE.format(span="").replace("100", "-1").replace("A", "A&#27;[2J\x1b[2J")),
        ("t\x1b[2J.csv", "system,tps\nA,-1\nB,2\n"),
    ],
)
def test_no_command_to_a_terminal_is_printed(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    result = CliRunner().invoke(app, ["audit", str(tmp_path / name)])
    assert "below zero" in result.stdout
    assert all(sign.isprintable() or sign == "\n" for sign in result.stdout)


def test_intervals_beyond_floating_point_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "system,threads,round,tps\nA,8,1,1e29\nA,8,2,1e-29\nB,8,1,1e-29\nB,8,2,1e29\n"
    )
    (tmp_path / "t-claims.csv").write_text("threads,claimed_tps_improvement_percent\n8,20\n")
    tables = read_tables([tmp_path / "t.csv", tmp_path / "t-claims.csv"], None)
    assert {each.code.value for each in audit(tables)} == {"change-wrong", "within-noise"}


NOTED = "system,threads,tps\nA,8,100\nB,8,120\n"
LONG = {
    "digits in a note": ("n.md", "t.csv " + "9" * 900_000),
    "counts in a note": ("n.md", "t.csv " + "9," * 450_000),
    "tables": ("t.html", "<table></table>" * 100_000 + f"<table>{ROWS}</table>"),
    "rows": ("t.md", "| DB | TPS |\n|---|---|\n" + "| A | |\n" * 60_000 + "| A | 1 |\n"),
}


@pytest.mark.parametrize("case", LONG)
def test_what_is_long_is_read_once(case: str, tmp_path: Path) -> None:
    name, text = LONG[case]
    (tmp_path / "t.csv").write_text(NOTED)
    (tmp_path / name).write_text(text)
    path = tmp_path / (name if name.startswith("t") else "t.csv")
    before_s = process_time()
    read_tables([path], None)
    assert process_time() - before_s < 20
