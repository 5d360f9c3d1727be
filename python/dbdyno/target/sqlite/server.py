"""SQLite: a database file in the generator's own process, so that there is nothing to start.

Settings are pragmas and the driver's own options. They are parameters of the URL, because each
connection sets them for itself; the driver refuses those that it does not know or that do not take.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

from dbdyno import __version__
from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.errors import DbdynoError, InputError, RunError
from dbdyno.experiment.plan import NO_LIMITS, ServerLimits, TargetSetup
from dbdyno.target.base import Server
from dbdyno.target.description import ServerComponent, ServerDescription
from dbdyno.target.durability import sqlite_durability
from dbdyno.target.local.files import (
    allocated_bytes,
    copy_folder,
    file_errors,
    replace_folder,
    sizes_bytes,
)
from dbdyno.target.problem import Problem, noting

DATABASE_FILE = "database.sqlite"

DESCRIBED_PRAGMAS = (
    "auto_vacuum",
    "busy_timeout",
    "cache_size",
    "encoding",
    "foreign_keys",
    "journal_mode",
    "journal_size_limit",
    "locking_mode",
    "mmap_size",
    "page_size",
    "secure_delete",
    "synchronous",
    "temp_store",
    "threads",
    "wal_autocheckpoint",
)

_NAMES_OF_VALUES = {
    "auto_vacuum": ("none", "full", "incremental"),
    "synchronous": ("off", "normal", "full", "extra"),
    "temp_store": ("default", "file", "memory"),
}
"""Pragmas that answer with a number and are known by name."""


class SqliteServer(Server):
    """A database file in a directory of its own."""

    def __init__(self, name: str, directory: Path) -> None:
        super().__init__(name)
        self._data = directory.absolute() / "data"
        if "?" in str(self._data):
            raise InputError(f"{self._data}: a URL ends a path at '?'; use another --out")
        self._settings: dict[str, str] = {}

    @property
    def url(self) -> str:
        """The file's absolute path as it is, with the settings of the last start."""
        url = f"sqlite:///{self._data / DATABASE_FILE}"
        return f"{url}?{urlencode(self._settings)}" if self._settings else url

    def check(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Refuse limits; only a connection tells which pragmas there are."""
        if limits:
            raise InputError(f"target {self.name} is SQLite, which has no process to be limited")

    def preflight(self, setup: TargetSetup) -> list[Problem]:
        """Have a connection set the pragmas too, to a database that is gone afterwards."""
        problems = super().preflight(setup)
        with tempfile.TemporaryDirectory(prefix="dbdyno-") as folder, noting(problems):
            other = SqliteServer(self.name, Path(folder))
            try:
                other.start(setup.server.settings)
            except DbdynoError as error:
                words = str(error).removeprefix(f"{other.url}: ")
                raise InputError(f"SQLite: {words}") from None
        return problems

    def start(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Take these settings for all connections to come, and see that they take on one."""
        self.check(settings, limits)
        with file_errors(f"use the directory {self._data} for a database"):
            self._data.mkdir(parents=True, exist_ok=True)
        self._settings = dict(settings)
        with open_session(self.url, None):
            pass

    def stop(self) -> None:
        """Nothing runs."""

    def describe(self) -> ServerDescription:
        """Ask the library that the load uses, over a connection like the load's."""
        with open_session(self.url, None) as session:
            description = describe_sqlite(session)
        with file_errors(f"look at {self._data}"):
            file_sizes_bytes = sizes_bytes(self._data)
        return replace(
            description,
            settings=self._settings | description.settings,
            file_sizes_bytes=file_sizes_bytes,
        )

    def maker(self) -> str:
        """Return which library makes its file: dbdyno's own."""
        return f"SQLite of dbdyno {__version__}"

    def directory_bytes(self) -> int:
        """Return what the directory of the database file takes on disk."""
        with file_errors(f"look at {self._data}"):
            return allocated_bytes(self._data)

    def snapshot(self, directory: Path) -> None:
        """Bring everything into the one database file, and copy it."""
        _gather(self._data / DATABASE_FILE)
        copy_folder(self._data, directory)

    def restore(self, directory: Path) -> None:
        """Replace the database, its journal and its write-ahead log by a snapshot's."""
        with file_errors(f"use the directory {self._data.parent} for a database"):
            self._data.parent.mkdir(parents=True, exist_ok=True)
        replace_folder(directory, self._data)


def describe_sqlite(session: Session) -> ServerDescription:
    """Return what the library says, and the pragmas of this connection by name."""
    version = session.query("SELECT sqlite_version()")[0][0] or ""
    settings = {name: _pragma(session, name) for name in DESCRIBED_PRAGMAS}
    options = session.query("PRAGMA compile_options")
    settings["compile_options"] = ",".join(sorted(row[0] or "" for row in options))
    modules = session.query("SELECT name FROM pragma_module_list ORDER BY 1")
    return ServerDescription(
        product="SQLite",
        version=version,
        settings=settings,
        durability=sqlite_durability(settings),
        build=session.query("SELECT sqlite_source_id()")[0][0],
        components=tuple(ServerComponent(row[0] or "", "module") for row in modules),
        character_set=settings["encoding"].upper(),
        collation="BINARY",
        data_directory=_directory(session),
    )


def _directory(session: Session) -> str | None:
    """Return where the file of the database is; None of a database in memory."""
    file = session.query("SELECT file FROM pragma_database_list WHERE name = 'main'")[0][0]
    return str(Path(file).parent) if file else None


def _pragma(session: Session, name: str) -> str:
    """Return a pragma's value, in a word where SQLite has one."""
    value = (session.query(f"PRAGMA {name}")[0][0] or "").lower()
    names = _NAMES_OF_VALUES.get(name)
    return names[int(value)] if names else value


def _gather(database: Path) -> None:
    """Leave nothing in a write-ahead log; the mode that a connection wants it sets for itself."""
    try:
        with closing(sqlite3.connect(database)) as connection:
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    except sqlite3.Error as error:
        raise RunError(f"cannot close the write-ahead log of {database}: {error}") from error
    if mode != "delete":
        raise RunError(f"{database} is in use; its write-ahead log cannot be closed")
