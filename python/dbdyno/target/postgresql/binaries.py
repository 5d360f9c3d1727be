"""Finds the installed programs of PostgreSQL."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.target.local.process import LibraryPath, run_for_answer
from dbdyno.target.mysql.binaries import (
    find_program,
    in_words,
    require_executable,
    version_in,
)

FOLDERS_OFTEN_NOT_ON_PATH = ("/usr/local/pgsql/bin", "/usr/local/bin")
FOLDERS_BY_VERSION = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin")

_VERSION = re.compile(r"\(PostgreSQL\) (.+)")


@dataclass(frozen=True)
class PostgresBinaries:
    """An installation. ``installer`` makes a data directory.

    ``library_path`` are folders of libraries besides the system's.
    """

    server: Path
    installer: Path
    version: str
    library_path: LibraryPath = ()


def find_postgres(basedir: Path | None, library_path: LibraryPath = ()) -> PostgresBinaries:
    """Return the installation below ``basedir``, or the newest on the PATH or in the usual places.

    Debian and Red Hat keep one folder a version, and none of them on the PATH.
    """
    folders = _folders(basedir)
    server = find_program(["postgres"], folders)
    installer = find_program(["initdb"], folders if server is None else [server.parent])
    if server is None or installer is None:
        require_executable(["postgres", "initdb"], folders)
        where = basedir or "the PATH"
        raise InputError(
            f"no postgres and initdb in {where} (looked in {in_words(folders)}); install a server "
            "(in Debian and Ubuntu the package postgresql), or set basedir to where one is "
            "installed"
        )
    version = version_in(run_for_answer([server, "--version"], library_path), server, _VERSION)
    return PostgresBinaries(server, installer, version, library_path)


def _folders(basedir: Path | None) -> list[Path]:
    if basedir is not None:
        return [basedir.absolute() / "bin", basedir.absolute()]
    by_version = [folder for form in FOLDERS_BY_VERSION for folder in Path("/").glob(form)]
    on_path = [Path(folder) for folder in os.get_exec_path() if folder]
    usual = [Path(folder) for folder in FOLDERS_OFTEN_NOT_ON_PATH]
    return [*on_path, *sorted(by_version, key=_version_number, reverse=True), *usual]


def _version_number(folder: Path) -> float:
    """Return the number in the name of the folder above ``bin``: ``15``, ``pgsql-16``, ``9.6``."""
    number = re.search(r"\d+(?:\.\d+)?$", folder.parent.name)
    return float(number[0]) if number else 0.0
