"""A private server on another host, as a server that is here: its agent does what it is asked."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dbdyno.errors import DbdynoError, RunError
from dbdyno.experiment.file.private import MysqlTarget, PostgresqlTarget
from dbdyno.experiment.plan import NO_LIMITS, ServerLimits
from dbdyno.target.base import Server
from dbdyno.target.description import ServerDescription
from dbdyno.target.local.files import file_errors, make_private_folder, read_option_file
from dbdyno.target.mysql.galera import Membership
from dbdyno.target.remote.connection import AgentGoneError, Connection
from dbdyno.target.remote.language import Invitation, Kind, ServerOrder
from dbdyno.target.remote.site import Site

_DESCRIPTION = TypeAdapter(ServerDescription)
_MARKER = "elsewhere.json"
"""In the directory of a snapshot here: on which host it is, and in which folder there."""


@dataclass(frozen=True)
class _Reached:
    """How a running server is reached."""

    url: str
    password: str
    administrator: tuple[str, str]


class RemoteServer(Server):
    """A server of the MySQL family or of PostgreSQL on another host.

    Its agent lives from the first thing that is asked of it until ``close``, or until its host is
    lost; the next start then has another one. Errors name the host.
    """

    def __init__(
        self,
        name: str,
        directory: Path,
        target: MysqlTarget | PostgresqlTarget,
        site: Site,
        make_password: Callable[[], str],
    ) -> None:
        """``directory`` is where its files would be here: their folder there has a name by it."""
        super().__init__(name)
        self._target = target
        self._site = site
        self._make_password = make_password
        place = hashlib.sha256(str(directory.absolute()).encode()).hexdigest()[:8]
        self._folder = f"{name}-{place}"
        self._connection: Connection | None = None
        self._reached: _Reached | None = None
        self._why_gone: str | None = None

    def _connected(self) -> Connection:
        if self._connection is None:
            order = ServerOrder(
                name=self.name,
                kind=self.kind,
                model=self._target.model_dump_json(by_alias=True, exclude_unset=True),
                option_file_text=read_option_file(self._target.option_file),
                address=self._site.address,
                folder=self._folder,
            )
            invitation = Invitation(
                run=self._site.run, directory=self._site.directory, server=order
            )
            self._connection = Connection(self._site.way, invitation)
        return self._connection

    def call_ahead(self) -> None:
        """Begin to reach its host: several are then reached at the same time."""
        # What is wrong, the first call tells.
        with suppress(DbdynoError):
            self._connected()

    def _accepted(self) -> Connection:
        """Return a connection whose agent is ready for calls; an error tells why there is none."""
        connection = self._connected()
        try:
            connection.maker()
        except DbdynoError:
            self._let_go()
            raise
        return connection

    def _ask(self, call: str, **arguments: object) -> Any:  # noqa: ANN401 - each has its own result
        connection = self._accepted()
        try:
            return connection.call(call, **arguments)
        except AgentGoneError as error:
            self._why_gone = f"{error}; server {self.name} is lost with it"
            self._let_go()
            raise RunError(self._why_gone) from error

    def _let_go(self) -> None:
        self._reached = None
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()

    def _running(self) -> _Reached:
        if self._reached is None:
            raise RunError(self._why_gone or f"server {self.name} is not running")
        return self._reached

    @property
    def url(self) -> str:
        """The address of this start, on the other host."""
        return self._running().url

    @property
    def password(self) -> str:
        """The password of this start."""
        return "" if self._reached is None else self._reached.password

    @property
    def administrator(self) -> tuple[str, str]:
        """The URL and the password by which what clients may not is done."""
        return self._running().administrator

    @property
    def kind(self) -> Kind:
        """What it speaks, also while it has no URL."""
        return "mysql" if isinstance(self._target, MysqlTarget) else "postgresql"

    def maker(self) -> str:
        """Return the program there that makes its files, and the user's options."""
        return self._accepted().maker()

    def check(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Reach the host, and have it looked at there."""
        self._ask("check", settings=dict(settings), limits=asdict(limits))

    def validate(self, settings: Mapping[str, str]) -> None:
        """Have the program there read these settings."""
        self._ask("validate", settings=dict(settings))

    def start(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Have it started there, with the password of this start."""
        self._reached, self._why_gone = None, None
        password = self._make_password()
        told = self._ask("start", settings=dict(settings), limits=asdict(limits), password=password)
        url, secret = told["administrator"]
        self._reached = _Reached(told["url"], password, (url, secret))

    def set_online(self, settings: Mapping[str, str]) -> None:
        """Have settings made on the running server."""
        self._running()
        self._ask("set_online", settings=dict(settings))

    def stop(self) -> None:
        """Have it ended in good order; nothing happens where its agent is gone."""
        self._reached = None
        if self._connection is not None:
            try:
                self._ask("stop")
            except RunError:
                if self._why_gone is None:
                    raise

    def close(self) -> None:
        """End it, and its agent."""
        try:
            self.stop()
        finally:
            self._let_go()

    def describe(self) -> ServerDescription:
        """Have it asked there; its data directory is on no disk of this machine."""
        self._running()
        return replace(_DESCRIPTION.validate_python(self._ask("describe")), data_directory=None)

    def directory_bytes(self) -> int:
        """Return what its data directory takes on the disk there."""
        return int(self._ask("directory_bytes"))

    def out_of_memory_kills(self) -> int | None:
        """Ask the counter of its control group there; None where nobody can tell any more."""
        count = self._ask_if_there("out_of_memory_kills")
        return None if count is None else int(count)

    def killed_for_memory(self) -> str | None:
        """Say that the kernel there killed it for lack of memory, where that is known."""
        reason = self._ask_if_there("killed_for_memory")
        return None if reason is None else f"host {self._site.way.host}: {reason}"

    def _ask_if_there(self, call: str) -> Any:  # noqa: ANN401 - each has its own result
        if self._connection is None:
            return None
        try:
            return self._ask(call)
        except RunError:
            # That it is lost is told by whoever asks how it is.
            return None

    def snapshot(self, directory: Path) -> None:
        """Have its files copied there, and note here where the copy is."""
        folder = f"snapshot-{uuid.uuid4().hex[:12]}"
        self._ask("snapshot", folder=folder)
        with file_errors(f"write to {directory}"):
            make_private_folder(directory)
            marker = {"host": self._site.way.host, "folder": folder}
            (directory / _MARKER).write_text(json.dumps(marker))

    def restore(self, directory: Path) -> None:
        """Have its files replaced there by those of a snapshot."""
        self._ask("restore", folder=_folder_in(directory))

    def has_files_of(self, directory: Path) -> bool:
        """Ask whether a snapshot is still there: somebody may have cleaned up."""
        is_marked = (directory / _MARKER).exists()
        return is_marked and bool(self._ask("has", folder=_folder_in(directory)))

    def remove_files(self) -> None:
        """Have its data removed there."""
        self._ask("remove", folder=self._folder)

    def remove_files_of(self, directory: Path) -> None:
        """Have a snapshot removed there."""
        if (directory / _MARKER).exists():
            self._ask("remove", folder=_folder_in(directory))

    def free_port(self) -> int:
        """Return a port of its address there that nothing listens on just now."""
        return int(self._ask("free_port"))

    def find_provider(self, written: bool | str) -> str:
        """Return the path of Galera's library there."""
        return str(self._ask("find_provider", written=written))

    def join(self, membership: Membership) -> None:
        """Have the next start be a node of a Galera cluster."""
        self._ask("join", membership=asdict(membership))


def _folder_in(directory: Path) -> str:
    with file_errors(f"read what {directory} tells of a snapshot"):
        return str(json.loads((directory / _MARKER).read_text())["folder"])
