"""Clusters as an experiment file names them: servers with roles that serve as one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import cycle, islice
from pathlib import Path, PurePosixPath
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from dbdyno.database.url import database_of_url
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.commands import Command, given, parse_command
from dbdyno.experiment.file.member_host import HOST, MemberHost, PlaceThere, WayThere, WrittenHost
from dbdyno.experiment.file.private import MysqlTarget, PostgresqlTarget
from dbdyno.experiment.file.quantity import Duration, Setting, SettingName
from dbdyno.protocol.form import left_out
from dbdyno.refusal import refusal

MOST_MEMBERS = 64
_ROLE = re.compile(r"[a-z][a-z0-9_]*")
_READY = re.compile(r"tcp (\d+)")
_LARGEST_PORT = 65_535
PLACE = re.compile(r"\{(\w*)(\*?)\}")
"""A role in a cluster's URL; with the star all of its servers."""

FOLDER = "folder"
"""The folder of a server's files, to its commands."""

SSH = ("ssh", "-T", "-o", "BatchMode=yes")
"""Asks nothing: a host that wants a password is not reached."""


def _check_role(name: str) -> str:
    if not _ROLE.fullmatch(name):
        raise refusal(f"{name!r} is not the name of a role; use small letters, digits and _")
    return name


def _check_ready(ready: str) -> str:
    written = _READY.fullmatch(ready)
    if written is None or not 1 <= int(written[1]) <= _LARGEST_PORT:
        raise refusal(f"{ready!r} says no port; write ready: tcp 3306")
    return ready


def _parse_way(value: object) -> object:
    """Return the words that stand before a command on another machine."""
    return (*SSH, value) if isinstance(value, str) and value else parse_command(value)


