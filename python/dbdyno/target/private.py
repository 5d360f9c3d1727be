"""Opens private servers: finds their programs, and puts their parts together."""

from __future__ import annotations

from pathlib import Path

from dbdyno.experiment.file.private import MysqlTarget, PostgresqlTarget
from dbdyno.target.local.access import Access
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.mysql.binaries import find_binaries
from dbdyno.target.mysql.server import MysqlServer
from dbdyno.target.postgresql.binaries import find_postgres
from dbdyno.target.postgresql.server import PostgresServer


def open_private(
    target: MysqlTarget | PostgresqlTarget,
    name: str,
    directory: Path,
    option_file_text: str,
    access: Access,
) -> PrivateServer:
    """Return a server, not started yet; its files will be in this directory.

    ``InputError`` where its programs cannot be used.
    """
    confinement = Confinement(target.cpus or (), target.numa or (), directory, access.network)
    if isinstance(target, MysqlTarget):
        return MysqlServer(
            name,
            directory,
            find_binaries(target.basedir, target.library_path),
            option_file_text=option_file_text,
            confinement=confinement,
            access=access,
        )
    return PostgresServer(
        name,
        directory,
        find_postgres(target.basedir, target.library_path),
        option_file_text=option_file_text,
        confinement=confinement,
        access=access,
    )
