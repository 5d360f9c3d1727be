"""What is found in five published reports: the seven points, each with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dbdyno.analysis.audit.audit import audit
from dbdyno.analysis.audit.model import AuditFinding, Code, Line
from dbdyno.report.words.audit import evidence_lines, headline
from dbdyno.results_table.read import read_tables

PUBLISHED = Path(__file__).parents[3] / "experiments" / "published" / "figures"
TPCC = "greatsql-mysql-tpcc-rounds.csv"
SYSBENCH = "greatsql-mysql-sysbench.csv"
TIDB = "tidb-versions-sysbench.csv"
HOTDB = "hotdb-tpcc-topologies.csv"


@pytest.fixture(scope="module")
def found() -> Sequence[AuditFinding]:
    return audit(read_tables([PUBLISHED], None))


@pytest.fixture(scope="module")
def undescribed(tmp_path_factory: pytest.TempPathFactory) -> Sequence[AuditFinding]:
    folder = tmp_path_factory.mktemp("published")
    for file in PUBLISHED.glob("*.csv"):
        (folder / file.name).write_bytes(file.read_bytes())
    return audit(read_tables([folder], None))


def of(found: Sequence[AuditFinding], code: Code, table: str) -> list[AuditFinding]:
    return [each for each in found if each.code is code and each.table == table]


def lines(finding: AuditFinding, kind: str) -> list[dict[str, object]]:
    return [dict(line.figures) for line in finding.lines if line.kind == kind]


def line(finding: AuditFinding, kind: str, cell: str) -> dict[str, object]:
    return next(each for each in lines(finding, kind) if each["cell"] == cell)


def test_point_1_every_mean_leaves_rounds_out(found: Sequence[AuditFinding]) -> None:
    (finding,) = of(found, Code.ROUNDS_LEFT_OUT, TPCC)
    left = {
        (each["stated"], each["rounds"], each["extreme"]) for each in lines(finding, "left_out")
    }
    assert left == {
        ("456518.08", ("3", "7", "8"), "lowest"),
        ("346493.57", ("3", "8"), "lowest"),
        ("451563.9", ("2", "8"), "lowest"),
        ("337568.95", ("2", "5", "8"), "lowest"),
        ("686652.31", ("1",), "lowest"),
        ("677036.36", ("4",), "lowest"),
        ("573634.69", ("7",), "lowest"),
        ("554112.65", ("3",), "lowest"),
    }
    means = {each["stated"]: each["mean_of_all"] for each in lines(finding, "left_out")}
    assert means["456518.08"] == pytest.approx(441957.79, abs=0.01)
    assert means["346493.57"] == pytest.approx(340441.43, abs=0.01)
    improvements = [each["from_all_percent"] for each in lines(finding, "improvement")]
    assert improvements == pytest.approx([29.8, 36.9, 19.6, 23.3], abs=0.05)


def test_point_2_steadier_at_32_terminals_only(found: Sequence[AuditFinding]) -> None:
    finding = of(found, Code.HOLDS_IN_PART, TPCC)[0]
    holds = line(finding, "steady_holds", "terminals=32")
    weak = line(finding, "steady_open", "terminals=64")
    figures = [
        each[name]
        for each in (holds, weak)
        for name in ("variation_percent", "other_variation_percent")
    ]
    assert figures == pytest.approx([0.3, 4.6, 2.6, 2.9], abs=0.05)


def test_point_3_chosen_cells_and_where_the_reverse_is_true(found: Sequence[AuditFinding]) -> None:
    (chosen,) = of(found, Code.CHOSEN_CELLS, SYSBENCH)
    assert dict(chosen.figures)["at"] == "threads=128"
    assert dict(chosen.figures)["variants"] == ("GreatSQL", "GreatSQL-thdpool")
    (part, *_) = of(found, Code.HOLDS_IN_PART, SYSBENCH)
    reversed_cells = {
        str(each["cell"]): (each["figure"], each["other_figure"])
        for each in lines(part, "speed_reversed")
    }
    assert reversed_cells == {
        "buffer_pool_gib=144 threads=32": (2038.3, 1853.24),
        "buffer_pool_gib=192 threads=16": (2629.75, 1316.02),
        "buffer_pool_gib=192 threads=32": (2940.51, 2144.17),
    }
    assert of(found, Code.NO_REPETITION, SYSBENCH)


def test_sentences_about_curves_and_pools_of_threads(found: Sequence[AuditFinding]) -> None:
    """MySQL is blamed for a fall of 8.6 % where GreatSQL falls by more than twice as much."""
    _, falls, alike = of(found, Code.HOLDS_IN_PART, SYSBENCH)
    (fall,) = lines(falls, "fall_more_reversed")
    assert (fall["best"], fall["figure"]) == (2940.51, 2687.48)
    assert fall["change_percent"] == pytest.approx(100 * (2687.48 / 2940.51 - 1))
    assert (fall["other"], fall["other_best"], fall["other_figure"]) == (
        "GreatSQL-thdpool",
        4053.76,
        3113.97,
    )
    assert [each["cell"] for each in lines(alike, "speed_differs")] == [
        "buffer_pool_gib=192 threads=16",
        "buffer_pool_gib=192 threads=128",
    ]


def test_sentences_about_data_nodes_and_pinning(found: Sequence[AuditFinding]) -> None:
    alone, shared, pinned = of(found, Code.HOLDS_IN_PART, HOTDB)
    at = "terminals_per_loader"
    differing = [
        {str(each["cell"]).split(f"{at}=")[1].split()[0] for each in lines(part, "speed_differs")}
        for part in (alone, shared, pinned)
    ]
    assert differing == [
        {"2048"},
        {"256", "1000", "1024", "2048"},
        {"8", "128", "2048"},
    ]
    most = max(lines(pinned, "speed_differs"), key=lambda each: float(str(each["figure"])))
    assert most["change_percent"] == pytest.approx(100 * (1035261.24 / 929330.16 - 1))


def test_point_4_means_of_percentages_of_single_runs(found: Sequence[AuditFinding]) -> None:
    (means,) = of(found, Code.MEAN_OF_RATIOS, TIDB)
    assert [each["stated"] for each in lines(means, "plain_mean")] == [
        "5.06",
        "1.72",
        "4.5",
        "2.67",
    ]
    (single,) = of(found, Code.NO_REPETITION, TIDB)
    assert {"0.16", "1.06"} <= {each["stated"] for each in lines(single, "single")}
    (slower,) = of(found, Code.SLOWER_RESPONSE, TIDB)
    assert [each["cell"] for each in lines(slower, "slower")] == [
        "threads=256 workload=oltp_read_write",
        "threads=300 workload=oltp_read_write",
    ]


def test_point_5_confounded_comparisons_and_short_runs(found: Sequence[AuditFinding]) -> None:
    shards, loaders = of(found, Code.CONFOUNDED, HOTDB)
    assert dict(shards.figures)["columns"] == ("load_balancing", "shard_function")
    (also,) = lines(shards, "also")
    assert (also["name"], also["levels"], also["other_levels"]) == (
        "data_nodes",
        ("12",),
        ("3", "9"),
    )
    changed = lines(loaders, "parts_changed")[0]
    assert changed["differing"] == "data_nodes=18"
    assert changed["other_differing"] == "data_nodes=22"
    assert changed["other_parts"] == ("loader 206", "loader 207")
    (window,) = of(found, Code.SHORT_WINDOW, HOTDB)
    assert window.lines == (Line("window", window_s=120.0, warmup_s=None),)


def test_point_6_durability_differs_between_the_reports(found: Sequence[AuditFinding]) -> None:
    (finding,) = of(found, Code.UNLIKE_DURABILITY, TPCC)
    assert dict(finding.figures)["other_table"] == HOTDB
    assert {each["setting"] for each in lines(finding, "durability")} == {
        "flush at commit",
        "binary log synced",
    }


def test_point_7_no_tpmc_is_paced(found: Sequence[AuditFinding]) -> None:
    tables = {each.table for each in found if each.code is Code.UNPACED}
    assert tables == {TPCC, HOTDB, "terarkdb-innodb-tpcc.csv"}


def test_nothing_else_is_found(found: Sequence[AuditFinding]) -> None:
    expected = {
        (Code.ROUNDS_LEFT_OUT, TPCC), (Code.HOLDS_IN_PART, TPCC), (Code.UNPACED, TPCC),
        (Code.UNLIKE_DURABILITY, TPCC), (Code.CHOSEN_CELLS, SYSBENCH),
        (Code.HOLDS_IN_PART, SYSBENCH), (Code.NO_REPETITION, SYSBENCH),
        (Code.MEAN_OF_RATIOS, SYSBENCH), (Code.MEAN_OF_RATIOS, TIDB), (Code.NO_REPETITION, TIDB),
        (Code.SLOWER_RESPONSE, TIDB), (Code.CONFOUNDED, HOTDB), (Code.SHORT_WINDOW, HOTDB),
        (Code.UNPACED, HOTDB), (Code.UNPACED, "terarkdb-innodb-tpcc.csv"),
        (Code.HOLDS_IN_PART, HOTDB),
    }  # fmt: skip
    assert {(each.code, each.table) for each in found} == expected


def test_without_descriptions_only_what_no_table_tells_is_missed(
    found: Sequence[AuditFinding], undescribed: Sequence[AuditFinding]
) -> None:
    missed = {(each.code, each.table) for each in found} - {
        (each.code, each.table) for each in undescribed
    }
    assert missed == {
        (Code.HOLDS_IN_PART, TPCC), (Code.UNLIKE_DURABILITY, TPCC), (Code.SHORT_WINDOW, HOTDB),
        (Code.UNPACED, "terarkdb-innodb-tpcc.csv"), (Code.HOLDS_IN_PART, HOTDB),
    }  # fmt: skip


def test_descriptions_may_lie_in_another_folder(tmp_path: Path) -> None:
    for file in PUBLISHED.iterdir():
        folder = tmp_path / ("tables" if file.suffix == ".csv" else "described")
        folder.mkdir(exist_ok=True)
        (folder / file.name).write_bytes(file.read_bytes())
    found = audit(read_tables([tmp_path / "tables"], tmp_path / "described"))
    assert {each.code for each in found} >= {Code.UNLIKE_DURABILITY, Code.SHORT_WINDOW}


def test_every_finding_is_said_in_words(found: Sequence[AuditFinding]) -> None:
    for finding in found:
        said = [headline(finding), *evidence_lines(finding)]
        assert all(text and "{" not in text for text in said)
