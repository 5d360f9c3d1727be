"""The directory of a private server: whose it is, and what its log says.

::

    DIRECTORY/server.json     that it is ours, and which server made it
    DIRECTORY/error.log       all starts, one after the other
    DIRECTORY/initialise.log  how the data directory came to be
    DIRECTORY/data/           there only when complete

Each kind of server adds its own files.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from dbdyno.errors import InputError, RunError
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.error_log import LogReader
from dbdyno.target.local.files import (
    allocated_bytes,
    check_space,
    file_errors,
    make_private_folder,
    remove_folder,
)
from dbdyno.target.local.last_will import Will, last_will
from dbdyno.target.local.process import LibraryPath, ServerProcess

INITIALISE_LIMIT_S = 300.0

_MARKER = "server.json"


class ServerDirectory(ABC):
    """Names the files of one server, and makes them where they are not there yet."""

    empty_data_bytes: int
    """What an empty data directory needs."""
    log_reader: LogReader
    refuses_root = False
    """Whether the server's programs do not run for root."""

    def __init__(
        self, path: Path, product: str, version: str, library_path: LibraryPath = ()
    ) -> None:
        self.path = path.absolute()
        self.data = self.path / "data"
        self.error_log = self.path / "error.log"
        self.library_path = library_path
        self.program = f"{product} {version}"
        self._made_by = {"product": product, "version": version}
        self._log_start_bytes = 0

    def claim(self) -> None:
        """Make the directory ours; refuse one that holds what we did not put there."""
        marker = self.path / _MARKER
        with file_errors(f"use the directory {self.path} for a server"):
            make_private_folder(self.path)
            if marker.exists():
                self._check_maker(json.loads(marker.read_text()))
            elif any(self.path.iterdir()):
                raise InputError(
                    f"{self.path} is not empty, and what it holds is not dbdyno's; "
                    "use another --out, or remove it"
                )
            marker.write_text(json.dumps(self._made_by))

    def _check_maker(self, maker: dict[str, str]) -> None:
        present = self._made_by
        if maker != present:
            raise InputError(
                f"{self.path} was made by {maker['product']} {maker['version']}, and the server is "
                f"now {present['product']} {present['version']}; remove it, or use another --out"
            )

    def initialise(self) -> None:
        """Make the data directory with its system tables, unless it is there."""
        if self.data.exists():
            return
        unfinished = self.data.with_name("data.unfinished")
        remove_folder(unfinished)
        with file_errors(f"look at {self.path}"):
            check_space("an empty data directory", self.empty_data_bytes, self.path)
        log = self.path / "initialise.log"
        log.unlink(missing_ok=True)
        self.make_data(unfinished, log)
        with file_errors(f"write to {self.path}"):
            unfinished.rename(self.data)

    def data_bytes(self) -> int:
        """Return what the data directory takes on disk."""
        with file_errors(f"look at {self.data}"):
            return allocated_bytes(self.data)

    @abstractmethod
    def make_data(self, data: Path, log: Path) -> None:
        """Make a data directory with what a client needs to come in, but for the password."""

    def run_to_end(
        self,
        command: Sequence[str | Path],
        log: Path,
        doing: str,
        *,
        standard_input: Path | None = None,
    ) -> None:
        """Run a program of the server's; ``RunError`` with its own words where it fails."""
        start_bytes = _size_bytes(log)
        process = ServerProcess(
            command,
            directory=self.path,
            log=log,
            confinement=Confinement(),
            as_root=not self.refuses_root,
            standard_input=standard_input,
            library_path=self.library_path,
        )
        with last_will(Will.END_GROUP, process.pid):
            exit_code = process.wait(INITIALISE_LIMIT_S)
        if exit_code != 0:
            ended = f"exit status {exit_code}" if exit_code is not None else "time limit"
            words = self.log_reader.reasons(_text_since(log, start_bytes))
            raise RunError(f"cannot {doing} ({ended}): {words}")

    def begin_log(self) -> None:
        """Have ``log`` begin here: what stands before it belongs to earlier starts."""
        self._log_start_bytes = _size_bytes(self.error_log)

    def log(self) -> str:
        """Return what the last start has written to the error log."""
        return _text_since(self.error_log, self._log_start_bytes)


def write_secret(path: Path, text: str) -> None:
    """Write a file that nobody else may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.write(text)


def _size_bytes(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def _text_since(log: Path, start_bytes: int) -> str:
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(start_bytes)
        return file.read().decode(errors="replace")
