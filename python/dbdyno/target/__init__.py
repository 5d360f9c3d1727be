"""Servers under test: start, set, restart, stop, describe."""

from __future__ import annotations

from pathlib import Path

from dbdyno import __version__
from dbdyno.errors import InputError
from dbdyno.experiment.file.target import (
    ClusterTarget,
    MysqlTarget,
    PostgresqlTarget,
    SqliteTarget,
    Target,
    UrlTarget,
)
from dbdyno.target.cluster.cluster import Cluster
from dbdyno.target.local.access import Access
from dbdyno.target.base import Server, SystemUnderTest
from dbdyno.target.capabilities import (
    Restartable,
    Snapshotable,
    Watchable,
    directory_bytes,
    killed_for_memory,
    lost_member,
    out_of_memory_kills,
)
from dbdyno.target.mysql.binaries import find_binaries
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.description import ServerDescription
from dbdyno.target.durability import Durability
from dbdyno.target.url.commanded import CommandedServer
from dbdyno.target.url.commands import CommandRunner
from dbdyno.target.url.server import ExternalServer
from dbdyno.target.local.files import file_errors
from dbdyno.target.member import Member
from dbdyno.target.problem import Problem, noting
from dbdyno.target.mysql.server import MysqlServer
from dbdyno.target.postgresql.server import PostgresServer
from dbdyno.target.postgresql.binaries import find_postgres
from dbdyno.target.sqlite.server import SqliteServer

__all__ = [
    "Durability",
    "Member",
    "Problem",
    "Restartable",
    "Server",
    "ServerDescription",
    "Snapshotable",
    "SystemUnderTest",
    "Watchable",
    "directory_bytes",
    "file_errors",
    "killed_for_memory",
    "lost_member",
    "noting",
    "open_server",
    "open_target",
    "out_of_memory_kills",
    "program_of",
]


def open_target(target: Target, name: str, work_directory: Path) -> SystemUnderTest:
    """Return a target's servers, not started yet; their files will be in ``work_directory/name``.

    ``InputError`` where programs or option files of the target cannot be used.
    """
    if isinstance(target, ClusterTarget):
        return Cluster(name, target, work_directory / name, open_server)
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
    if isinstance(target, MysqlTarget):
        return MysqlServer(
            name,
            directory,
            find_binaries(target.basedir, target.library_path),
            option_file_text=_read(target.option_file),
            confinement=Confinement(target.cpus or (), target.numa or ()),
            access=access or Access(target.transport),
        )
    if isinstance(target, PostgresqlTarget):
        return PostgresServer(
            name,
            directory,
            find_postgres(target.basedir, target.library_path),
            option_file_text=_read(target.option_file),
            confinement=Confinement(target.cpus or (), target.numa or ()),
            access=access or Access(target.transport),
        )
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


def maker_of(target: SqliteTarget | MysqlTarget | PostgresqlTarget | ClusterTarget) -> str:
    """Return what makes a target's files: its program and version, and what its options say.

    SQLite comes with dbdyno.
    """
    if isinstance(target, ClusterTarget):
        groups = {role: group.sql for role, group in target.members.items()}
        makers = [f"{role}: {maker_of(one)}" for role, one in groups.items() if one is not None]
        templates = [_read(path) for path in target.setup.values()]
        return "\n".join([*makers, *templates])
    if isinstance(target, SqliteTarget):
        return f"SQLite of dbdyno {__version__}"
    return f"{program_of(target)}\n{_read(target.option_file)}"


def _read(option_file: Path | None) -> str:
    if option_file is None:
        return ""
    with file_errors(f"read the option file {option_file}", InputError):
        return option_file.read_text(errors="surrogateescape")
