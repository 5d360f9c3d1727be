"""What a file of properties asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.benchmarksql.request import build_request, run_request
from dbdyno.peers.benchmarksql.run_settings import read_run
from dbdyno.peers.benchmarksql.settings import read_settings
from dbdyno.peers.tpcc.request import TpccRequest
from tests.unit.benchmarksql.samples import write


def run_of(folder: Path, *changes: str) -> TpccRequest:
    settings = read_settings(write(folder, *changes))
    return run_request(settings, read_run(settings))


def warnings_of(folder: Path, *changes: str) -> list[str]:
    settings = read_settings(write(folder, *changes))
    return [*settings.warnings, *read_run(settings).warnings]


def test_a_file_becomes_the_plan_of_a_run(tmp_path: Path) -> None:
    request = run_of(tmp_path)
    plan = request.trial_plan()
    tpcc = plan.workload["tpcc"]
    assert request.address.url == "mysql://me@db:3307/bsql?ssl_mode=disabled"
    assert request.address.password == "secret"
    assert (plan.clients, plan.duration_s, plan.protocol) == (8, 300.0, "prepared")
    assert (tpcc["schema"], tpcc["warehouses"]) == ("benchmarksql", 4)
    assert tpcc["home_warehouse"] == "fixed"
    assert list(tpcc["mix"].values()) == [45, 43, 4, 4, 4]
    assert run_of(tmp_path, "terminalWarehouseFixed=false").workload["home_warehouse"] == "random"


def test_transactions_per_terminal_end_a_run(tmp_path: Path) -> None:
    request = run_of(tmp_path, "runMins=0", "runTxnsPerTerminal=10")
    assert request.transactions == 80


def test_tables_have_their_foreign_keys_and_are_loaded_by_all_workers(tmp_path: Path) -> None:
    plan = build_request(read_settings(write(tmp_path))).dataset_plan("load")
    assert plan.connections == 3
    assert plan.workload["tpcc"]["foreign_keys"]
    without = read_settings(write(tmp_path, "-loadWorkers"))
    assert build_request(without).loader_connections == 4


def test_new_order_has_what_the_others_leave(tmp_path: Path) -> None:
    changes = ("newOrderWeight=10", "paymentWeight=20.5")
    assert run_of(tmp_path, *changes).workload["mix"]["new_order"] == 67.5
    assert warnings_of(tmp_path, *changes) == [
        "newOrderWeight=10 has no effect: New-Order has the 67.5 % that the other weights leave"
    ]


def test_the_shipped_file_gives_no_warning(tmp_path: Path) -> None:
    assert warnings_of(tmp_path) == []


def test_every_property_without_effect_is_named(tmp_path: Path) -> None:
    said = "\n".join(
        warnings_of(
            tmp_path,
            "osCollectorScript=./misc/os_collector_linux.py",
            "osCollectorDevices=net_eth0 blk_sda",
            "csvNullValue=NULL",
            "-loadWorkers",
            "loadWorker=7",
            "useStoredProcedures=false",
        )
    )
    assert "osCollectorScript has no effect: this machine is watched" in said
    assert "osCollectorDevices has no effect" in said
    assert "csvNullValue has no effect" in said
    assert "loadWorker has no effect: it is not known here; did you mean loadWorkers?" in said
    assert "useStoredProcedures has no effect: it is not known here" in said


def test_a_limit_below_the_number_of_terminals_is_none_as_there(tmp_path: Path) -> None:
    assert "limitTxnsPerMin=7 has no effect" in warnings_of(tmp_path, "limitTxnsPerMin=7")[0]


def test_a_limit_is_offered_at_even_distances(tmp_path: Path) -> None:
    """Shared out among 8 terminals, of 300 a minute there are 296."""
    plan = run_of(tmp_path, "limitTxnsPerMin=300").trial_plan()
    assert plan.arrivals == {"constant": {"rate_per_s": pytest.approx(296 / 60)}}
    assert "296 transactions a minute" in warnings_of(tmp_path, "limitTxnsPerMin=300")[0]
    assert run_of(tmp_path).trial_plan().arrivals == {"closed": {}}


def test_other_databases(tmp_path: Path) -> None:
    postgres = run_of(tmp_path, "db=postgres", "conn=jdbc:postgresql://db/bsql?sslmode=disable")
    assert postgres.address.url == "postgresql://me@db:5432/bsql?ssl_mode=disabled"
    mariadb = run_of(tmp_path, "db=mariadb", "conn=jdbc:mariadb://db/bsql")
    assert mariadb.address.url == "mysql://me@db:3306/bsql?ssl_mode=disabled"
    for db in ("oceanbase", "mo", "tidb"):
        forked = run_of(tmp_path, f"db={db}", "conn=jdbc:oceanbase://db:2881/bsql")
        assert forked.address.url == "mysql://me@db:2881/bsql?ssl_mode=disabled"
    gauss = run_of(tmp_path, "db=opengauss", "conn=jdbc:opengauss://db/b?currentSchema=s")
    assert gauss.address.url == "postgresql://me@db:5432/b?ssl_mode=preferred&search_path=s"


def test_without_a_password_it_is_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBDYNO_PASSWORD", "from outside")
    assert run_of(tmp_path, "password=").address.password == "from outside"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["db=oracle"], "db=oracle: there is no driver for it; known: mysql, mariadb, ocean"),
        (["db=firebird"], "db=firebird: there is no driver"),
        (["db=postgre"], "db=postgre: not known; did you mean 'postgres'?"),
        (["db=postgres"], "conn leads to a server of another kind"),
        (["-conn"], "the property conn is missing"),
        (["-warehouses", "warehuses=4"], "the property warehouses is missing"),
        (["warehouses=four"], "warehouses=four: not a whole number of 1 or more"),
        (["fileLocation=/tmp/csv/"], "fileLocation cannot be honoured"),
        (["runMins=0"], "exactly one of runTxnsPerTerminal and runMins must be above 0"),
        (["runTxnsPerTerminal=5"], "exactly one of runTxnsPerTerminal and runMins"),
        (["terminals=41"], "terminals=41: more than 10 a warehouse; 40 is the most"),
        (["paymentWeight=95"], "the weights of all but New-Order sum to 107, above 100"),
        (["deliveryWeight=few"], "deliveryWeight=few: not a number from 0 to 100"),
        (["runMins=1.5"], "runMins=1.5: not a whole number"),
    ],
)
def test_what_is_wrong_is_named_with_the_file(
    tmp_path: Path, changes: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=rf"^{tmp_path}/props.mysql: .*{message}"):
        run_of(tmp_path, *changes)
