"""The benchmark at its smallest size: that it runs, and that what it counts is right."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import bench.__main__ as program
import pytest
from bench import trial
from bench.figures import Figure, Spread

from dbdyno.errors import RunError

ROOT = Path(__file__).parents[2]
LIMIT_S = 600.0
TRIES = 3
TOO_BUSY = "is the machine busy?"
"""What the benchmark says where the machine kept it from measuring at all."""

SECTIONS = {
    "client CPU per statement over sysbench's, TCP": 3,
    "user-mode CPU per statement": 3,
    "resident memory": 1,
    "statements a second over sysbench's, TCP": 3,
    "server CPU per statement over that under sysbench, TCP": 3,
    "server CPU per statement over that under sysbench, TCP, nothing pinned": 3,
    "server CPU per statement over that under pgbench, TCP": 1,
    "server CPU per statement over that under pgbench, TCP, nothing pinned": 1,
    "p95 of response times over sysbench's, TCP": 3,
    "p95 of response times over pgbench's, TCP": 1,
    "p95 of response times over pgbench's, TCP, nothing pinned": 1,
    "statements a second and core of two workers over one's, null server, mysql": 1,
    "statements a second and core of two workers over one's, null server, postgresql": 1,
    "client CPU per statement over sysbench's, TCP, nothing pinned": 3,
    "statements a second over sysbench's, TCP, nothing pinned": 3,
    "p95 of response times over sysbench's, TCP, nothing pinned": 3,
    "client CPU per statement over pgbench's, TCP": 1,
    "client CPU per statement over pgbench's, TCP, nothing pinned": 1,
    "statements a second over pgbench's, TCP, nothing pinned": 1,
    "statements a second and core over a bare ping-pong's, null server, mysql": 1,
    "statements a second and core over a bare ping-pong's, null server, postgresql": 1,
    "clients at work of those asked for, ours and sysbench's, TCP": 3,
    "clients at work of those asked for, ours and sysbench's, TCP, nothing pinned": 3,
    "clients at work of those asked for, ours and pgbench's, TCP": 1,
    "clients at work of those asked for, ours and pgbench's, TCP, nothing pinned": 1,
    "statements a second over pgbench's, TCP": 1,
    "100 clients, null server, mysql": 3,
    "100 clients, null server, postgresql": 3,
    "exactness": 2,
    "kernel receive timestamps": 1,
    "user-mode instructions per statement": 2,
    "waiting": 7,
    "a large report": 6,
    "loading, server and client on all CPUs": 1,
    "loading TPC-C, server and client on all CPUs": 2,
    "TPC-C on MariaDB, TCP": 2,
}
"""How many figures there are of each kind; how good they are depends on the machine."""


def run_smoke(out: Path) -> subprocess.CompletedProcess[str]:
    """Run the benchmark, however it ends."""
    return subprocess.run(
        [sys.executable, "-m", "bench", "--smoke", "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.mark.live
def test_the_smoke_size_gives_all_figures(tmp_path: Path) -> None:
    kept = (ROOT / "bench" / "instructions.json").read_bytes()
    out = tmp_path / "bench.json"
    for _ in range(TRIES):
        bench = run_smoke(out)
        if TOO_BUSY not in bench.stderr:
            break
    assert bench.returncode == 0, bench.stderr
    figures = json.loads(out.read_text())["figures"]
    sections = [figure["section"] for figure in figures]
    assert {section: sections.count(section) for section in sections} == SECTIONS
    exactness = [figure for figure in figures if figure["section"] == "exactness"]
    assert [figure["median"] for figure in exactness] == [0, 0], exactness
    assert all(figure["name"] in bench.stdout for figure in figures)
    ratios = [figure for figure in figures if figure["unit"] == "ratio"]
    # Of no number it is neither true that it is above 0 nor that it is not.
    assert [ratio for ratio in ratios if not ratio["median"] > 0] == []
    # Counts of so short a run are not worth keeping.
    assert (ROOT / "bench" / "instructions.json").read_bytes() == kept


@pytest.mark.live
def test_a_part_that_fails_keeps_no_other_from_being_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> list[Figure]:
        raise RunError("no place left")

    found = Figure(section="loading TPC-C", name="found", unit="s", spread=Spread.of([1.0]))
    out = tmp_path / "bench.json"
    words = ["bench", "--smoke", "--only", "loading", "tpcc-loading", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    monkeypatch.setattr(program, "loading", fail)
    monkeypatch.setattr(program, "tpcc_loading", lambda *_: [found])
    assert program.main() == 2
    assert "bench: loading: no place left" in capsys.readouterr().err
    names = {figure["name"] for figure in json.loads(out.read_text())["figures"]}
    assert names == {"found"}


@pytest.mark.parametrize(("ended_early", "is_measured"), [(2, True), (3, False)])
def test_a_program_that_ended_before_its_window_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, ended_early: int, *, is_measured: bool
) -> None:
    measured = object()
    outcomes = iter([*[trial.TooBusyError("ended")] * ended_early, measured])

    def once(*_: object) -> object:
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(trial, "_measure_once", once)
    nothing: Any = None
    measure = partial(trial.measure, nothing, nothing, cpu=None, warmup_s=1, window_s=1)
    if is_measured:
        assert measure() is measured
    else:
        with pytest.raises(trial.TooBusyError):
            measure()
