"""The directory of a private MySQL or MariaDB server, and how its data directory comes to be.

::

    DIRECTORY/server.json   that it is ours, and which server made it
    DIRECTORY/my.cnf        option file of the last start
    DIRECTORY/error.log     all starts, one after the other
    DIRECTORY/data/         there only when complete
    DIRECTORY/tmp/          temporary tables and files
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from dbdyno.errors import InputError, RunError
from dbdyno.server.binaries import Binaries
from dbdyno.server.error_log import reasons
from dbdyno.server.files import check_space, file_errors, remove_folder
from dbdyno.server.options import private_options
from dbdyno.server.process import ServerProcess

INITIALISE_LIMIT_S = 300.0
EMPTY_DATA_BYTES = 300_000_000
"""MySQL's is the larger one, with 200 MB and its redo log; MariaDB's has 60 MB."""

_MARKER = "server.json"
_OPTION_FILE = "my.cnf"


class MysqlDirectory:
    """Names the files of one server, and makes them where they are not there yet."""

    def __init__(self, path: Path, binaries: Binaries) -> None:
        self.path = path.absolute()
        self.data = self.path / "data"
        self.temporary = self.path / "tmp"
        self.error_log = self.path / "error.log"
        self.init_file = self.path / "init.sql"
        self.option_file = self.path / _OPTION_FILE
        self._binaries = binaries

    def claim(self) -> None:
        """Make the directory ours; refuse one that holds what we did not put there."""
        marker = self.path / _MARKER
        made_by = {"product": self._binaries.product, "version": self._binaries.version}
        with file_errors(f"use the directory {self.path} for a server"):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if marker.exists():
                self._check_maker(json.loads(marker.read_text()), made_by)
            elif any(self.path.iterdir()):
                raise InputError(
                    f"{self.path} is not empty, and what it holds is not dbdyno's; "
                    "use another --out, or remove it"
                )
            marker.write_text(json.dumps(made_by))

    def _check_maker(self, maker: dict[str, str], present: dict[str, str]) -> None:
        if maker != present:
            raise InputError(
                f"{self.path} was made by {maker['product']} {maker['version']}, and the server is "
                f"now {present['product']} {present['version']}; remove it, or use another --out"
            )

    def write_option_file(self, text: str) -> None:
        """Write what the next start reads, and give it an empty folder for temporary files."""
        with file_errors(f"write to {self.path}"):
            self.option_file.write_text(text, errors="surrogateescape")
            shutil.rmtree(self.temporary, ignore_errors=True)
            self.temporary.mkdir()

    def write_init_file(self, text: str) -> None:
        """Write what the server runs when it starts; nobody else may read it."""
        with os.fdopen(
            os.open(self.init_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w"
        ) as file:
            file.write(text)

    def initialise(self) -> None:
        """Make the data directory with its system tables, unless it is there."""
        if self.data.exists():
            return
        unfinished = self.data.with_name("data.unfinished")
        remove_folder(unfinished)
        with file_errors(f"look at {self.path}"):
            check_space("an empty data directory", EMPTY_DATA_BYTES, self.path)
        log = self.path / "initialise.log"
        log.unlink(missing_ok=True)
        process = ServerProcess(
            self._initialise_command(unfinished, log), directory=self.path, log=log, cpus=()
        )
        exit_code = process.wait(INITIALISE_LIMIT_S)
        if exit_code != 0:
            ended = f"exit status {exit_code}" if exit_code is not None else "time limit"
            words = reasons(log.read_text(errors="replace"))
            raise RunError(f"cannot make a data directory in {self.path} ({ended}): {words}")
        with file_errors(f"write to {self.path}"):
            unfinished.rename(self.data)

    def _initialise_command(self, data: Path, log: Path) -> list[str | Path]:
        """Return the command; the installer is a shell script to which relative paths are safe."""
        installation = self._binaries
        if installation.installer is None:
            program: list[str | Path] = [installation.server, f"--defaults-file={self.option_file}"]
            own = ["--initialize-insecure", f"--log-error={log}"]
        else:
            program = [installation.installer, f"--defaults-file={_OPTION_FILE}"]
            own = [
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-log-error",
            ]
        return [*program, f"--datadir={data}", *own, *private_options(installation.basedir)]

    def log_size_bytes(self) -> int:
        """Return where the next start's part of the error log will begin."""
        return self.error_log.stat().st_size if self.error_log.exists() else 0

    def log_since(self, start_bytes: int) -> str:
        """Return the error log from a place on."""
        if not self.error_log.exists():
            return ""
        with self.error_log.open("rb") as log:
            log.seek(start_bytes)
            return log.read().decode(errors="replace")
