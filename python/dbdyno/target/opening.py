"""Opening a target: the servers that an experiment file describes, not started yet."""

from __future__ import annotations

from pathlib import Path

from dbdyno.experiment.file.target import (
    ClusterTarget,
    MysqlTarget,
    PostgresqlTarget,
    SqliteTarget,
    Target,
    UrlTarget,
)
from dbdyno.target.base import Server, SystemUnderTest
from dbdyno.target.local.access import Access
from dbdyno.target.local.files import read_option_file
from dbdyno.target.mysql.binaries import find_binaries
from dbdyno.target.postgresql.binaries import find_postgres
from dbdyno.target.private import open_private
from dbdyno.target.sqlite.server import SqliteServer
from dbdyno.target.url.commanded import CommandedServer
from dbdyno.target.url.commands import CommandRunner
from dbdyno.target.url.server import ExternalServer


def open_target(target: Target, name: str, work_directory: Path, run: str = "") -> SystemUnderTest:
    """Return a target's servers, not started yet; their files will be in ``work_directory/name``.

    ``run`` is the name of the run on other hosts, where it has any files.
    ``InputError`` where programs or option files of the target cannot be used.
    """
    if isinstance(target, ClusterTarget):
        # Few targets are clusters, and what renders their files takes long to import.
        from dbdyno.target.cluster.cluster import Cluster

        return Cluster(name, target, work_directory / name, open_server, run)
    return open_server(target, name, work_directory)


def open_server(
    target: Target, name: str, work_directory: Path, access: Access | None = None
) -> Server:
    """Return the server of a target, not started yet; its files will be in ``work_directory/name``.

    ``access`` is how clients come into a member of a cluster. ``InputError`` where the target's
    programs or option file cannot be used.
    """
    directory = work_directory / name
    if isinstance(target, SqliteTarget):
        return SqliteServer(name, directory)
    if isinstance(target, MysqlTarget | PostgresqlTarget):
        text = read_option_file(target.option_file)
        return open_private(target, name, directory, text, access or Access(target.transport))
    assert isinstance(target, UrlTarget), "a cluster is no server"
    return _external(name, target)


def _external(name: str, target: UrlTarget) -> ExternalServer:
    if not target.commands.named():
        return ExternalServer.of_target(name, target)
    server = CommandedServer.of_target(name, target)
    runner = CommandRunner(name, target.directory, target.commands.timeout_s)
    server.use(target.commands, runner, target.variables)
    return server


def program_of(target: MysqlTarget | PostgresqlTarget) -> str:
    """Return product, version and place of the program that would be started.

    ``InputError`` where it is not there, or cannot be run.
    """
    if isinstance(target, PostgresqlTarget):
        postgres = find_postgres(target.basedir, target.library_path)
        return f"PostgreSQL {postgres.version}, {postgres.server}"
    mysql = find_binaries(target.basedir, target.library_path)
    return f"{mysql.product} {mysql.version}, {mysql.server}"
