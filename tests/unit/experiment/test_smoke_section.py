"""The section smoke: what --smoke runs in place of the file's own fields."""

# Each message stands on one line, as it is printed.
# ruff: noqa: E501

from pathlib import Path

import pytest

from dbdyno.cli.planning import read_and_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.file.smoke import merge_patch

FILE = """\
experiment: large
question: Is the large server fast?
workload: {tpcc: {schema: benchmarksql, warehouses: 2000}}
targets:
  old: {url: "mysql://bench@old/bench"}
  new: {url: "mysql://bench@new/bench"}
factors:
  target: [old, new]
  terminals: [32, 64]
procedure: {warmup: 5m, duration: 20m, rounds: 8}
"""
SECTION = """\
smoke:
  question: Does all of it work?
  workload: {tpcc: {warehouses: 1}}
  targets: {old: null, new: null, here: {sqlite: {}}}
  factors: {target: null, terminals: [1, 2]}
  procedure: {warmup: 1s, duration: 3s}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "large.yaml"


def test_the_section_takes_the_place_of_the_files_own_fields(path: Path) -> None:
    path.write_text(FILE + SECTION)
    experiment, plan = read_and_plan(path, smoke=True)
    assert plan.question == "Does all of it work?"
    assert list(experiment.targets) == ["here"]
    assert [(factor.name, factor.levels) for factor in plan.factors] == [("terminals", ("1", "2"))]
    asked = plan.trials[0].generator_plan
    assert (asked.warmup_s, asked.duration_s) == (1, 3)
    # What the section does not name stays as it is: nothing else is shrunk.
    assert plan.rounds == 8
    assert asked.workload["tpcc"]["schema"] == "benchmarksql"
    assert asked.workload["tpcc"]["warehouses"] == 1
    assert (plan.is_stand_in, plan.is_smoke) == (True, False)


def test_without_smoke_the_section_changes_nothing(path: Path) -> None:
    path.write_text(FILE)
    without = read_and_plan(path, smoke=False)[1]
    path.write_text(FILE + SECTION)
    assert read_and_plan(path, smoke=False)[1] == without
    assert not without.is_stand_in


def test_without_a_section_all_is_made_small(path: Path) -> None:
    path.write_text(FILE)
    plan = read_and_plan(path, smoke=True)[1]
    assert (plan.is_smoke, plan.is_stand_in, plan.rounds) == (True, False, 2)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            "smoke: {}",
            "11: smoke: is empty; name the fields that --smoke replaces, or remove it: without it, --smoke makes everything small by itself",
        ),
        ("smoke:\n  experiment: other", "12: smoke.experiment: cannot be replaced; remove it"),
        ("smoke:\n  smoke: {load: null}", "12: smoke.smoke: cannot be replaced; remove it"),
        (
            "smoke:\n  prozedure: {}",
            "12: smoke.prozedure: unknown field; did you mean 'procedure'?",
        ),
        (
            "smoke: 5s",
            "11: smoke: must be a mapping of names, as in {name: value}, not '5s'",
        ),
    ],
)
@pytest.mark.parametrize("smoke", [False, True])
def test_a_wrong_section_is_refused_in_any_case(
    section: str, message: str, smoke: bool, path: Path
) -> None:
    path.write_text(FILE + section)
    with pytest.raises(ExperimentError) as refused:
        read_experiment(path, smoke=smoke)
    assert str(refused.value) == f"{path}:{message}"


@pytest.mark.parametrize(
    ("section", "line", "field"),
    [
        # In a field that is the section's alone, and in one that is both's.
        ("  targets: {here: {sqlite: {sett: {}}}}", 12, "smoke.targets.here.sqlite.sett"),
        ("  procedure:\n    duration: soon", 13, "smoke.procedure.duration"),
        # What the section leaves alone is wrong where it stands.
        ("  targets: {old: null, new: null, here: {sqlite: {}}}", 8, "factors.target[0]"),
    ],
)
def test_what_is_wrong_is_named_where_it_stands(
    section: str, line: int, field: str, path: Path
) -> None:
    path.write_text(f"{FILE}smoke:\n{section}\n")
    with pytest.raises(ExperimentError) as refused:
        read_experiment(path, smoke=True)
    assert (refused.value.line, refused.value.field) == (line, field)


@pytest.mark.parametrize(
    ("values", "patch", "merged"),
    [
        # The examples of RFC 7396, appendix A.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_patch_is_merged(values: object, patch: object, merged: object) -> None:
    assert merge_patch(values, patch) == merged


def test_a_level_that_only_the_longer_list_of_the_section_has_is_named(path: Path) -> None:
    path.write_text(FILE + SECTION.replace("terminals: [1, 2]", "terminals: [1, 2, 0]"))
    with pytest.raises(ExperimentError, match=r"smoke\.factors\.terminals\[2\]: must be 1 or more"):
        read_experiment(path, smoke=True)


def test_a_question_of_the_section_is_another_one_in_all_languages(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text(
        "experiment: q\nquestion: {en: Is it fast?, zh: 快不快？}\n"
        "workload: {sysbench: {}}\ntarget: {sqlite: {}}\nfactors: {clients: [1]}\n"
        "smoke: {question: {en: Does it work?}}\n"
    )
    assert read_experiment(path, smoke=True).question == {"en": "Does it work?"}
    assert read_experiment(path).question == {"en": "Is it fast?", "zh": "快不快？"}
