"""A private PostgreSQL server."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.target.description import ServerDescription
from dbdyno.target.local.access import Access
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.launching import DATABASE, DEFAULT_ACCESS, USER
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.local.transport import certificate_in
from dbdyno.target.local.validation import postgres_validation
from dbdyno.target.postgresql.binaries import PostgresBinaries
from dbdyno.target.postgresql.data import PostgresDirectory
from dbdyno.target.postgresql.description import CHOSEN_AT_INITDB, describe_postgres
from dbdyno.target.postgresql.online import await_settings
from dbdyno.target.postgresql.options import (
    BASE_SETTINGS,
    PRIVATE_SETTINGS,
    check_settings,
    configuration_text,
    network_options,
    settings_in,
)
from dbdyno.target.postgresql.readback import adjusted_settings, shown_settings

CANNOT_CONNECT_NOW = "SQLSTATE 57P03"


class PostgresServer(PrivateServer):
    """A private server; ``option_file_text`` is the user's own postgresql.conf, read once."""

    scheme = "postgresql"
    # Some versions write more behind the path than the port.
    socket_bytes_max = 100
    # The signal for "fast": clients are sent away, and a checkpoint is made.
    stop_signal = signal.SIGINT
    _binaries: PostgresBinaries

    def __init__(
        self,
        name: str,
        directory: Path,
        binaries: PostgresBinaries,
        *,
        option_file_text: str = "",
        confinement: Confinement,
        access: Access = DEFAULT_ACCESS,
    ) -> None:
        self._directory = PostgresDirectory(
            directory, binaries, USER, DATABASE, from_anywhere=access.from_anywhere
        )
        super().__init__(name, self._directory, confinement, access)
        self._binaries = binaries
        self._user_options = option_file_text

    def _describe(self, session: Session) -> ServerDescription:
        return describe_postgres(session, str(self._directory.path))

    def _check_settings(self, settings: Mapping[str, str]) -> None:
        check_settings(settings)

    def _validation(
        self, folder: Path, settings: Mapping[str, str]
    ) -> tuple[Sequence[str | Path], Path]:
        file = folder / "postgresql.conf"
        file.write_text(configuration_text(self._user_options, settings), errors="surrogateescape")
        return postgres_validation(self._binaries, file), file

    def _prepare(self, settings: Mapping[str, str]) -> None:
        self._directory.claim()
        # What is wrong with the settings is to be told by the start that they are for.
        self._directory.write_configuration(configuration_text("", {}))
        self._directory.initialise()
        self._write_configuration(settings)

    def _write_configuration(self, settings: Mapping[str, str]) -> None:
        self._directory.write_configuration(
            configuration_text(self._user_options, settings, self._directory.initial_settings())
        )

    def _own_settings(self) -> frozenset[str]:
        initial = self._directory.initial_settings().keys()
        return PRIVATE_SETTINGS | BASE_SETTINGS.keys() | CHOSEN_AT_INITDB | initial

    def _optioned_settings(self) -> set[str]:
        return set(settings_in(self._user_options))

    def _give_password(self, password: str) -> None:
        self._directory.set_password(password)

    def _forget_password(self) -> None:
        """Nothing is left on disk but what the server itself keeps, which is no password."""

    def _command(self, port: int) -> list[str | Path]:
        directory = self._directory
        return [
            self._binaries.server,
            *directory.options(),
            *network_options(directory.path, port, self._access.address),
            *self._encryption(),
        ]

    def _encryption(self) -> list[str]:
        if self._access.transport != "tls":
            return []
        made = certificate_in(self._directory.path)
        return ["--ssl=on", f"--ssl_cert_file={made.certificate}", f"--ssl_key_file={made.key}"]

    def _socket(self, port: int) -> Path:
        return self._directory.path / f".s.PGSQL.{port}"

    def set_online(self, settings: Mapping[str, str]) -> None:
        """Write the settings to the configuration file, have the server read it, and see."""
        self._check_settings(settings)
        self._write_configuration({**self._settings, **settings})
        os.kill(self._running().pid, signal.SIGHUP)
        await_settings(self._session, settings)
        self._settings |= settings

    def _signal_to_stop(self) -> signal.Signals:
        """End it at once while it recovers from a crash of its own.

        On the signal for "fast", versions 15 and 17 then wait for ever for a process of their own.
        """
        try:
            with open_session(self.url, self.password):
                return self.stop_signal
        except RunError as error:
            return signal.SIGQUIT if self._is_starting(error) else self.stop_signal

    def _ended(self, *, in_good_order: bool) -> None:
        super()._ended(in_good_order=in_good_order)
        if not in_good_order:
            self._directory.clean_up()

    def _is_starting(self, error: RunError) -> bool:
        return CANNOT_CONNECT_NOW in str(error)

    def _read_back(self, settings: Mapping[str, str]) -> dict[str, str]:
        with self._session() as session:
            return adjusted_settings(settings, shown_settings(session))
