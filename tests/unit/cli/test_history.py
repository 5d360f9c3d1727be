"""``dbdyno history``: results of one experiment in order of time, and where the level changed."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.live.run.launch import Ended, call
from tests.unit.analysis.joined.results import CLIENTS, RATES, result
from tests.unit.analysis.test_clients import unread
from tests.unit.store.result_builder import TrialScript


def history(folder: Path, *arguments: str) -> Ended:
    return call(["history", *arguments], directory=folder)


WEEKS = ("w1", "w2", "w3", "w4", "w5", "w6")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the results of six weeks; the last two are a fifth slower."""
    folder = tmp_path_factory.mktemp("weeks")
    for week, share in zip(WEEKS, (1.0, 1.01, 0.99, 1.0, 0.8, 0.81), strict=True):
        rates = [round(10 * share * rate) for rate in RATES]
        result(folder / week, [CLIENTS], rates=rates)

    def other_work(script: TrialScript) -> None:
        script.generator_plan["workload"]["sysbench"]["tables"] = 1

    result(folder / "other", [CLIENTS], change=other_work)
    result(folder / "more", [replace(CLIENTS, levels=("1", "64"))])
    return folder


def test_a_change_of_level_is_named_with_its_result(folder: Path) -> None:
    done = history(folder, *WEEKS)
    assert done.status == 0, done.errors
    said = " ".join(done.output.split())
    assert "Changes of level: clients=1, throughput: w5 (changed, −20 %)" in said
    assert "w6" not in said.partition("Changes of level")[2]


def test_without_a_change_none_is_said(folder: Path) -> None:
    assert "No change of level is shown" in history(folder, *WEEKS[:4]).output


def test_results_are_in_order_of_time_whatever_the_order_of_the_call(folder: Path) -> None:
    done = history(folder, *reversed(WEEKS), "--json")
    found = json.loads(done.output)
    assert [each["name"] for each in found["results"]] == list(WEEKS)
    line = found["lines"][0]
    assert line["cell"] == {"clients": "1"}
    assert [each["standing"] for each in line["values"]][4] == "changed"


def test_csv_has_a_column_for_each_cell_and_metric(folder: Path) -> None:
    history(folder, *WEEKS, "--csv", "weeks.csv")
    rows = list(csv.DictReader((folder / "weeks.csv").open()))
    assert len(rows) == 6
    assert list(rows[0]) == [
        *("time", "result", "server"),
        *("throughput_clients_1", "response_p95_clients_1"),
        *("throughput_clients_8", "response_p95_clients_8"),
    ]
    assert float(rows[4]["throughput_clients_1"]) == pytest.approx(804, abs=2)
    assert rows[0]["time"].endswith("+00:00")


def test_a_cell_that_a_result_lacks_is_a_gap(folder: Path) -> None:
    done = history(folder, "w1", "w2", "more")
    assert done.status == 0, done.errors
    assert "not measured" in done.output


def test_a_report_has_the_results_as_levels(folder: Path) -> None:
    done = history(folder, *WEEKS, "--report", "report")
    assert done.status == 0, done.errors
    page = (folder / "report" / "report.html").read_text()
    assert all(f" {week}" in page for week in WEEKS)


def test_no_language_is_refused(folder: Path) -> None:
    done = history(folder, *WEEKS, "--report", "none", "--lang", "")
    assert done.status == 2
    assert "--lang '' names none" in done.errors


def test_another_experiment_is_refused_and_says_why(folder: Path) -> None:
    done = history(folder, "w1", "other")
    assert done.status == 2
    assert "workload.sysbench.tables: 4 in w1, 1 in other" in done.errors


@pytest.mark.parametrize("names", [("w1",), ("w1", "w1"), ("w1", f"..{os.sep}nowhere")])
def test_one_result_or_none_is_no_history(folder: Path, names: tuple[str, ...]) -> None:
    assert history(folder, *names).status == 2


def test_a_result_in_which_nothing_was_done_is_no_gap_without_a_reason(tmp_path: Path) -> None:
    for name, rates in (("a", RATES), ("b", RATES), ("c", (*RATES[:5], 0))):
        result(tmp_path / name, rates=rates)
    done = history(tmp_path, "a", "b", "c")
    assert done.status == 0, done.errors
    assert "nothing done in some round" in done.output


def test_a_result_without_a_trial_is_named(folder: Path, tmp_path: Path) -> None:
    empty = result(tmp_path / "empty", [CLIENTS]).directory
    shutil.rmtree(empty / "trials")
    done = history(folder, "w1", str(empty))
    assert done.status == 2
    assert f"{empty} has no trial that was measured: leave it out" in done.errors


def test_columns_of_like_levels_have_names_of_their_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        result(tmp_path / name, [replace(CLIENTS, levels=("+1", "-1"))])
    history(tmp_path, "a", "b", "--csv", "both.csv")
    (names, *_) = csv.reader((tmp_path / "both.csv").open())
    assert len(set(names)) == len(names) == 3 + 4


def test_response_times_of_unlike_clients_are_marked_and_not_compared(tmp_path: Path) -> None:
    shares = {"a": 0.0, "b": 0.04, "c": 0.05, "d": 0.02, "e": 0.4, "f": 0.0}
    for name, share in shares.items():
        result(tmp_path / name, change=partial(unread, share=share))
    done = history(tmp_path, *shares, "--json", "--report", "report", "--csv", "all.csv")
    assert done.status == 0, done.errors
    throughput, response = json.loads(done.output)["lines"]
    assert {each["standing"] for each in throughput["values"]} <= {"too few before it", "as before"}
    standings = dict(zip(shares, (each["standing"] for each in response["values"]), strict=True))
    assert standings.pop("e") == "other clients in effect"
    assert set(standings.values()) <= {"too few before it", "as before"}
    rows = list(csv.DictReader((tmp_path / "all.csv").open()))
    assert [row["result"] for row in rows if not row["response_p95"]] == ["e"]
    shown = history(tmp_path, *shares).output
    (row,) = (line for line in shown.splitlines() if "other clients" in line)
    assert re.match(r"e +†\s", row)
    assert shown.count("†") == 2
    assert "† marks times that fewer clients had" in " ".join(shown.split())
    page = (tmp_path / "report" / "report.html").read_text()
    assert "† marks times that fewer clients had" in page


def test_a_copy_is_no_later_run(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "w1", tmp_path / "copy")
    done = history(folder, "w1", "w2", str(tmp_path / "copy"))
    assert done.status == 2
    assert "is a copy of" in done.errors
