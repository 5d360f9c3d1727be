"""A search for the knee in whole runs: it ends by itself, and goes on after a kill."""

from __future__ import annotations

import json
from pathlib import Path
from signal import SIGKILL

from dbdyno.store.reader import read_result
from tests.live.run.stage import Stage

EXPERIMENT = """\
experiment: tiny
question: How many clients?
workload: {sysbench: {script: oltp_point_select, tables: 1, table_size: 1000}}
target: {sqlite: {}}
search: {knee: load.clients, to: 6, response_limit: {p95: 10s}, rate: 50%}
procedure: {warmup: 0.1s, duration: 0.2s, interval: 0.1s, rounds: 2, check: none}
"""


def test_a_search_that_is_killed_goes_on_and_ends_by_itself(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.file.write_text(EXPERIMENT)
    running = stage.launch()
    journal = stage.result / "journal.jsonl"
    running.wait_for(lambda: journal.exists() and '"plan_grew"' in journal.read_text())
    running.signal(SIGKILL)
    running.end(leaves=True)
    before = json.loads((stage.result / "plan.json").read_text())["trials"]
    done = stage.statuses()
    ended = stage.run()
    assert ended.status == 0, ended
    after = json.loads((stage.result / "plan.json").read_text())["trials"]
    assert after[: len(before)] == before
    assert len(after) > len(before) >= 3
    kept = {number for number, how in done.items() if how == "completed"}
    assert not kept & set(ended.trials("trial_started"))
    assert set(stage.statuses().values()) == {"completed"}
    said = " ".join(ended.output.split())
    assert "throughput is highest at" in said
    assert "all up to 6 clients keep a p95 of 10,000 ms" in said
    assert "throughput is highest at" in (stage.result / "report.html").read_text().lower()
    result = read_result(stage.result)
    at_rate = [t for t in result.trials if t.planned.cell.level("rate") == "50%"]
    assert len(at_rate) == 2
    assert {trial.generator_plan.offered_per_s is not None for trial in at_rate} == {True}
    again = stage.run()
    assert again.trials("trial_started") == []
    assert again.status == 0
    changed = EXPERIMENT.replace("How many clients?", "How many of them?")
    stage.file.write_text(changed)
    asked = stage.run()
    assert asked.status == 0, asked
    assert asked.trials("trial_started") == []
    assert "How many of them?" in asked.output
