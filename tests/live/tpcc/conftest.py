"""Small TPC-C populations on SQLite, and on a private MariaDB, MySQL and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from dbdyno.database.session import open_session
from dbdyno.tpcc.check import ConditionResult, check_consistency
from dbdyno.tpcc.naming import TableNames, known_namings
from dbdyno.tpcc.schema import find_schema, find_warehouses
from tests.live.engine.fixed_server import FixedServer, MariaDb, MySql, PostgreSql
from tests.live.tpcc import population

INDEXES_OF_GO_TPC = ("idx_h_w_id (h_w_id)", "idx_h_c_w_id (h_c_w_id)")


@dataclass
class Database:
    """A database into which populations are put."""

    kind: str
    url: str
    filled: dict[str, TableNames] = field(default_factory=dict)

    def query(self, *statements: str) -> list[tuple[str | None, ...]]:
        """Run statements one after the other and return the last one's rows."""
        rows: list[tuple[str | None, ...]] = []
        with open_session(self.url, None) as session:
            for statement in statements:
                rows = session.query(statement)
        return rows

    @contextmanager
    def loaded(self, schema: str, *, keyed: bool = True) -> Iterator[Loaded]:
        """Make a population under the names of a schema, and remove it in the end."""
        names = _names(schema)
        with open_session(self.url, None) as session:
            population.create(session, names, keyed=keyed)
            if schema == "go_tpc":
                for index in INDEXES_OF_GO_TPC:
                    name, column = index.split()
                    session.query(f"CREATE INDEX {name} ON {names.history} {column}")
            population.fill(session, names)
        try:
            yield Loaded(self, names)
        finally:
            with open_session(self.url, None) as session:
                population.drop(session, names)


@dataclass
class Loaded:
    """A population that is there."""

    database: Database
    names: TableNames

    def restore(self) -> None:
        """Undo what was done to it."""
        with open_session(self.database.url, None) as session:
            population.fill(session, self.names)

    def change(self, *statements: str) -> None:
        """Run statements in which tables are called as in ``{orders}``."""
        names = vars(self.names)
        self.database.query(*(statement.format(**names) for statement in statements))

    def check(self, *numbers: int) -> dict[int | None, ConditionResult]:
        """Return the results by number; without numbers, of all conditions."""
        database = self.database
        with open_session(database.url, None) as session:
            schema = find_schema(session, database.kind)
            warehouses = find_warehouses(session, schema)
        results = check_consistency(
            lambda: open_session(database.url, None), schema, warehouses, numbers or range(1, 13)
        )
        return {result.number: result for result in results}


def _names(schema: str) -> TableNames:
    return known_namings(["warehouse7"])["spec" if schema == "go_tpc" else schema]


@pytest.fixture(scope="package", params=["sqlite", "mariadb", "mysql", "postgresql"])
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """Each kind of database in turn, empty."""
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("tpcc") / "tpcc.db"
        yield Database("sqlite", f"sqlite:///{path}")
        return
    with _server(request) as server:
        yield Database(server.scheme, server.url())


def _server(request: pytest.FixtureRequest) -> FixedServer:
    if request.param == "mariadb":
        return MariaDb()
    if request.param == "postgresql":
        return PostgreSql()
    return MySql(request.getfixturevalue("mysqld"))
