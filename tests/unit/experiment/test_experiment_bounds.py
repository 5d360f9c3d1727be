"""A file that would take the whole machine's memory or time to read ends at once, in words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.file.source import Source

BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 40)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, ":6: comes to more than 100,000 values, aliases (*name) written out"),
        ("a: " + "[" * 100_000, ":1: is nested more than 50 deep; an experiment is not"),
        ("{a: " * 100_000, ":1: is nested more than 50 deep; an experiment is not"),
        ("a: &a [1, *a]\n", ":1: *a stands within itself; write it out"),
        ("a: " + "9" * 5000, ": holds what cannot be read: "),
        ("#" * 1_000_001, ": is larger than 1 MB; an experiment file is not"),
    ],
)
def test_a_file_without_bounds_is_refused(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    if "holds" not in message:
        # Nothing is built of it.
        monkeypatch.setattr("ruamel.yaml.YAML.load", None)
    with pytest.raises(ExperimentError) as refusal:
        Source(path)
    assert str(refusal.value).startswith(f"{path}{message}")


def test_a_device_without_an_end_is_refused() -> None:
    with pytest.raises(ExperimentError, match="is larger than 1 MB"):
        Source(Path("/dev/zero"))


@pytest.mark.parametrize(
    "workload", ["pgbench: {scripts: [{file: pipe}]}", "tpcc: {warehouses: 1, ddl: pipe}"]
)
def test_a_pipe_that_a_file_names_is_not_waited_for(workload: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "experiment.yaml"
    path.write_text(
        f"experiment: a\nquestion: b?\nworkload: {{{workload}}}\ntarget: {{sqlite: {{}}}}\n"
    )
    with pytest.raises(ExperimentError, match="pipe is damaged: it should be a regular file"):
        read_experiment(path)


@pytest.mark.parametrize("text", [None, "-- later;\n"])
def test_tables_that_a_file_does_not_make_are_refused_with_its_line(
    text: str | None, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "tables.sql").write_text(text)
    path = tmp_path / "experiment.yaml"
    path.write_text(
        "experiment: a\nquestion: b?\nworkload: {tpcc: {ddl: tables.sql}}\ntarget: {sqlite: {}}\n"
    )
    with pytest.raises(ExperimentError, match=r":3: workload\.tpcc\.ddl: .*tables\.sql"):
        read_experiment(path)


def test_anchors_are_read_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text("a: &a {b: 1}\nc: *a\nd: {<<: *a, e: [*a, *a]}\n")
    assert Source(path).values() == {
        "a": {"b": 1},
        "c": {"b": 1},
        "d": {"b": 1, "e": [{"b": 1}, {"b": 1}]},
    }
