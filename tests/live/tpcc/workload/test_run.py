"""TPC-C on real servers: what the tables hold after a run is what the run has counted."""

from __future__ import annotations

import pytest

from dbdyno.target.base import Server
from tests.live.target.queries import TRIED_BEFORE_MULTI, query
from tests.live.tpcc.workload.books import KEYS, WAREHOUSES, check, sums, tpcc, wrong_rows
from tests.live.workload.trials import Trial, run_trial

pytestmark = pytest.mark.live

CLIENTS = 4
TRANSACTIONS = 300
LEVELS = ("read_committed", "repeatable_read", "serializable")
CASES = [
    ("sqlite", "prepared", None),
    ("sqlite", "text", None),
    *(("mariadb", protocol, None) for protocol in ("prepared", "text", "multi")),
    *(("postgres", protocol, None) for protocol in ("prepared", "text", "multi")),
    *(("mariadb", "prepared", level) for level in LEVELS),
    *(("postgres", "prepared", level) for level in LEVELS),
    ("mariadb", "multi", "serializable"),
    ("postgres", "multi", "serializable"),
    ("myrocks", "prepared", None),
]


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Server:
    """Return the server of a name, with its tables."""
    found: Server = request.getfixturevalue(request.param)
    return found


def warehouses_of(server: Server) -> int:
    return 1 if server.name == "myrocks" else WAREHOUSES


def run(server: Server, transactions: int = 300, protocol: str = "prepared") -> Trial:
    return run_trial(
        server,
        tpcc(warehouses=warehouses_of(server)),
        clients=CLIENTS,
        protocol=protocol,
        transactions=transactions,
        duration_s=30.0,
    )


@pytest.mark.parametrize(
    ("server", "protocol", "isolation"),
    CASES,
    indirect=["server"],
    ids=lambda value: str(value or "default"),
)
def test_the_tables_hold_what_was_counted(
    server: Server, protocol: str, isolation: str | None
) -> None:
    # Several clients in the same districts, who wait for each other.
    workload = tpcc(
        warehouses=warehouses_of(server),
        home_warehouse="random",
        mix={"new_order": 40, "payment": 40, "order_status": 5, "delivery": 10, "stock_level": 5},
    )
    before = sums(server)
    trial = run_trial(
        server,
        workload,
        clients=CLIENTS,
        protocol=protocol,
        isolation=isolation,
        transactions=TRANSACTIONS,
        duration_s=30.0,
        # Where conflicts are found in the end, one may lose all its attempts to the others.
        error_budget=0.05,
    )
    assert trial.end["status"] == "completed", trial.end["reason"]
    assert sum(kind["scheduled"] for kind in trial.kinds.values()) >= TRANSACTIONS
    check(before, sums(server), trial)
    retries = sum(kind["retries"] for kind in trial.kinds.values())
    failed = sum(kind["failed"] for kind in trial.kinds.values())
    assert retries + failed == sum(trial.errors.values())
    assert failed == 0 or isolation == "serializable", trial.errors
    if (server.name, isolation) == ("postgresql", "serializable"):
        # Where others wait for locks, it finds out in the end that two can't have come in turn.
        assert retries > 0


@pytest.mark.parametrize("server", ["sqlite", "mariadb", "postgres"], indirect=True)
def test_each_row_is_as_its_transaction_left_it(server: Server) -> None:
    run(server)
    assert {question: count for question, count in wrong_rows(server).items() if count} == {}


def test_inputs_have_their_shares(sqlite: Server) -> None:
    trial = run_trial(
        sqlite,
        tpcc(warehouses=WAREHOUSES, rollback_percent=1.0),
        clients=1,
        transactions=2000,
        duration_s=30.0,
    )
    facts = trial.end["facts"]
    done = {name: kind["committed"] + kind["rolled_back"] for name, kind in trial.kinds.items()}
    orders = done["new_order"]
    assert facts["new_orders"] == orders
    lines = facts["lines_per_order"] * orders
    # Sizes from 5 to 15 have a variance of 10.
    assert abs(facts["lines_per_order"] - 10) <= 4 * (10 / orders) ** 0.5
    for name, share, tries in [
        ("rollback_share", 0.01, orders),
        ("remote_line_share", 0.01, lines),
        ("remote_payment_share", 0.15, done["payment"]),
        ("payment_by_name_share", 0.6, done["payment"]),
        ("order_status_by_name_share", 0.6, done["order_status"]),
    ]:
        deviation = (share * (1 - share) / tries) ** 0.5
        assert abs(facts[name] - share) <= 4 * deviation, name
    total = sum(done.values())
    for name, share in [
        ("new_order", 0.45),
        ("payment", 0.43),
        ("order_status", 0.04),
        ("delivery", 0.04),
        ("stock_level", 0.04),
    ]:
        assert abs(done[name] - total * share) <= 4 * (total * share * (1 - share)) ** 0.5, name
    rolled_back = trial.kinds["new_order"]["rolled_back"]
    assert facts["rollback_share"] == pytest.approx(rolled_back / orders)
    assert 65 <= abs(int(facts["c_last"]) - 157) <= 119


@pytest.mark.parametrize("protocol", ["prepared", "text", "multi"])
def test_mariadb_counted_the_same_statements(mariadb: Server, protocol: str) -> None:
    verbs = ("select", "insert", "update", "delete", "begin", "commit", "rollback")

    def counts() -> dict[str, int]:
        rows = query(mariadb, "SHOW GLOBAL STATUS LIKE 'Com\\_%'")
        status = {str(name).lower(): int(value or 0) for name, value in rows}
        return {verb: status[f"com_{verb}"] for verb in verbs}

    before = counts()
    trial = run(mariadb, protocol=protocol)
    after = counts()
    tried = TRIED_BEFORE_MULTI if protocol == "multi" else {}
    assert {verb: trial.executions(verb) + tried.get(verb, 0) for verb in verbs} == {
        verb: after[verb] - before[verb] for verb in verbs
    }
    assert trial.executions("rollback") >= trial.kinds["new_order"]["rolled_back"] > 0
    assert trial.executions("begin") >= 300


def test_options_of_mariadbs_tables_and_their_partitions(mariadb: Server) -> None:
    sql = (
        "SELECT table_name, engine, row_format FROM information_schema.tables "
        "WHERE table_schema = DATABASE()"
    )
    assert set(query(mariadb, sql)) == {
        (table, "InnoDB", "Compact") for table in [*KEYS, "history"]
    }
    sql = (
        "SELECT table_name, partition_method, partition_expression, COUNT(*) "
        "FROM information_schema.partitions WHERE table_schema = DATABASE() "
        "AND partition_name IS NOT NULL GROUP BY 1, 2, 3"
    )
    columns = {table: key.split(",")[0] for table, key in KEYS.items() if table != "item"}
    assert {(t, m, str(e).strip("`"), n) for t, m, e, n in query(mariadb, sql)} == {
        (table, "HASH", column, "2") for table, column in (columns | {"history": "h_w_id"}).items()
    }


def test_rows_lie_where_they_belong(mariadb: Server) -> None:
    """Each of two partitions holds one of two warehouses."""
    for part in (0, 1):
        rows = query(
            mariadb, f"SELECT COUNT(*), MIN(s_w_id), MAX(s_w_id) FROM stock PARTITION (p{part})"
        )
        assert rows == [("100000", str(2 - part), str(2 - part))]
