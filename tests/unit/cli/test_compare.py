"""``dbdyno compare`` as a pipeline calls it: exit status, words, JSON and JUnit's XML."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from dbdyno.experiment.plan import FactorLevels
from tests.live.run.launch import Ended, call
from tests.unit.analysis.joined.results import CLIENTS, ENGINE, RATES, result
from tests.unit.store.result_builder import TrialScript

SLOWER = tuple(round(0.8 * rate) for rate in RATES)
RULE = ("--fail-if", "throughput worse by 5 %")


def compare(folder: Path, *arguments: str | Path) -> Ended:
    return call(["compare", *arguments], directory=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with results: ``old`` and its like, and those that differ from it."""
    folder = tmp_path_factory.mktemp("results")

    def upgraded(script: TrialScript) -> None:
        script.server["version"] = "11.4.1"
        script.server["settings"]["innodb_buffer_pool_size"] = "8388608"

    def other_work(script: TrialScript) -> None:
        script.generator_plan["workload"]["sysbench"]["table_size"] = 1

    result(folder / "old", [CLIENTS])
    result(folder / "again", [CLIENTS], rates=RATES[::-1])
    result(folder / "slower", [CLIENTS], rates=SLOWER, change=upgraded)
    result(folder / "unlike", [CLIENTS], change=other_work)
    result(folder / "engines", [ENGINE, CLIENTS])
    result(folder / "one round", [CLIENTS], rates=RATES[:1])
    return folder


def test_a_regression_ends_with_3_and_is_named(folder: Path) -> None:
    done = compare(folder, "old", "slower", *RULE)
    assert done.status == 3, done.errors
    assert "REGRESSION: throughput worse by 5 % over all cells: 20.1 % worse" in done.output
    assert "REGRESSION: throughput worse by 5 % at clients=8: 20.1 % worse" in done.output
    assert "version (11.4.1 against 10.11.14)" in " ".join(done.output.split())
    assert "innodb_buffer_pool_size: 16777216 in old, 8388608 in slower" in done.output


def test_the_other_way_round_it_is_none(folder: Path) -> None:
    done = compare(folder, "slower", "old", *RULE)
    assert done.status == 0, done.output
    assert "passed: throughput worse by 5 % at clients=1: 25.1 % better, 6 rounds" in done.output


def test_without_a_rule_nothing_fails(folder: Path) -> None:
    done = compare(folder, "old", "slower")
    assert done.status == 0
    assert "slower" in done.output


def test_what_cannot_be_compared_is_refused_and_named(folder: Path) -> None:
    done = compare(folder, "old", "unlike", *RULE)
    assert done.status == 2
    assert done.output == ""
    assert done.errors == (
        "unlike cannot be compared with old:\n"
        "  workload.sysbench.table_size: 100000 in old, 1 in unlike\n"
        "With --force, figures are shown all the same, with this above them.\n"
    )


def test_what_is_forced_has_the_warning_on_top(folder: Path) -> None:
    done = compare(folder, "old", "unlike", "--force", "--report", "forced")
    assert done.status == 0
    warning = "These two cannot be compared, and somebody forced it: workload.sysbench.table_size"
    assert " ".join(done.output.split()).startswith(f"example {warning}")
    assert warning in (folder / "forced" / "report.html").read_text()


def test_no_rule_is_judged_where_somebody_forced_it(folder: Path) -> None:
    done = compare(folder, "old", "unlike", "--force", *RULE)
    assert done.status == 2
    assert "leave out --force" in done.errors


def test_one_round_cannot_be_judged(folder: Path) -> None:
    done = compare(folder, "old", "one round", *RULE)
    assert done.status == 1
    assert "not judged: throughput worse by 5 % at clients=1: 1 valid round with" in done.output
    assert "A percentile" not in done.output


def test_a_rule_that_says_nothing_says_which_rule_would(folder: Path) -> None:
    def at_a_rate(script: TrialScript) -> None:
        script.generator_plan["arrivals"] = {"constant": {"rate_per_s": 100.0}}

    for name in ("rate", "same rate"):
        result(folder / name, rates=[100] * 6, change=at_a_rate)
    done = compare(folder, "rate", "same rate", *RULE)
    assert done.status == 1
    assert "make a rule about p95" in done.output


