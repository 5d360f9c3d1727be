"""The systems under test that an experiment file may name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, Strict

from dbdyno.database.url import check_url, database_of_url
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.cluster import ClusterTarget
from dbdyno.experiment.file.commands import Commands
from dbdyno.experiment.file.private import MysqlTarget, PostgresqlTarget, PrivateTarget, Transport
from dbdyno.experiment.file.quantity import Setting, SettingName, check_variable
from dbdyno.password import PASSWORD_VARIABLE
from dbdyno.protocol.form import left_out
from dbdyno.refusal import nearest

__all__ = [
    "ClusterTarget",
    "MysqlTarget",
    "PostgresqlTarget",
    "PrivateTarget",
    "SqliteTarget",
    "Target",
    "TargetChoice",
    "Transport",
    "UrlTarget",
    "database_of",
]


class SqliteTarget(FileModel):
    """SQLite in the generator's own process, on a file in the result directory."""

    refused: ClassVar[dict[str, str]] = {
        "cpus": "SQLite runs inside the generator and has no CPUs of its own; set generators.cpus",
        "limits": "SQLite runs inside the generator, whose memory and CPU are not limited; use a "
        "mysql or postgresql target",
        "numa": "SQLite runs inside the generator and has no memory of its own; set "
        "generators.cpus, or use a mysql or postgresql target",
    }

    settings: dict[SettingName, Setting] = Field(
        default={},
        alias="set",
        description="Pragmas that every connection sets.",
        examples=[{"journal_mode": "wal"}],
    )


class UrlTarget(FileModel):
    """A server that is already up.

    dbdyno starts, stops and sets nothing on it but by the target's commands, or where a factor
    says apply: online.
    """

    url: str
    password_env: str = PASSWORD_VARIABLE
    nodes: tuple[str, ...] = ()
    nodes_password_env: str = PASSWORD_VARIABLE
    check_url: str | None = left_out(None)
    commands: Commands = left_out(Commands())
    variables: dict[SettingName, Setting] = left_out({})
    directory: Path = left_out(Path())
    """Where commands run: the folder of the experiment file."""


ServerUrl = Annotated[str, AfterValidator(check_url)]

Target = SqliteTarget | MysqlTarget | PostgresqlTarget | UrlTarget | ClusterTarget


_SLIP = 0.82
"""So much alike are a field and a slip of the pen; mssql and mysql are less."""


class TargetChoice(FileModel):
    """A target as it is written: exactly one of these."""

    refused: ClassVar[dict[str, str]] = {
        **{
            name: f"unknown field; write {kind}: {{...}}, which is for {products}"
            for name, kind, products in (
                ("mariadb", "mysql", "MariaDB and MySQL alike"),
                ("percona", "mysql", "the whole family of MySQL"),
                ("greatsql", "mysql", "the whole family of MySQL"),
                ("postgres", "postgresql", "PostgreSQL"),
                ("pg", "postgresql", "PostgreSQL"),
            )
        },
        "password": "the file is copied into every result; write password_env with the name of an "
        "environment variable that holds the password, or set DBDYNO_PASSWORD",
        **{
            field: f"belongs to a server that dbdyno starts; write mysql: {{{field}: ...}} or "
            f"postgresql: {{{field}: ...}} (one by url is limited where it was started)"
            for field in ("limits", "numa")
        },
    }

    sqlite: SqliteTarget | None = Field(default=None, description=SqliteTarget.__doc__)
    mysql: MysqlTarget | None = Field(default=None, description=MysqlTarget.__doc__)
    postgresql: PostgresqlTarget | None = Field(default=None, description=PostgresqlTarget.__doc__)
    cluster: ClusterTarget | None = Field(default=None, description=ClusterTarget.__doc__)
    url: ServerUrl | None = Field(
        default=None,
        description="mysql://user@host:3306/database, postgresql://user@host:5432/database or "
        "sqlite:///file. Several hosts that are alike, as in mysql://user@h1:3306,h2:3306/database"
        "?load_balance=round_robin (or random, least_connections, disabled), share the clients. "
        "The password is taken from the environment variable that password_env names.",
        examples=["mysql://bench@db1:3306/sbtest"],
    )
    password_env: Annotated[str, AfterValidator(check_variable)] | None = Field(
        default=None,
        description="With url: the environment variable that holds this server's password; "
        "without it, DBDYNO_PASSWORD.",
        examples=["BENCH_PASSWORD"],
    )
    nodes: Annotated[tuple[ServerUrl, ...], Strict(False)] | None = Field(
        default=None,
        description="With url: the servers behind a layer, each written as url is. Settings and "
        "sizes are then theirs; no load goes to them but through the layer.",
        examples=[["mysql://bench@db1:3306/sbtest", "mysql://bench@db2:3306/sbtest"]],
    )
    nodes_password_env: Annotated[str, AfterValidator(check_variable)] | None = Field(
        default=None,
        description="With nodes: the environment variable that holds their password; without it, "
        "DBDYNO_PASSWORD.",
        examples=["NODES_PASSWORD"],
    )
    check_url: ServerUrl | None = Field(
        default=None,
        description="With url: where the tables are checked after a trial, written as url is; "
        "without it, at url. For a layer that does not answer the queries of a check.",
        examples=["mysql://bench@db1:3306/sbtest"],
    )
    commands: Commands | None = Field(default=None, description=Commands.__doc__)
    variables: dict[SettingName, Setting] | None = Field(
        default=None,
        description="With url: values that its commands know as {name}; a factor may set "
        "target.variables.<name>.",
        examples=[{"instance": "db1"}],
    )
    workload: dict[str, str | int | float | bool] | None = Field(
        default=None,
        min_length=1,
        description="Of one among several targets: fields of the workload that are others on it, "
        "as in {table_options: ENGINE=ROCKSDB}.",
    )

    @classmethod
    def _suggest_field(cls, key: object) -> str:
        """Say how a target is written, where a field is no slip of the pen: it may be a product."""
        if nearest(key, [*cls.field_names(), *cls.refused], _SLIP):
            return super()._suggest_field(key)
        return (
            "unknown field; write sqlite, mysql, postgresql or cluster for servers that dbdyno "
            "starts, and url for one that is up, as in {url: 'mysql://user@host:3306/database'}, "
            "where it speaks the protocol of MySQL or PostgreSQL"
        )

    def chosen(self) -> list[Target]:
        """Return the targets that are given; one, in a file that is right."""
        chosen = (self.sqlite, self.mysql, self.postgresql, self.cluster, self._external())
        return [target for target in chosen if target is not None]

    def _external(self) -> UrlTarget | None:
        if self.url is None:
            return None
        return UrlTarget(
            url=self.url,
            password_env=self.password_env or PASSWORD_VARIABLE,
            nodes=self.nodes or (),
            nodes_password_env=self.nodes_password_env or PASSWORD_VARIABLE,
            check_url=self.check_url,
            commands=self.commands or Commands(),
            variables=self.variables or {},
        )


def database_of(target: Target | PrivateTarget) -> str:
    """Return what a target speaks: ``sqlite``, ``mysql`` or ``postgresql``, also behind a URL."""
    if isinstance(target, UrlTarget):
        return database_of_url(target.url)
    if isinstance(target, ClusterTarget):
        return target.database
    if isinstance(target, SqliteTarget):
        return "sqlite"
    return "postgresql" if isinstance(target, PostgresqlTarget) else "mysql"
