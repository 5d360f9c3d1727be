"""What a source states of its figures stands beside what all of its rounds give."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from dbdyno.analysis.audit.join import join_tables
from dbdyno.analysis.published.stated import Stated, stated_of
from dbdyno.report.words.published import given_in_words, stated_of_what
from dbdyno.results_table.read import read_tables
from tests.unit.analysis.published.test_published_ratios import ROUNDED

FIGURES = Path(__file__).parents[4] / "experiments" / "published" / "figures"


def stated(*files: Path) -> tuple[Stated, ...]:
    (joined,) = join_tables(read_tables(list(files), None))
    return stated_of(joined)


def claims_of(folder: Path, claims: str, figures: str = ROUNDED) -> tuple[Stated, ...]:
    paths = folder / "theirs.csv", folder / "theirs-claims.csv"
    for path, text in zip(paths, (figures, claims), strict=True):
        path.write_text(text)
    return stated(*paths)


def test_a_difference_that_rests_on_means_of_chosen_rounds_is_that_of_all_here() -> None:
    rounds = pl.read_csv(FIGURES / "greatsql-mysql-tpcc-rounds.csv")
    found = stated(
        FIGURES / "greatsql-mysql-tpcc-rounds.csv", FIGURES / "greatsql-mysql-tpcc-claims.csv"
    )
    means = {
        (system, str(terminals), str(pool)): mean
        for system, terminals, pool, mean in rounds.group_by(
            "system", "terminals", "buffer_pool_gib"
        )
        .agg(pl.col("tpmc").mean())
        .iter_rows()
    }
    assert len(found) == len(means) + len(means) / 2
    for each in found:
        at = dict(each.levels)
        own, other = (
            means.get((subject, at["terminals"], at["buffer_pool_gib"]))
            for subject in (each.above, each.below)
        )
        assert own is not None
        right = own if other is None else 100 * (own / other - 1)
        assert each.given == pytest.approx(right)
        assert not each.follows, "rounds were left out of every mean of this report"


def test_what_follows_from_all_rounds_agrees(tmp_path: Path) -> None:
    claims = "quantity,threads,value\nA 1.0,8,105\nB 2.0,8,136.5\nimprovement percent,8,30\n"
    found = claims_of(tmp_path, claims)
    told = [(stated_of_what(e), e.text, given_in_words(e), e.follows) for e in found]
    assert told == [
        ("A 1.0, mean", "105", "105", True),
        ("B 2.0, mean", "136.5", "136.5", True),
        ("B 2.0 against A 1.0", "30", "30\N{NO-BREAK SPACE}%", True),
    ]


def test_a_wrong_mean_with_a_difference_that_follows_from_it_agrees_in_neither(
    tmp_path: Path,
) -> None:
    claims = "quantity,threads,value\nA 1.0,8,100\nB 2.0,8,143\nimprovement percent,8,43\n"
    found = claims_of(tmp_path, claims)
    assert [each.follows for each in found] == [False] * 3
    assert found[-1].given == pytest.approx(30)


def test_a_claim_of_one_cell_of_several_names_the_cell_that_it_is_of() -> None:
    *found, average = stated(
        FIGURES / "greatsql-mysql-sysbench.csv", FIGURES / "greatsql-mysql-sysbench-claims.csv"
    )
    assert (average.text, average.given) == ("0.7295", None)
    assert {dict(each.levels)["threads"] for each in found} == {"128"}
    assert all(each.follows for each in found)


def test_a_claim_that_may_be_of_several_cells_has_nothing_beside_it(tmp_path: Path) -> None:
    (found,) = claims_of(tmp_path, "system,improvement_percent\nB 2.0,77\n")
    assert (found.text, found.given, found.follows) == ("77", None, False)
    assert given_in_words(found) is None


def test_no_percentage_or_ratio_of_a_source_is_left_out() -> None:
    files = [FIGURES / f"tidb-versions-sysbench{part}.csv" for part in ("", "-claims")]
    found = stated(*files)
    assert len(found) == len(pl.read_csv(files[1]))
    over_all = {dict(each.levels)["workload"]: each for each in found if each.given is None}
    assert {workload: each.text for workload, each in over_all.items()} == {
        "oltp_point_select": "5.06",
        "oltp_update_non_index": "1.72",
        "oltp_update_index": "4.5",
        "oltp_read_write": "2.67",
    }
    assert {dict(each.levels)["threads"] for each in over_all.values()} == {"all"}


def test_what_is_held_against_nobody_is_told_with_its_column() -> None:
    found = stated(FIGURES / "terarkdb-innodb-size.csv")
    assert [(each.above, each.text, each.given) for each in found] == [
        ("InnoDB (compressed), ratio_percent", "60.8", None),
        ("TerarkDB, ratio_percent", "35.9", None),
    ]