def test_trials_that_failed_keep_a_rule_from_passing(folder: Path) -> None:
    def fail(script: TrialScript) -> None:
        if script.planned.number == 3:
            script.events[-1] |= {"status": "failed", "reason": "the server is gone"}

    result(folder / "partly failed", [CLIENTS], change=fail)
    done = compare(folder, "old", "partly failed", *RULE)
    assert done.status == 1
    assert "1 of 24 trials are in no figure" in done.output
    result(folder / "slower and partly failed", [CLIENTS], rates=SLOWER, change=fail)
    assert compare(folder, "old", "slower and partly failed", *RULE).status == 3


def test_a_second_run_that_is_alike_lets_rules_be_judged(folder: Path) -> None:
    done = compare(folder, "old", "slower", *RULE, "--again", "again")
    assert done.status == 3
    assert "A/A check with again: passed" in done.output


def test_a_second_run_that_differs_stops_the_rules(folder: Path) -> None:
    slow_again = result(folder / "slow again", [CLIENTS], rates=SLOWER)
    done = compare(folder, "old", "slower", *RULE, "--again", slow_again.directory)
    assert done.status == 1
    assert "A/A check with slow again: FAILED" in done.output


def test_a_second_run_that_is_faster_stops_the_rules_too(folder: Path) -> None:
    result(folder / "slow one", [CLIENTS], rates=SLOWER)
    done = compare(folder, "slow one", "old", *RULE, "--again", "again")
    assert done.status == 1
    assert "A/A check with again: FAILED" in done.output


def test_a_second_run_of_something_else_is_refused(folder: Path) -> None:
    done = compare(folder, "old", "again", *RULE, "--again", "slower")
    assert done.status == 2
    assert "--again slower is not what old is" in done.errors


def test_two_levels_of_one_result(folder: Path) -> None:
    done = compare(folder, "engines@engine=one", "engines@engine=other", *RULE)
    assert done.status == 0, done.errors
    assert "How does engines@engine=other differ from engines@engine=one?" in done.output