def _parse_roles(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Role = Annotated[str, AfterValidator(_check_role)]
Roles = Annotated[
    tuple[Role, ...],
    Strict(False),
    BeforeValidator(_parse_roles),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Way = Annotated[
    tuple[str, ...],
    BeforeValidator(_parse_way),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


def _check_file_name(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise refusal(f"{name!r} leaves the folder of the server; write a name, as conf/my.yaml")
    return name


FileName = Annotated[str, AfterValidator(_check_file_name)]


class HaproxyMember(FileModel):
    """HAProxy in TCP mode before the members of another role."""

    to: Role = Field(description="The role of the servers that it spreads clients over.")
    balance: Literal["roundrobin", "leastconn", "first", "source"] = Field(
        default="roundrobin", description="How it chooses a server for a client: HAProxy's words."
    )
    program: str = Field(default="haproxy", description="The program, on the PATH or by its path.")


class CommandMember(FileModel):
    """A server that commands start and stop, here or on another machine.

    Without stop, the command start is the server itself, and ends with it. Commands know {host},
    the server's own among the role's hosts.
    """

    start: Command = Field(
        description="Starts the server; without stop, it is the server.",
        examples=["./start-compute.sh {folder}"],
    )
    stop: Command | None = Field(
        default=None, description="Ends the server.", examples=["./stop-compute.sh"]
    )
    describe: Command | None = Field(
        default=None,
        description="Says what the server is, with its version, after each start; what it writes "
        "is stored with trials and stands in the report.",
        examples=["./compute --version"],
    )
    ready: Annotated[str, AfterValidator(_check_ready)] = Field(
        description="When it is up: tcp 3306, once something listens on that port."
    )
    ssh: Way | None = Field(
        default=None,
        description="The machine that the commands run on, as ssh calls it; or a list, the words "
        "of another command that runs what stands behind it in a shell there.",
        examples=["c1"],
    )
    host: str = Field(default="127.0.0.1", description="Where its port is reached.")
    files: dict[FileName, Annotated[Path, Strict(False)]] = Field(
        default={},
        description="What it is configured with: files, each from a Jinja2 template that knows "
        "what set-up statements know. They are written before each start into a folder, which "
        "commands know as {folder}.",
        examples=[{"server.yaml": "server.yaml.j2"}],
    )
    timeout_s: Annotated[Duration, Field(gt=0)] = Field(
        default=300.0,
        alias="timeout",
        description="How long each command may take, and the server until it is up.",
    )

    @staticmethod
    def values(
        folder: str, machine: str, addresses: Mapping[str, str], variables: Mapping[str, str]
    ) -> dict[str, str]:
        """Return what the commands know; ``addresses`` are those of the servers that are up."""
        return {FOLDER: folder, HOST: machine, **addresses, **variables}

    def named(self) -> dict[str, Command]:
        """Return the commands that are given, by what they do."""
        return given(start=self.start, stop=self.stop, describe=self.describe)

    @property
    def port(self) -> int:
        """The port that tells when it is up."""
        return int(self.ready.rpartition(" ")[2])


class Members(FileModel):
    """The servers of one role: what they are, how many, and after whom they start."""

    refused: ClassVar[dict[str, str]] = {
        field: f"belongs to the kind of server; write mysql: {{{field}: ...}}"
        for field in ("limits", "cpus", "numa", "set", "basedir", "option_file")
    }

    mysql: MysqlTarget | None = None
    postgresql: PostgresqlTarget | None = None
    haproxy: HaproxyMember | None = None
    command: CommandMember | None = None
    count: int = Field(default=1, ge=1, le=MOST_MEMBERS, description="How many servers there are.")
    hosts: Annotated[tuple[WrittenHost, ...], Strict(False)] | None = Field(
        default=None,
        description="Where each runs: at a loopback address of this machine, or on another machine "
        "that ssh reaches, as in [db1, db2]; without it, each gets a loopback address of its own. "
        "Where there are more mysql or postgresql servers than other machines, the machines take "
        "turns: of five servers on [db1, db2], db1 has three.",
        examples=[["db1", "db2"]],
    )
    ssh: WayThere | None = Field(
        default=None,
        description="The command that leads to the other machines among hosts, with {host} for the "
        "name, instead of ssh -T -o BatchMode=yes {host}.",
        examples=["ssh -p 2222 {host}"],
    )
    python: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="The Python on the other machines that has dbdyno; without it, python3.",
        examples=["/opt/dbdyno/bin/python"],
    )
    directory: PlaceThere | None = Field(
        default=None,
        description="A directory of the other machines, beneath which servers keep their data and "
        "snapshots; without it, the temporary directory.",
        examples=["/data/bench"],
    )
    after: Roles = Field(default=(), description="Roles whose servers are up before these start.")
    galera: bool | str = Field(
        default=False,
        description="mysql members only: they are one Galera cluster. The path of the provider "
        "(libgalera_smm.so) where it is in no usual place.",
    )

    def kinds(self) -> list[str]:
        """Return the kinds that are given; one, in a file that is right."""
        return [
            kind
            for kind in ("mysql", "postgresql", "haproxy", "command")
            if getattr(self, kind) is not None
        ]

    @property
    def kind(self) -> str:
        """What the servers are."""
        return self.kinds()[0]

    @property
    def places(self) -> tuple[MemberHost, ...]:
        """Where the servers run that there are; none where each gets a loopback address."""
        return tuple(islice(cycle(self.hosts or ()), self.count))

    @property
    def shares_hosts(self) -> bool:
        """Whether a place may have several servers: those that have ports of their own."""
        return self.sql is not None and self.is_all_elsewhere

    @property
    def elsewhere(self) -> tuple[MemberHost, ...]:
        """The places on other machines, where an agent starts the servers, of all places."""
        places = () if self.sql is None else self.hosts or ()
        return tuple(host for host in places if host.is_elsewhere)

    @property
    def is_all_elsewhere(self) -> bool:
        """Whether no server of the role is on this machine."""
        return len(self.elsewhere) == len(self.hosts or ()) > 0

    @property
    def runs_here(self) -> bool:
        """Whether servers of the role take CPU of this machine."""
        if self.command is not None:
            is_there = bool(self.hosts) and all(host.is_elsewhere for host in self.hosts or ())
            return self.command.ssh is None and not is_there
        return not self.is_all_elsewhere

    @property
    def sql(self) -> MysqlTarget | PostgresqlTarget | None:
        """How the servers are started that speak SQL and that are ours."""
        return self.mysql or self.postgresql

    def sql_at(self, host: MemberHost | None) -> MysqlTarget | PostgresqlTarget | None:
        """Return how one of them is started at a place, which may have NUMA nodes for it."""
        own = self.sql
        if own is None or host is None or host.numa is None:
            return own
        return own.model_copy(update={"numa": host.numa})


def member_name(role: str, number: int) -> str:
    """Return the name of a server, of which the first of its role has number 1."""
    return f"{role}-{number}"


class ClusterTarget(FileModel):
    """Servers with roles that serve as one, each with an address of its own."""

    members: dict[Role, Members] = Field(
        min_length=1,
        description="The servers by role: storage, compute, balancer, …",
        examples=[{"storage": {"mysql": {}, "count": 2}}],
    )
    setup: dict[Role, Annotated[Path, Strict(False)]] = Field(
        default={},
        description="SQL statements, as Jinja2 templates, that run on each server of a role after "
        "each start of the cluster.",
    )
    url: str = Field(
        description="Where clients connect to: mysql://{user}@{balancer}/{database}. {role} is the "
        "first server of a role with its port, {role*} are all of them."
    )
    network: Literal["shared", "own"] = Field(
        default="shared",
        description="own gives each server a network namespace with an address of its own, so that "
        "what each one receives and sends is known. It takes root or the capabilities "
        "CAP_SYS_ADMIN and CAP_NET_ADMIN, and all servers are on this machine. shared: the servers "
        "have loopback addresses, or are on other machines.",
    )
    check_url: str | None = Field(
        default=None,
        description="Where the tables are checked after a trial, written as url is; without it, at "
        "url. For a layer that does not answer the queries of a check.",
    )
    load_url: str | None = Field(
        default=None,
        description="Where the tables are filled, written as url is; without it, at the first "
        "server of url. For a layer that takes rows slowly.",
        examples=["mysql://{user}@{storage}/{database}"],
    )
    variables: dict[SettingName, Setting] = Field(
        default={}, description="Values that the templates know; a factor may set them."
    )

    home: SkipJsonSchema[Path] = left_out(Path())
    """The folder of the experiment file, where commands run."""

    def entrances(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the servers that clients connect to, by role: those of the URL."""
        return {
            role: self._servers_of(role)[: None if star else 1]
            for role, star in PLACE.findall(self.url)
            if role in self.members
        }

    def servers(self) -> tuple[str, ...]:
        """Return the names of all servers."""
        return tuple(name for role in self.members for name in self._servers_of(role))

    def _servers_of(self, role: str) -> tuple[str, ...]:
        return tuple(member_name(role, index + 1) for index in range(self.members[role].count))

    @property
    def runs_here(self) -> bool:
        """Whether any server takes CPU of this machine."""
        return any(group.runs_here for group in self.members.values())

    @property
    def stores_here(self) -> bool:
        """Whether any server keeps tables on this machine."""
        return any(group.runs_here for group in self.members.values() if group.sql is not None)

    @property
    def database(self) -> str:
        """What clients speak with it."""
        return database_of_url(self.url)
