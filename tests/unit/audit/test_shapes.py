"""Tables of all the shapes that people publish: what is found, and in the clean ones nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.audit.audit import audit
from dbdyno.results_table.read import read_tables

TABLES = Path(__file__).parents[2] / "data" / "results-tables"

EXPECTED: dict[str, dict[str, list[str]]] = {
    # Of a code: the kinds of the lines of evidence.
    "two-heading-rows-chinese.html": {
        "mean-of-ratios": ["plain_mean"],
        "mean-of-percentiles": ["mean_of_percentiles", "mean_of_percentiles"],
        "slower-response": ["slower"],
        "unpaced": ["rate"],
    },
    "two-tables.md": {"change-wrong": ["change_other"]},
    "german-semicolons.csv": {"rounds-left-out": ["left_out"]},
    "speedup-over-threads.csv": {},
    "mean-rows.csv": {"rounds-left-out": ["left_out", "left_out"]},
    "three-versions.csv": {"change-wrong": ["change_other"]},
    # 12,300 a second of 1.2 ms each are more than 8 clients can have.
    "suffixes-and-units.md": {"impossible": ["busy"] * 5},
    "geometric-mean-row.csv": {},
    "chinese-columns.csv": {"mean-of-ratios": ["plain_mean"]},
    "paced-tpmc.csv": {},
    "notes-row.md": {},
    "warehouses-and-runs.csv": {},
    "round-columns.html": {},
    "per-node.csv": {},
    "chinese-round-columns.csv": {},
    "speedup-by-system.csv": {},
    "german-ratio.csv": {},
    "transaction-kinds.csv": {},
    "sizes.csv": {},
    "thousands-in-heading.csv": {"rounds-left-out": ["left_out"]},
    "versus-column.md": {"change-wrong": ["change_wrong_base"]},
    "pools-differ.csv": {"confounded": ["together", "together"]},
    "sum-of-generators.csv": {"sum-wrong": ["sum"]},
    "percentage-points.md": {"change-wrong": ["change_points", "change_points"]},
    "reduction.csv": {"change-wrong": ["change_wrong_base"]},
    "claims-by-round.md": {},
    "spread-rows-and-footnotes.csv": {},
    "unnumbered-rounds.csv": {"rounds-left-out": ["left_out", "improvement"]},
    "units-inside-headings.html": {
        "change-wrong": ["change_wrong_base"],
        "slower-response": ["slower"],
    },
    "settings-differ.csv": {"unlike-durability": ["durability"]},
    "short-runs.csv": {"short-window": ["window"]},
    "several-baselines.csv": {"change-wrong": ["change_wrong_base"]},
    "improvement-of-each-metric.md": {"change-wrong": ["change_wrong_base"]},
    "percentiles.csv": {"impossible": ["above"]},
    "rates-per-thing.csv": {},
    "chinese-systems-as-columns.md": {},
    "german-settings.csv": {},
    "ratios-as-percent.html": {},
    "improvement-row.csv": {},
    "paced-with-efficiency.csv": {},
    "footer-and-suffixes.md": {},
    "metrics-as-rows.csv": {},
    "mean-and-variation-columns.md": {"rounds-left-out": ["left_out", "improvement"]},
    "against-default.md": {"change-wrong": ["change_other"]},
    "binlog-column.csv": {"unlike-durability": ["durability"]},
    "claims-of-some-threads.csv": {"chosen-cells": ["chosen", "chosen"]},
    "noisy-rounds.csv": {"within-noise": ["unclear"]},
    "rounds-across.md": {},
    "loads-across.csv": {},
    "round-and-average-columns.md": {"mean-unfounded": ["unfounded"]},
    "before-after.csv": {},
    "rates-per-core.csv": {},
    "tpmc-per-warehouse.csv": {},
    "semicolons.csv": {},
    "title-row.csv": {},
    "german-means.csv": {"mean-unfounded": ["unfounded"]},
    "merged-means.html": {"rounds-left-out": ["left_out", "improvement"]},
    "means-by-system.csv": {"rounds-left-out": ["left_out", "improvement"]},
    "loads-as-columns.md": {"no-repetition": ["single"]},
    "success-and-errors.csv": {},
    "merged-average.html": {"mean-of-ratios": ["plain_mean"]},
    "server-column.csv": {"unlike-durability": ["durability"]},
    "counts-and-total.html": {"sum-wrong": ["sum"]},
    "total-column.csv": {"sum-wrong": ["sum"]},
    "total-column-clean.csv": {},
    "names-of-modes.md": {},
    "hosts.csv": {},
    "sign-of-response-change.html": {"change-wrong": ["change_sign"]},
    "options-as-rows.html": {"unlike-durability": ["durability"]},
    "sum-of-nodes.md": {"sum-wrong": ["sum"]},
    "hours-of-success.csv": {},
    "seconds-of-success.csv": {},
    "one-minute.html": {"short-window": ["window"]},
    "success-in-heading.md": {"impossible": ["above_all"]},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_found_in_a_table(name: str) -> None:
    claims = TABLES / name.replace(".csv", "-claims.csv")
    paths = [TABLES / name, *([claims] if claims.is_file() and claims.name != name else [])]
    tables = read_tables(paths, None)
    found = {f.code.value: [line.kind for line in f.lines] for f in audit(tables)}
    assert found == EXPECTED[name]
    assert any(table.figures for table in tables)


def test_all_tables_are_looked_at() -> None:
    names = {path.name for path in TABLES.iterdir() if "-claims" not in path.name}
    assert names == set(EXPECTED)


def test_a_small_difference_of_single_runs_supports_no_conclusion(tmp_path: Path) -> None:
    rows = "A,8,100.0\nA,16,200.0\nB,8,102.0\nB,16,260.0\n"
    (tmp_path / "t.csv").write_text(f"system,threads,tps\n{rows}")
    (tmp_path / "t.audit.yaml").write_text("claims: [{says: faster, subject: B, than: A}]\n")
    (finding,) = audit(read_tables([tmp_path / "t.csv"], None))
    assert [line.kind for line in finding.lines] == ["speed_open", "speed_holds"]


def test_a_cell_that_is_missing_is_told_once(tmp_path: Path) -> None:
    rows = "A,8,1,100.0\nA,8,2,120.0\nA,16,1,200.0\nA,16,2,210.0\nB,8,1,102.0\nB,8,2,130.0\n"
    (tmp_path / "t.csv").write_text(f"system,threads,nodes,tps\n{rows}B,16,1,260.0\n")
    (finding,) = audit(read_tables([tmp_path / "t.csv"], None))
    assert [dict(line.figures)["cell"] for line in finding.lines] == ["B nodes=2 threads=16"]