WRONG = {
    ("old", "old"): "old and old are the same",
    ("old", "nowhere"): "nowhere does not exist",
    ("old@clients=3", "old@clients=8"): "clients has no level 3; it has 1, 8",
    ("old@threads=1", "old@clients=8"): "no factor is called threads; its factors are: clients",
    ("engines@engine=one", "engines@engine=other,clients=1"): "differ in engine and clients",
    ("engines@engine=one", "engines"): "both must name its level",
    ("old", "again", "--again", "slower"): "--again checks the rules of --fail-if",
    ("old", "again", "--fail-if", "p95"): "must be like 'p95 worse by 5 %'",
    ("old", "again", "--report", "r", "--format", "doc"): "report format 'doc' is not known",
    ("old", "again", "--report", "r", "--format", ""): "--format '' names none",
    ("old", "again", "--report", "old/plan.json"): "cannot write the report into old/plan.json",
    ("old", "again", *RULE, "--again", "old"): "--again old is no second run",
    ("old", "again", *RULE, "--again", "again"): "it is the same result as again",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_a_wrong_call_is_refused(folder: Path, arguments: tuple[str, ...]) -> None:
    done = compare(folder, *arguments)
    assert done.status == 2
    assert WRONG[arguments] in done.errors


def test_cells_that_one_lacks_are_named_and_fail_a_rule(folder: Path) -> None:
    more = result(folder / "more", [FactorLevels("clients", ("1", "8", "64"), "load.clients")])
    done = compare(folder, more.directory, "old", *RULE)
    assert done.status == 1
    assert "Only more has these cells, and they are not compared: clients=64" in done.output


def test_json_has_all_of_it(folder: Path) -> None:
    done = compare(folder, "old", "slower", *RULE, "--json")
    found = json.loads(done.output)
    assert done.status == found["exit_status"] == 3
    assert [each["outcome"] for each in found["rules"]] == ["regression"] * 3
    throughput = [each for each in found["comparisons"] if each["metric"] == "throughput"]
    assert [each["cell"] for each in throughput] == [None, {"clients": "1"}, {"clients": "8"}]
    for each in throughput:
        assert each["effect"]["low_percent"] < -20 < each["effect"]["high_percent"]


def test_junit_has_a_case_for_each_rule_and_cell(folder: Path) -> None:
    compare(folder, "old", "slower", *RULE, "--fail-if", "p95 worse", "--junit", "rules.xml")
    suite = ET.parse(folder / "rules.xml").getroot()
    assert suite.attrib == {
        "name": "slower against old",
        "tests": "6",
        "failures": "3",
        "errors": "0",
    }
    failed = [case for case in suite.findall("testcase") if case.find("failure") is not None]
    assert {case.get("classname") for case in failed} == {"throughput worse by 5 %"}
    assert {case.get("name") for case in failed} == {"all cells", "clients=1", "clients=8"}


def test_an_idle_round_that_only_one_result_has_leaves_no_ratio(tmp_path: Path) -> None:
    result(tmp_path / "old", rates=(100, 101, 99, 102, 0))
    result(tmp_path / "new", rates=(100, 102, 98))
    done = compare(tmp_path, "old", "new", *RULE, "--json")
    assert done.status == 1
    (held,) = json.loads(done.output)["rules"]
    assert held["outcome"] == "not judged"
    assert "one of the two did nothing in some round" in held["sentence"]


@pytest.mark.parametrize("name", [b"new\xff", b"new\x1b", b"new\x07"])
def test_a_name_that_is_no_text_is_shown_all_the_same(tmp_path: Path, name: bytes) -> None:
    broken = tmp_path / os.fsdecode(name)
    result(tmp_path / "old")
    result(broken)
    done = compare(tmp_path, "old", broken, *RULE, "--report", "report", "--junit", "rules.xml")
    assert done.status == 0, done.errors
    assert "new\N{REPLACEMENT CHARACTER}" in done.output
    suite = ET.parse(tmp_path / "rules.xml").getroot()
    assert suite.get("name") == "new\N{REPLACEMENT CHARACTER} against old"


def test_unlike_numbers_of_rounds_are_told(tmp_path: Path) -> None:
    result(tmp_path / "old")
    result(tmp_path / "new", rates=RATES[:3])
    done = compare(tmp_path, "old", "new", *RULE)
    assert "at least 3 rounds each" in " ".join(done.output.split())


def test_a_factor_may_have_a_space_in_its_name(tmp_path: Path) -> None:
    result(tmp_path / "both", [FactorLevels("pool size", ("8M", "16M"), "server.pool")])
    done = compare(tmp_path, "both@pool size=8M", "both@pool size=16M", *RULE)
    assert done.status == 0, done.errors


def test_the_report_says_nothing_of_rounds_that_two_results_share(tmp_path: Path) -> None:
    result(tmp_path / "old", [CLIENTS])
    result(tmp_path / "new", [CLIENTS])
    done = compare(tmp_path, "old", "new", "--report", "report", "--format", "md")
    report = " ".join((tmp_path / "report" / "report.md").read_text().split())
    for said in (report, " ".join(done.output.split())):
        assert "Trials from 1000 on are those of new: 1001 is its trial 1." in said
        assert "The two results were measured at different times." in said
    assert "The host below is that of old" in report
    assert "paired by round" not in report
    assert "Cells are compared within rounds" not in report


def test_a_copy_is_not_compared_with_its_original(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "old", tmp_path / "copy")
    done = compare(folder, "old", tmp_path / "copy", *RULE)
    assert done.status == 2
    assert "copy is a copy of old, or was one: both hold the trial that is number 1" in done.errors
    checked = compare(folder, "old", "slower", *RULE, "--again", tmp_path / "copy")
    assert checked.status == 2
    assert "copy is a copy of old" in checked.errors


def test_a_folder_of_results_is_no_result_and_no_log(folder: Path) -> None:
    done = compare(folder, ".", "old")
    assert done.status == 2
    assert ". is no result directory: there is no format.json in it" in done.errors
