"""Servers that take no writes, as a replica does whose address was given by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.store.model import StoredTrial, TrialStatus
from dbdyno.store.reader import read_result
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.experiments import identity_of, prepare
from tests.live.faults.servers import PASSWORD, read_only, told, user_url

pytestmark = pytest.mark.live

SAYS = {
    "mysql": "The MariaDB server is running with the --read-only option so it cannot execute this "
    "statement",
    "postgresql": "in a read-only transaction",
}


def test_a_run_that_writes(server: FixedServer, tmp_path: Path) -> None:
    """An experiment on a server that takes no writes, of this user at least."""
    stage = prepare(tmp_path / "run", server, url=user_url(server))
    with told(server, *read_only(server)):
        ended = stage.run(environment={"DBDYNO_PASSWORD": PASSWORD})
    assert ended.status == 1, ended
    (trial,) = read_result(stage.result).trials
    assert_that_it_failed(trial, SAYS[server.scheme])
    assert trial.reason is not None
    assert trial.reason in " ".join(ended.output.split())


def assert_that_it_failed(trial: StoredTrial, words: str) -> None:
    """All was refused for one reason, which is named, and is stored as it was counted."""
    assert trial.status is TrialStatus.FAILED
    assert trial.reason is not None
    assert "transactions failed (100.0 %, and the error budget is 1 %)" in trial.reason
    assert "times) read_only: " in trial.reason
    assert words in trial.reason
    sums = identity_of(trial)
    assert sums["committed"] == 0
    assert sums["failed"] == sums["scheduled"] > 0
    assert {error.error_class for error in trial.errors} == {"read_only"}
    assert sum(error.count for error in trial.errors) == sums["failed"]
