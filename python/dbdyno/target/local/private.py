"""A private server: started from installed programs, in a directory of its own, and ours to end.

Clients come in as the user ``dbdyno``, who owns the database ``dbdyno``, with a password that is
made anew at every start and is nowhere on disk once the server is up.
"""

from __future__ import annotations

import signal
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil

from dbdyno._native import Session
from dbdyno.database.hosts import LARGEST_PORT
from dbdyno.database.secrets import shown_settings
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.plan import NO_LIMITS, ServerLimits
from dbdyno.target.description import ServerDescription
from dbdyno.target.local.access import Access
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.directory import ServerDirectory
from dbdyno.target.local.files import (
    copy_folder,
    file_errors,
    replace_folder,
    sizes_bytes,
)
from dbdyno.target.local.last_will import passing_folder
from dbdyno.target.local.launching import DEFAULT_ACCESS, LaunchedServer
from dbdyno.target.local.page_cache import drop_page_cache
from dbdyno.target.local.ports import free_port
from dbdyno.target.local.process import check_cpus, run_for_answer
from dbdyno.target.local.transport import check_transport, make_certificate
from dbdyno.target.local.validation import without_place
from dbdyno.target.mysql.binaries import Binaries
from dbdyno.target.postgresql.binaries import PostgresBinaries

STOP_LIMIT_S = 300.0
"""Long enough to flush a large buffer pool."""


