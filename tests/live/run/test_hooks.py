"""Commands of the user's own around experiments, cells and trials."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.live.run.stage import LASTING, PACED, Stage

WRITE = 'echo "$DBDYNO_HOOK ${{DBDYNO_TRIAL:--}} ${{DBDYNO_FACTOR_CLIENTS:--}}" >> {log}'


def with_hooks(stage: Stage, hooks: dict[str, str]) -> Stage:
    """Add hooks to the experiment's file."""
    stage.file.write_text(f"{stage.file.read_text()}hooks: {json.dumps(hooks)}\n")
    return stage


def events(stage: Stage, name: str) -> list[dict[str, Any]]:
    lines = (stage.result / "journal.jsonl").read_text().splitlines()
    return [event for line in lines if (event := json.loads(line))["event"] == name]


def test_each_is_called_at_its_moment(stage: Stage, tmp_path: Path) -> None:
    log = tmp_path / "log"
    moments = ("experiment", "cell", "trial")
    names = [f"{when}_{what}" for when in ("before", "after") for what in moments]
    stage.write(procedure="order: sequential")
    with_hooks(stage, dict.fromkeys(names, WRITE.format(log=log)))
    assert stage.run().status == 0
    assert log.read_text().splitlines() == [
        "before_experiment - -",
        *("before_cell 1 1", "before_trial 1 1", "after_trial 1 1"),
        *("before_trial 2 1", "after_trial 2 1", "after_cell 2 1"),
        *("before_cell 3 2", "before_trial 3 2", "after_trial 3 2"),
        *("before_trial 4 2", "after_trial 4 2", "after_cell 4 2"),
        "after_experiment - -",
    ]
    told = events(stage, "hook_ended")
    assert [hook["hook"] for hook in told] == [line.split()[0] for line in log.open()]
    assert {hook["exit_status"] for hook in told} == {0}


def test_it_runs_where_the_file_is(stage: Stage) -> None:
    with_hooks(stage, {"before_experiment": "pwd > place"})
    assert stage.run().status == 0
    assert (stage.directory / "place").read_text().strip() == str(stage.directory)


def test_a_trial_whose_hook_fails_does_not_begin(stage: Stage) -> None:
    command = "test $DBDYNO_TRIAL != 2 || { echo no room >&2; exit 3; }"
    with_hooks(stage, {"before_trial": command})
    ended = stage.run()
    assert ended.status == 1
    assert stage.statuses() == {1: "completed", 2: "interrupted", 3: "completed", 4: "completed"}
    reason = "it could not begin: the hook before_trial ended with status 3: no room"
    assert stage.trial(2)["reason"] == reason


def test_a_hook_that_fails_afterwards_is_a_warning(stage: Stage) -> None:
    with_hooks(stage, {"after_trial": "exit 4"})
    ended = stage.run()
    assert ended.status == 0
    assert ended.output.count("WARNING: the hook after_trial ended with status 4\n") == 4


def test_a_run_whose_first_hook_fails_measures_nothing(stage: Stage) -> None:
    with_hooks(stage, {"before_experiment": "exit 1", "after_experiment": "touch after"})
    ended = stage.run()
    assert ended.status == 1
    assert ended.errors == "the hook before_experiment ended with status 1\n"
    assert not (stage.result / "trials").exists()
    assert not (stage.directory / "after").exists()


def test_one_that_takes_too_long_is_killed_with_all_that_it_has_started(stage: Stage) -> None:
    command = "sleep 300 & echo $! > child; wait"
    with_hooks(stage, {"before_experiment": command, "limit": "0.5s"})
    ended = stage.run()
    assert ended.status == 1
    assert ended.errors == "the hook before_experiment took longer than 0.5 s and was killed\n"
    child = int((stage.directory / "child").read_text())
    assert not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text()


def test_no_password_of_ours_is_in_its_environment(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBDYNO_PASSWORD", "secret-of-ours")
    with_hooks(stage, {"before_experiment": "env > variables"})
    assert stage.run().status == 0
    assert "secret-of-ours" not in (stage.directory / "variables").read_text()


@pytest.mark.parametrize("command", ["", "  "])
def test_an_empty_command_is_refused(stage: Stage, command: str) -> None:
    with_hooks(stage, {"before_trial": command})
    ended = stage.run()
    assert ended.status == 2
    assert "hooks.before_trial: must be a command of the shell" in ended.errors


def test_a_trial_that_was_to_be_tried_again_is_so_after_its_run_was_killed(
    stage: Stage, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    stage.write(load=PACED, factors="clients: [1]", duration=LASTING, procedure="attempts: 2")
    with_hooks(stage, {"before_trial": f"while test -e {held}; do sleep 0.1; done"})
    running = stage.launch()
    running.wait_for_load(1)
    held.touch()
    running.processes("dbdyno.generator")[0].kill()
    running.wait_for(lambda: len(events(stage, "trial_started")) == 2)
    running.process.kill()
    held.unlink()
    running.end(leaves=True)
    assert stage.statuses() == {1: "failed"}
    assert stage.run().status == 0
    assert stage.statuses() == {1: "completed", 2: "completed"}
    started = [(event["trial"], event["attempt"]) for event in events(stage, "trial_started")]
    assert started == [(1, 1), (1, 2), (1, 2), (2, 1)]


def test_a_script_is_kept_and_a_run_goes_on_with_that_alone(stage: Stage) -> None:
    script = stage.directory / "look.sh"
    script.write_text("#!/bin/sh\n# What was looked at.\ntrue\n")
    with_hooks(stage.write(rounds=1), {"before_trial": "sh ./look.sh"})
    assert stage.run().status == 0
    assert "What was looked at." in (stage.result / "report.html").read_text()
    assert (stage.result / "files" / "1").read_text() == script.read_text()
    stage.file.write_text(stage.file.read_text().replace("rounds: 1", "rounds: 2"))
    script.write_text("#!/bin/sh\nfalse\n")
    refused = stage.run()
    assert refused.status == 2
    assert "./look.sh changed after trials had run" in refused.errors
    script.write_text("#!/bin/sh\n# What was looked at.\ntrue\n")
    went_on = stage.run()
    assert went_on.status == 0
    assert stage.trials == 4
