"""Finds the installed programs of MariaDB or MySQL, and asks which of the two they are."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dbdyno.errors import InputError
from dbdyno.target.local.process import LibraryPath, run_for_answer

Product = Literal["MariaDB", "MySQL"]

SERVER_NAMES = ("mariadbd", "mysqld")
INSTALLER_NAMES = ("mariadb-install-db", "mysql_install_db")
FOLDERS_IN_BASEDIR = ("sbin", "bin", "libexec", "scripts")
FOLDERS_OFTEN_NOT_ON_PATH = (
    "/usr/sbin",
    "/usr/libexec",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/local/libexec",
    "/usr/local/mysql/bin",
)

MYSQL_5_7_6 = (5, 7, 6)
"""The first MySQL that makes its data by itself, and changes users as MariaDB does."""

_NUMBER = re.compile(r"\d+")
_VERSION = re.compile(r"\bVer (\S+)")


@dataclass(frozen=True)
class Binaries:
    """An installation. ``installer`` makes a MariaDB data directory; MySQL's server does so itself.

    MySQL 5.6 and 5.7 have an installer of the same name as MariaDB's, which takes other options.
    ``basedir`` is as the user gave it, None where the programs were found on the PATH.
    ``library_path`` are folders of libraries besides the system's.
    """

    server: Path
    installer: Path | None
    product: Product
    version: str
    basedir: Path | None
    library_path: LibraryPath = ()

    def is_mysql_before(self, version: tuple[int, ...]) -> bool:
        """Tell whether this is MySQL, and older than a version."""
        numbers = tuple(int(number) for number in _NUMBER.findall(self.version)[:3])
        return self.product == "MySQL" and numbers < version


def find_binaries(basedir: Path | None, library_path: LibraryPath = ()) -> Binaries:
    """Return the installation below ``basedir``, or the one on the PATH or in the usual places."""
    folders = _folders(basedir)
    server = find_program(SERVER_NAMES, folders)
    if server is None:
        require_executable(SERVER_NAMES, folders)
        where = basedir or "the PATH"
        raise InputError(
            f"no {' or '.join(SERVER_NAMES)} in {where} (looked in {in_words(folders)}); "
            "install a server (in Debian and Ubuntu the package mariadb-server), or set basedir to "
            "where one is installed"
        )
    product, version = _identify(server, library_path)
    installer = find_program(INSTALLER_NAMES, folders) if product == "MariaDB" else None
    if product == "MariaDB" and installer is None:
        raise InputError(
            f"{server} is there, but not {INSTALLER_NAMES[0]}, which makes its data directory "
            f"(looked in {in_words(folders)}); install all of MariaDB's server"
        )
    return Binaries(server, installer, product, version, basedir, library_path)


def _folders(basedir: Path | None) -> list[Path]:
    if basedir is not None:
        return [basedir.absolute() / folder for folder in FOLDERS_IN_BASEDIR]
    on_path = [folder for folder in os.get_exec_path() if folder]
    return [Path(folder) for folder in dict.fromkeys((*on_path, *FOLDERS_OFTEN_NOT_ON_PATH))]


def find_program(names: Iterable[str], folders: list[Path]) -> Path | None:
    """Return the first of these programs that is in one of the folders, the folders in order."""
    found = (shutil.which(folder / name) for name in names for folder in folders)
    return next((Path(path) for path in found if path is not None), None)


def require_executable(names: Iterable[str], folders: list[Path]) -> None:
    """Refuse a program that is there and lacks the permission: an unpacked archive may lose it."""
    for path in (folder / name for name in names for folder in folders):
        if path.is_file():
            raise InputError(
                f"{path} is there but may not be executed; run chmod +x {path.parent}/*"
            )


def in_words(folders: list[Path]) -> str:
    """Return folders for a message."""
    return ", ".join(map(str, folders))


def _identify(server: Path, library_path: LibraryPath) -> tuple[Product, str]:
    answer = run_for_answer([server, "--no-defaults", "--version"], library_path)
    return ("MariaDB" if "MariaDB" in answer else "MySQL"), version_in(answer, server, _VERSION)


def version_in(answer: str, server: Path, form: re.Pattern[str]) -> str:
    """Return the version in what a server says; ``form`` has it as its only group."""
    version = form.search(answer)
    if version is None:
        lacks = "error while loading shared libraries" in answer
        advice = "; name the folder that has it in library_path" if lacks else ""
        said = answer.strip() or "nothing"
        raise InputError(f"{server} does not say its version: {said}{advice}")
    return version[1].strip()