class PrivateServer(LaunchedServer):
    """What all private servers do alike; each kind prepares, commands and reads back its own."""

    socket_bytes_max = 107
    """The longest path of a Unix socket that the server takes."""
    stop_signal: signal.Signals
    """What has it end in good order without waiting for its clients."""
    _binaries: Binaries | PostgresBinaries
    _user_options: str
    """The text of the user's own option file."""

    def __init__(
        self,
        name: str,
        directory: ServerDirectory,
        confinement: Confinement,
        access: Access = DEFAULT_ACCESS,
    ) -> None:
        super().__init__(name, directory, confinement, access)
        self._settings: dict[str, str] = {}
        self._limits = NO_LIMITS
        self._adjusted: dict[str, str] = {}
        self._files_are_consistent = True

    @abstractmethod
    def _check_settings(self, settings: Mapping[str, str]) -> None:
        """Refuse settings that cannot be."""

    @abstractmethod
    def _validation(
        self, folder: Path, settings: Mapping[str, str]
    ) -> tuple[Sequence[str | Path], Path]:
        """Write what a start would read into a folder; return what has it read, and the file."""

    @abstractmethod
    def _prepare(self, settings: Mapping[str, str]) -> None:
        """Write the files that the next start needs."""

    @abstractmethod
    def _read_back(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that the running server shows otherwise than asked for, as asked."""

    @abstractmethod
    def _own_settings(self) -> frozenset[str]:
        """Return the names of what we set on each of our servers, with ``_`` and in lower case."""

    @abstractmethod
    def _optioned_settings(self) -> set[str]:
        """Return the names of what the user's option file sets, in the same spelling."""

    @abstractmethod
    def _describe(self, session: Session) -> ServerDescription:
        """Ask the running server what it is and how it is set."""

    @property
    def administrator(self) -> tuple[str, str]:
        """The URL and the password by which set-up statements run."""
        return self.url, self.password

    def free_port(self) -> int:
        """Return a port of its address that nothing listens on just now."""
        return free_port(self._access.address, self._access.network)

    def maker(self) -> str:
        """Return the program that makes its files, with its version, and the user's options."""
        return f"{self._files.program}, {self._binaries.server}\n{self._user_options}"

    def check(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Look at CPUs, limits and settings; the programs were found when this was opened."""
        self._confinement.check(limits)
        check_cpus(self._confinement.cpus)
        check_transport(self._access.transport, self._socket(LARGEST_PORT), self.socket_bytes_max)
        self._check_settings(settings)

    def validate(self, settings: Mapping[str, str]) -> None:
        """Have the program read the settings in the option file that a start would be given."""
        with passing_folder() as folder:
            command, file = self._validation(folder, settings)
            answer = run_for_answer(command, self._files.library_path)
        reader = self._files.log_reader
        if reader.names_errors(answer):
            reasons = without_place(reader.reasons(answer), file)
            raise InputError(f"{self._files.program} does not take the settings: {reasons}")

    def start(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Start with these settings over the option file's over ours, and see that they took."""
        self.stop()
        self.check(settings, limits)
        self._settings, self._limits = dict(settings), limits
        self._prepare(settings)
        if limits or self._confinement.nodes:
            # A page belongs to the control group that read it first, and to the node where that
            # ran: what others have cached would count against no limit, and lie anywhere.
            drop_page_cache(self._files.data)
        try:
            self._confinement.begin(limits)
            if self._access.transport == "tls":
                make_certificate(self._files.path)
            self._launch_on_free_port()
            self._adjusted = self._read_back(settings)
        except BaseException:
            self._kill()
            raise

    def restart(self) -> None:
        """Start it anew with the settings and limits that it was started with."""
        self.start(self._settings, self._limits)

    def stop(self) -> None:
        """End the server; killed because it did not end in time, it is not fit for a snapshot."""
        if self._process is not None:
            stop_signal = self._signal_to_stop()
            process, self._process = self._process, None
            ended_well = process.stop(STOP_LIMIT_S, stop_signal)
            self._confinement.end()
            self._ended(in_good_order=ended_well and stop_signal is self.stop_signal)
        self._confinement.forget()

    def crash(self) -> None:
        """Kill the server and all that it has started at one blow, as a crash would."""
        for process in self._family():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._kill()

    def _family(self) -> list[psutil.Process]:
        """Return the server's processes, the first one first: it must start no more of them."""
        if self._process is None:
            return []
        try:
            first = psutil.Process(self._process.pid)
            return [first, *first.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def describe(self) -> ServerDescription:
        """Ask the server for its version and all its settings, and add up its files."""
        with self._session() as session:
            description = self._describe(session)
        with file_errors(f"look at {self._files.data}"):
            file_sizes_bytes = sizes_bytes(self._files.data)
        return replace(
            description,
            chosen_settings=self._chosen_settings(description.chosen_settings),
            adjusted_settings=shown_settings(self._adjusted),
            data_directory=str(self._files.data),
            cpus=self._confinement.cpus,
            numa_nodes=self._confinement.nodes,
            file_sizes_bytes=file_sizes_bytes,
        )

    def _chosen_settings(self, told: list[str] | None) -> list[str]:
        """Return what somebody has set, of what the server says was: what we set is not that.

        A server may know a setting by another name than the option that sets it.
        """
        asked = {name.lower().replace("-", "_") for name in self._settings}
        asked |= self._optioned_settings()
        return sorted(asked | (set(told or ()) - self._own_settings()))

    def directory_bytes(self) -> int:
        """Return what the data directory takes on disk: the tables, the logs and all else."""
        return self._files.data_bytes()

    def snapshot(self, directory: Path) -> None:
        """Copy the data directory of the server, which must have ended in good order."""
        self._require_stopped()
        if not self._files_are_consistent:
            raise RunError(
                f"server {self.name} did not end in good order, so that its files are not fit to "
                f"be copied; its error log says: {self._log_reasons()}"
            )
        copy_folder(self._files.data, directory)

    def restore(self, directory: Path) -> None:
        """Replace the data directory by a snapshot's."""
        self._require_stopped()
        self._files.claim()
        replace_folder(directory, self._files.data)
        self._files_are_consistent = True

    def _signal_to_stop(self) -> signal.Signals:
        """Return what has the server end as it is now, in good order where it can."""
        return self.stop_signal

    def _require_stopped(self) -> None:
        if self._process is not None:
            raise RunError(f"server {self.name} is running; its files are copied only when stopped")

    def _kill(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            self._ended(in_good_order=False)
        self._confinement.end()

    def _ended(self, *, in_good_order: bool) -> None:
        """Take note of how the server has ended."""
        self._files_are_consistent = in_good_order
