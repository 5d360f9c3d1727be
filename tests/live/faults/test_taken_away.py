"""What a server no longer allows in the middle of a trial, and allows again a little later.

Clients make their connections anew every few transactions, as applications without a pool do, so
that they meet each refusal while it lasts. It is counted by its class, and the trial goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.live.engine.conftest import intervals, total
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.servers import PASSWORD, USER, told, user_url
from tests.live.faults.trials import Trial, assert_that_all_is_accounted_for, counted

pytestmark = pytest.mark.live


@dataclass(frozen=True)
class Refusal:
    """A refusal, how a server is brought to it and back, and what is counted."""

    change: str
    back: str
    error_class: str
    code: int
    sqlstate: str


MARIADB = [
    Refusal(
        f"ALTER USER {USER}@'%' IDENTIFIED BY 'other'",
        f"ALTER USER {USER}@'%' IDENTIFIED BY '{PASSWORD}'",
        "access_denied",
        1045,
        "28000",
    ),
    Refusal(
        f"ALTER USER {USER}@'%' WITH MAX_USER_CONNECTIONS 1",
        f"ALTER USER {USER}@'%' WITH MAX_USER_CONNECTIONS 0",
        "too_many_connections",
        1226,
        "42000",
    ),
    Refusal(
        "SET GLOBAL max_prepared_stmt_count = 0",
        "SET GLOBAL max_prepared_stmt_count = DEFAULT",
        "too_many_connections",
        1461,
        "42000",
    ),
    Refusal("SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0", "read_only", 1290, "HY000"),
]

POSTGRESQL = [
    Refusal(
        f"ALTER USER {USER} PASSWORD 'other'",
        f"ALTER USER {USER} PASSWORD '{PASSWORD}'",
        "access_denied",
        0,
        "28P01",
    ),
    Refusal(
        f"ALTER USER {USER} CONNECTION LIMIT 0",
        f"ALTER USER {USER} CONNECTION LIMIT -1",
        "too_many_connections",
        0,
        "53300",
    ),
    Refusal(
        f"ALTER USER {USER} SET default_transaction_read_only = on",
        f"ALTER USER {USER} RESET default_transaction_read_only",
        "read_only",
        0,
        "25006",
    ),
]


@pytest.mark.parametrize("refusal", MARIADB, ids=lambda refusal: str(refusal.code))
def test_mariadb(mariadb: FixedServer, refusal: Refusal) -> None:
    assert_that_it_is_counted_and_passes(mariadb, refusal)


@pytest.mark.parametrize("refusal", POSTGRESQL, ids=lambda refusal: refusal.sqlstate)
def test_postgresql(postgresql: FixedServer, refusal: Refusal) -> None:
    assert_that_it_is_counted_and_passes(postgresql, refusal)


def assert_that_it_is_counted_and_passes(server: FixedServer, refusal: Refusal) -> None:
    trial = Trial(user_url(server), PASSWORD, session={"reconnect": 5})
    trial.wait_until_it_commits()
    with told(server, [refusal.change], [refusal.back]):
        trial.wait_until_it_counts(refusal.error_class)
    trial.wait_until_it_commits()
    events = trial.stop()
    assert_that_all_is_accounted_for(events)
    assert set(counted(events)) <= {refusal.error_class, "deadlock"}
    found = {
        (error["code"], error["sqlstate"])
        for event in intervals(events)
        for error in event["errors"]
        if error["class"] == refusal.error_class
    }
    assert found == {(refusal.code, refusal.sqlstate)}
    assert total(events, "failed") > 0
    assert events[-1]["status"] == "interrupted"
