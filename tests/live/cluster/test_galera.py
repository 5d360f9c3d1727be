"""A Galera cluster behind HAProxy as it is shipped."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.live.cluster.conftest import Adapt
from tests.live.run.launch import call, read_journal

pytestmark = pytest.mark.live


def test_it_is_loaded_driven_checked_and_gone(adapted: Adapt, galera: Path, tmp_path: Path) -> None:
    provider = f"galera: {galera / 'libgalera_smm.so'}"
    changes = {"galera: true": provider, "procedure: {": "procedure: {start: continue, "}
    file = adapted("galera.yaml", **changes)
    result = tmp_path / "result"
    path = f"{galera / 'bin'}:{os.environ['PATH']}"
    ended = call(["run", file, "--out", result, "--smoke"], environment={"PATH": path})
    assert ended.status == 0, ended.output + ended.errors
    trials = [json.loads(path.read_text()) for path in sorted(result.glob("trials/*/trial.json"))]
    assert {trial["status"] for trial in trials} == {"completed"}
    assert all(set(trial["dataset"]["check"]["conditions"].values()) == {0} for trial in trials)
    assert all(len(trial["server"]["hosts"]) == 3 for trial in trials)
    said = {member["role"]: member["words"] for member in trials[0]["server"]["members"]}
    assert said["balancer"].startswith("HAProxy version 2.")
    assert "http" not in said["balancer"]
    assert said["node"].startswith("MariaDB 10.")
    plans = [json.loads(path.read_text()) for path in sorted(result.glob("trials/*/plan.json"))]
    assert [trial["dataset"]["disk"]["before"]["nodes"] for trial in trials] == [3, 3]
    # Clients that take another way need no other servers.
    starts = [line for line in read_journal(result) if line["event"] == "server_started"]
    assert len(starts) == 1
    nodes = {plan["url"].count(",") + 1 for plan in plans}
    assert nodes == {3, 1}
