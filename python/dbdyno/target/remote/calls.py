"""What the agent of a server does on its host: each call by its name, on the ordinary server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dbdyno.agent.runs import RunFolder, remove_run
from dbdyno.errors import InputError
from dbdyno.experiment.file.private import MysqlTarget, PostgresqlTarget
from dbdyno.experiment.plan import ServerLimits
from dbdyno.target.capabilities import Settable
from dbdyno.target.description import ServerDescription
from dbdyno.target.local.access import Access
from dbdyno.target.local.files import remove_folder
from dbdyno.target.local.ports import free_port
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.mysql.galera import Membership
from dbdyno.target.mysql.server import MysqlServer
from dbdyno.target.private import open_private
from dbdyno.target.remote.language import Call, Invitation, ServerOrder

_DESCRIPTION = TypeAdapter(ServerDescription)
_LIMITS = TypeAdapter(ServerLimits)
_MEMBERSHIP = TypeAdapter(Membership)


class Calls:
    """What may be asked of an agent."""

    def __init__(self, invitation: Invitation) -> None:
        """Open the server; ``InputError`` where its programs cannot be used."""
        self._directory = None if invitation.directory is None else Path(invitation.directory)
        self._run = invitation.run
        self._folder = RunFolder(invitation.run, self._directory)
        self._served = (
            None if invitation.server is None else _Served(invitation.server, self._folder)
        )

    def maker(self) -> str:
        """Return what makes the server's files."""
        return "" if self._served is None else self._served.server.maker()

    def carry_out(self, call: Call) -> Any:  # noqa: ANN401 - each call has its own result
        """Do what a call asks for, and return its result."""
        if self._served is None:
            assert call.name == "remove_run", "it has no server"
            return remove_run(self._run, self._directory)
        return self._served.calls[call.name](**call.arguments)


class _Served:
    """A server, and what it can be asked."""

    def __init__(self, order: ServerOrder, folder: RunFolder) -> None:
        self._order = order
        self._folder = folder
        self._password = ""
        model = MysqlTarget if order.kind == "mysql" else PostgresqlTarget
        target: MysqlTarget | PostgresqlTarget = model.model_validate_json(order.model)
        access = Access(target.transport, order.address, lambda: self._password, from_anywhere=True)
        place = folder.path / order.folder
        self.server: PrivateServer = open_private(
            target, order.name, place, order.option_file_text, access
        )
        self.calls: Mapping[str, Callable[..., Any]] = {
            "check": self._check,
            "validate": self.server.validate,
            "start": self._start,
            "set_online": self._set_online,
            "describe": self._describe,
            "stop": self.server.stop,
            "snapshot": self._snapshot,
            "restore": self._restore,
            "has": self._has,
            "remove": self._remove,
            "directory_bytes": self.server.directory_bytes,
            "out_of_memory_kills": self.server.out_of_memory_kills,
            "killed_for_memory": self.server.killed_for_memory,
            "free_port": self._free_port,
            "find_provider": self._find_provider,
            "join": self._join,
        }

    def _check(self, settings: Mapping[str, str], limits: Mapping[str, Any]) -> None:
        self._free_port()
        self.server.check(settings, _LIMITS.validate_python(limits))

    def _start(
        self, settings: Mapping[str, str], limits: Mapping[str, Any], password: str
    ) -> dict[str, Any]:
        """Return how it is reached: where, and as whom what clients may not is done."""
        self._claim()
        self._password = password
        self.server.start(settings, _LIMITS.validate_python(limits))
        return {"url": self.server.url, "administrator": self.server.administrator}

    def _claim(self) -> None:
        self._folder.claim(self._order.folder)
        self._folder.touch()

    def _set_online(self, settings: Mapping[str, str]) -> None:
        assert isinstance(self.server, Settable)
        self.server.set_online(settings)

    def _describe(self) -> object:
        return _DESCRIPTION.dump_python(self.server.describe(), mode="json")

    def _snapshot(self, folder: str) -> None:
        self._claim()
        self.server.snapshot(self._folder.path / folder)

    def _restore(self, folder: str) -> None:
        self._claim()
        self.server.restore(self._folder.path / folder)

    def _has(self, folder: str) -> bool:
        return (self._folder.path / folder).is_dir()

    def _remove(self, folder: str) -> None:
        if self._has(folder):
            self._claim()
            remove_folder(self._folder.path / folder)

    def _free_port(self) -> int:
        try:
            return free_port(self._order.address)
        except OSError as error:
            raise InputError(
                f"{self._order.address} is no address of that machine ({error.strerror}); give the "
                "one at which its server is to listen, with hosts: [{host: ..., address: ...}]"
            ) from error

    def _find_provider(self, written: bool | str) -> str:
        assert isinstance(self.server, MysqlServer)
        return self.server.find_provider(written)

    def _join(self, membership: Mapping[str, Any]) -> None:
        assert isinstance(self.server, MysqlServer)
        self.server.join(_MEMBERSHIP.validate_python(membership))
