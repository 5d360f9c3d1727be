"""Numbers, headings, merged cells, descriptions: what is read of a table, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dbdyno.cli.drawn_tables import draw_tables
from dbdyno.errors import InputError
from dbdyno.results_table.evidence import to_evidence
from dbdyno.results_table.headings import claim_form, metric_of, role_of, summary_of
from dbdyno.results_table.model import ClaimForm, Kind, ResultsTable, Role, Summary
from dbdyno.results_table.numbers import has_decimal_commas, read_number
from dbdyno.results_table.read import read_tables
from dbdyno.trial_evidence import Counted

PUBLISHED = Path(__file__).parents[3] / "experiments" / "published" / "figures"


def table_of(folder: Path, text: str, name: str = "t.csv") -> ResultsTable:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (table,) = read_tables([path], None)
    return table


@pytest.mark.parametrize(
    ("text", "value", "step"),
    [
        ("1,234.56", 1234.56, 0.01),
        ("1 234.5", 1234.5, 0.1),
        ("1'234'567", 1234567, 1),
        ("12.3K", 12300, 100),
        ("45.65万", 456500, 100),
        ("１２．５", 12.5, 0.1),
        ("−3.4 %", -3.4, 0.1),
        ("↓3.4%", -3.4, 0.1),
        ("**1.32×**", 1.32, 0.01),
        ("1.3倍", 1.3, 0.1),
        ("120 ± 4", 120, 1),
        ("~100 ms", 100, 1),
        ("1,234", 1234, 1),
        ("0,75", 0.75, 0.01),
        ("2.5e3", 2500, 100),
    ],
)
def test_numbers_are_read(text: str, value: float, step: float) -> None:
    number = read_number(text)
    assert number is not None
    assert (number.value, number.step) == pytest.approx((value, step))


@pytest.mark.parametrize("text", ["", "n/a", "TBD", "v8.0.32", "1.2.3", "8.0.32-26", "32 of 64"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_number(text) is None


def test_decimal_commas_are_those_of_the_whole_table() -> None:
    assert has_decimal_commas(["1.204", "12,5", "1.204,5"])
    assert not has_decimal_commas(["1,204", "12.5"])
    german = read_number("1.204", decimal_commas=True)
    assert german is not None
    assert german.value == 1204


@pytest.mark.parametrize(
    ("heading", "metric"),
    [
        ("TPS (K)", ("tps", Kind.THROUGHPUT, "")),
        ("tpmTOTAL", ("tpm_total", Kind.THROUGHPUT, "")),
        ("latency_p95_ms", ("p95", Kind.RESPONSE, "")),
        ("99th percentile (ms)", ("p99", Kind.RESPONSE, "")),
        ("平均延迟(ms)", ("mean", Kind.RESPONSE, "")),
        ("MySQL TPS", ("tps", Kind.THROUGHPUT, "mysql")),
        ("Erfolgsquote (%)", ("success", Kind.SUCCESS, "")),
    ],
)
def test_headings_tell_metrics(heading: str, metric: tuple[str, Kind, str]) -> None:
    assert metric_of(heading) == metric


def test_headings_tell_roles_claims_and_summaries() -> None:
    assert role_of("terminals_per_loader") is Role.LOAD
    assert role_of("并发数") is Role.LOAD
    assert role_of("Lauf") is Role.ROUND
    assert claim_form("claimed_mysql_to_greatsql_ratio") is ClaimForm.RATIO
    assert claim_form("提升 (%)") is ClaimForm.CHANGE_PERCENT
    assert claim_form("transactions/s") is None
    assert claim_form("cache hit ratio") is None
    assert summary_of("平均值") is Summary.MEAN
    assert summary_of("total (201->208/209, 206->202)") is Summary.TOTAL
    assert summary_of("MySQL") is None


def test_html_headings_of_two_rows_name_subject_and_metric(tmp_path: Path) -> None:
    table = table_of(
        tmp_path,
        "<table><thead><tr><th rowspan=2>Threads</th><th colspan=2>A</th><th colspan=2>B</th></tr>"
        "<tr><th>TPS</th><th>p95 (s)</th><th>TPS</th><th>p95 (s)</th></tr></thead>"
        "<tr><td>8</td><td>100</td><td>0.011</td><td>120</td><td>0.009</td></tr></table>",
        "t.html",
    )
    read = {(f.subject, f.metric.name): f.value for f in table.figures}
    assert read == pytest.approx(
        {("A", "tps"): 100, ("A", "p95"): 11, ("B", "tps"): 120, ("B", "p95"): 9}
    )


def test_cells_that_cannot_be_read_are_named_with_their_place(tmp_path: Path) -> None:
    table = table_of(tmp_path, "system,threads,tps\nA,8,100\nA,16,abc\nA,32,300\nB,8,120\n")
    (place,) = table.unread
    assert (place.line, place.column) == (3, "tps")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "a,b\n1,2,3\n", "t.csv:2: has 3 cells and the heading 2"),
        ("t.csv", "", "has no table with figures"),
        ("t.txt", "x", "is no table by its name"),
        ("t.md", "no table here\n", "has no table with figures"),
    ],
)
def test_wrong_files_are_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        read_tables([tmp_path / name], None)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_tables([tmp_path / "none.csv"], None)


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.csv")
    with pytest.raises(InputError, match=r"t\.csv is damaged: it should be a regular file"):
        read_tables([tmp_path], None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("facts: {warehouse: 3}", r"t.audit.yaml:1: facts.warehouse: .*did you mean 'warehouses'"),
        ("claims:\n  - {says: nice, subject: A}", r"t.audit.yaml:2: claims\[0\].says: 'nice'"),
        ("columns: {none: load}", "names the column 'none'"),
    ],
)
def test_wrong_descriptions_are_refused_with_line_and_field(
    text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("system,threads,tps\nA,8,100\nB,8,120\n")
    (tmp_path / "t.audit.yaml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_tables([tmp_path / "t.csv"], None)


def test_a_description_says_what_a_column_is(tmp_path: Path) -> None:
    (tmp_path / "t.audit.yaml").write_text("columns: {flavour: subject, speed: throughput}\n")
    table = table_of(tmp_path, "kind,flavour,speed\nx,A,100\nx,B,120\n")
    assert table.subjects == ("A", "B")
    assert {each.metric.kind for each in table.figures} == {Kind.THROUGHPUT}


def test_evidence_has_a_trial_for_each_cell_and_round() -> None:
    (table,) = read_tables([PUBLISHED / "greatsql-mysql-tpcc-rounds.csv"], None)
    evidence = to_evidence(table)
    assert evidence.counted is Counted.NEW_ORDERS
    assert len(evidence.trials) == 64
    first = evidence.trials[0]
    assert first.levels == (
        ("system", "GreatSQL 8.0.32-26"),
        ("terminals", "32"),
        ("buffer_pool_gib", "128"),
    )
    assert (first.round, first.clients, first.measured_s) == (1, 32, 1200)
    assert first.throughput_per_s == pytest.approx(450620.65 / 60)


def test_evidence_has_response_times_and_takes_totals() -> None:
    tidb, hotdb = (
        to_evidence(read_tables([PUBLISHED / name], None)[0])
        for name in ("tidb-versions-sysbench.csv", "hotdb-tpcc-topologies.csv")
    )
    assert tidb.trials[0].times is not None
    assert tidb.trials[0].times.quantiles_ms == {0.95: 0.75}
    parts = [each for each in hotdb.trials if dict(each.levels)["case"] == "T2-8"]
    assert {dict(each.levels)["variant"] for each in parts} == {"total"}
    assert len(parts) == 10
    assert len({(each.levels, each.round) for each in hotdb.trials}) == len(hotdb.trials)


def test_parts_stand_beside_their_total() -> None:
    (table,) = read_tables([PUBLISHED / "hotdb-tpcc-topologies.csv"], None)
    # In T2-5 two arrangements of parts, each with a total of its own, have the same loads.
    cases = [(dict(each.levels)["case"], each) for each in to_evidence(table).trials]
    trials = [trial for case, trial in cases if case in ("T2-5", "T2-7")]
    assert len(trials) == 30
    for trial in trials:
        parts = [value for name, value in trial.figures.items() if name.startswith("tpmc (")]
        assert len(parts) == 2
        assert trial.throughput_per_s is not None
        assert sum(parts) == pytest.approx(60 * trial.throughput_per_s, rel=0.001)


def test_a_table_without_throughput_has_its_other_figures() -> None:
    (table,) = read_tables([PUBLISHED / "hotdb-tpcc-resources.csv"], None)
    first, *_ = to_evidence(table).trials
    assert first.throughput_per_s is None
    assert first.figures == {"cpu percent": 10.0, "rx kb s": 28.0, "tx kb s": 16.0}


def test_a_table_is_drawn_with_all_its_figures(tmp_path: Path) -> None:
    tables = read_tables([PUBLISHED / "terarkdb-innodb-size.csv"], None)
    (path,) = draw_tables(tables, tmp_path, ["en"])
    assert path == tmp_path / "report.terarkdb-innodb-size.csv.html"
    page = path.read_text()
    assert "size gib" in page
    assert "source size gib" in page
    assert "Throughput of each cell" not in page


@pytest.mark.parametrize(
    ("heading", "counted"),
    [("QPS", Counted.QUERIES), ("Throughput (ops/sec)", Counted.OPERATIONS),
     ("Throughput (tpm)", Counted.TRANSACTIONS)],
)  # fmt: skip
def test_what_is_counted_is_told_by_the_heading(
    tmp_path: Path, heading: str, counted: Counted
) -> None:
    table = table_of(tmp_path, f"system,{heading}\nA,600\nB,1200\n")
    evidence = to_evidence(table)
    assert evidence.counted is counted
    rates = [trial.throughput_per_s for trial in evidence.trials]
    assert rates == ([10, 20] if "tpm" in heading else [600, 1200])


def test_rounds_are_of_the_rate_that_their_mean_names(tmp_path: Path) -> None:
    table = table_of(tmp_path, "系统,第1轮,第2轮,平均TPS\nA,100.1,102.2,101.15\nB,90.5,95.1,92.8\n")
    assert {each.metric.name for each in table.figures} == {"tps"}
    assert [each.summary for each in table.figures].count(Summary.MEAN) == 2
