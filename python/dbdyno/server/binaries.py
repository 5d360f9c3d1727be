"""Finds the installed programs of MariaDB or MySQL, and asks which of the two they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dbdyno.errors import InputError
from dbdyno.server.process import environment

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
VERSION_LIMIT_S = 30.0

_VERSION = re.compile(r"\bVer (\S+)")


@dataclass(frozen=True)
class Binaries:
    """An installation. ``installer`` makes a MariaDB data directory; MySQL's server does so itself.

    ``basedir`` is as the user gave it, None where the programs were found on the PATH.
    """

    server: Path
    installer: Path | None
    product: Product
    version: str
    basedir: Path | None


def find_binaries(basedir: Path | None) -> Binaries:
    """Return the installation below ``basedir``, or the one on the PATH or in the usual places."""
    folders = _folders(basedir)
    server = _first_executable(SERVER_NAMES, folders)
    if server is None:
        where = basedir or "the PATH"
        raise InputError(
            f"no {' or '.join(SERVER_NAMES)} in {where} (looked in {_in_words(folders)}); "
            "install a server (in Debian and Ubuntu the package mariadb-server), or set basedir to "
            "where one is installed"
        )
    product, version = _identify(server)
    installer = _first_executable(INSTALLER_NAMES, folders)
    if product == "MariaDB" and installer is None:
        raise InputError(
            f"{server} is there, but not {INSTALLER_NAMES[0]}, which makes its data directory "
            f"(looked in {_in_words(folders)}); install all of MariaDB's server"
        )
    return Binaries(server, installer, product, version, basedir)


def _folders(basedir: Path | None) -> list[Path]:
    if basedir is not None:
        return [basedir.absolute() / folder for folder in FOLDERS_IN_BASEDIR]
    on_path = [folder for folder in os.get_exec_path() if folder]
    return [Path(folder) for folder in dict.fromkeys((*on_path, *FOLDERS_OFTEN_NOT_ON_PATH))]


def _first_executable(names: Iterable[str], folders: list[Path]) -> Path | None:
    found = (shutil.which(folder / name) for name in names for folder in folders)
    return next((Path(path) for path in found if path is not None), None)


def _in_words(folders: list[Path]) -> str:
    return ", ".join(map(str, folders))


def _identify(server: Path) -> tuple[Product, str]:
    try:
        answer = subprocess.run(
            [server, "--no-defaults", "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_LIMIT_S,
            env=environment(),
            # Ctrl-C at the terminal is for dbdyno alone.
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{server} cannot be run: {error}") from error
    version = _VERSION.search(answer.stdout)
    if version is None:
        words = (answer.stderr or answer.stdout).strip() or f"exit status {answer.returncode}"
        raise InputError(f"{server} does not say its version: {words}")
    return ("MariaDB" if "MariaDB" in answer.stdout else "MySQL"), version[1]
