"""The directory of a private PostgreSQL server, and how its data directory comes to be.

::

    DIRECTORY/postgresql.conf  settings of the last start
    DIRECTORY/pg_hba.conf      who may come in
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dbdyno.errors import RunError
from dbdyno.target.local.directory import ServerDirectory, write_secret
from dbdyno.target.local.error_log import POSTGRES_LOG
from dbdyno.target.local.files import file_errors
from dbdyno.target.postgresql.binaries import PostgresBinaries
from dbdyno.target.postgresql.options import private_options, settings_in

SUPERUSER = "postgres"
"""Nobody comes in as this one but the server's own programs, without a connection."""

_HERE = "127.0.0.1/32"
_ANYWHERE = "0.0.0.0/0"
"""The addresses of clients on this machine, and of all."""

SCRAM_ITERATIONS = 4096
ORPHANS_LIMIT_S = 10.0
"""How long processes may take to see that their server was killed, when they are in a statement."""
POLL_S = 0.05


class PostgresDirectory(ServerDirectory):
    """Names the files of one server, and makes them where they are not there yet."""

    empty_data_bytes = 100_000_000
    log_reader = POSTGRES_LOG
    refuses_root = True

    def __init__(
        self,
        path: Path,
        binaries: PostgresBinaries,
        user: str,
        database: str,
        *,
        from_anywhere: bool = False,
    ) -> None:
        super().__init__(path, "PostgreSQL", binaries.version, binaries.library_path)
        self.configuration = self.path / "postgresql.conf"
        self._access = self.path / "pg_hba.conf"
        self._statements = self.path / "statements.sql"
        self._binaries = binaries
        self._user = user
        self._database = database
        self._clients = _ANYWHERE if from_anywhere else _HERE

    def write_configuration(self, text: str) -> None:
        """Write what the next start reads."""
        who = f"{self._database} {self._user}"
        with file_errors(f"write to {self.path}"):
            self.configuration.write_text(text, errors="surrogateescape")
            self._access.write_text(
                f"host {who} {self._clients} scram-sha-256\nlocal {who} scram-sha-256\n"
            )

    def initial_settings(self) -> dict[str, str]:
        """Return what initdb has chosen for this machine."""
        with file_errors(f"read the configuration in {self.data}"):
            return settings_in((self.data / "postgresql.conf").read_text(errors="surrogateescape"))

    def make_data(self, data: Path, log: Path) -> None:
        """Make a data directory whose texts sort by their bytes, and in it user and database."""
        installer: list[str | Path] = [
            self._binaries.installer,
            f"--pgdata={data}",
            f"--username={SUPERUSER}",
            "--auth=reject",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]
        self.run_to_end(installer, log, f"make a data directory in {self.path}")
        statements = [
            f"CREATE ROLE {self._user} LOGIN",
            f"GRANT pg_monitor TO {self._user}",
            f"CREATE DATABASE {self._database} OWNER {self._user}",
        ]
        self._run_statements(statements, data, log, f"make a database in {self.path}")

    def set_password(self, password: str) -> None:
        """Give the user a password, without a running server.

        The server is told only what it keeps of a password: it may be set to log all statements.
        """
        statement = f"ALTER ROLE {self._user} PASSWORD '{_scram_verifier(password)}'"
        doing = "start the server with what the experiment and its option file set"
        self._run_statements([statement], self.data, self.error_log, doing)

    def clean_up(self) -> None:
        """Remove the shared memory of a server that was killed, when its processes have ended.

        The server's check of its configuration does that on its way, before it does anything else.
        """
        command: list[str | Path] = [self._binaries.server, "--check", *self.options()]
        left_by_server = self.data / "postmaster.pid"
        deadline_s = time.monotonic() + ORPHANS_LIMIT_S
        while left_by_server.exists() and time.monotonic() < deadline_s:
            with suppress(RunError):
                self.run_to_end(command, Path(os.devnull), f"clean up after {self.path}")
                return
            time.sleep(POLL_S)

    def _run_statements(self, statements: Sequence[str], data: Path, log: Path, doing: str) -> None:
        """Have the server's program run statements, each a line, and nothing else."""
        command: list[str | Path] = [
            self._binaries.server,
            "--single",
            "--exit_on_error=on",
            "--default_transaction_read_only=off",
            *private_options(data, self.configuration, self._access),
            SUPERUSER,
        ]
        with file_errors(f"write to {self.path}"):
            write_secret(self._statements, "".join(f"{line}\n" for line in statements))
        try:
            self.run_to_end(command, log, doing, standard_input=self._statements)
        finally:
            self._statements.unlink(missing_ok=True)

    def options(self) -> list[str]:
        """Return the options that say where the files are."""
        return private_options(self.data, self.configuration, self._access)


def _scram_verifier(password: str) -> str:
    """Return what a server keeps of a password of ASCII letters (RFC 5803)."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, SCRAM_ITERATIONS)
    stored_key = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    in_text = (b64encode(part).decode() for part in (salt, stored_key, server_key))
    return "SCRAM-SHA-256${}:{}${}:{}".format(SCRAM_ITERATIONS, *in_text)
