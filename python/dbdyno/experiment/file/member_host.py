"""Where one server of a cluster runs: at a loopback address, or on a machine reached by ssh."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.commands import check_names_in
from dbdyno.experiment.file.limits import Nodes
from dbdyno.experiment.file.quantity import check_host_name
from dbdyno.refusal import refusal

HOST = "host"
"""The name of the machine, to the command that leads there."""


class MemberHost(FileModel):
    """The place of one server; a machine may have several of them."""

    host: Annotated[str, AfterValidator(check_host_name)] = Field(
        description="A loopback address; or another machine, as ssh calls it, that ssh reaches "
        "without being asked for anything, and that has this version of dbdyno.",
        examples=["db1"],
    )
    address: Annotated[str, AfterValidator(check_host_name)] | None = Field(
        default=None,
        description="The address of the other machine at which its server listens; without it, "
        "what its name stands for here.",
        examples=["10.0.0.5"],
    )

    numa: Nodes | None = Field(
        default=None,
        description="NUMA nodes of its server, in place of those that the role has; for several "
        "servers of one machine, of which each has its own.",
        examples=["0"],
    )

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is another machine: all that is no loopback address."""
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:
            return True


def _host_alone(value: object) -> object:
    return {"host": value} if isinstance(value, str) else value


WrittenHost = Annotated[
    MemberHost, BeforeValidator(_host_alone, json_schema_input_type=str | MemberHost)
]
"""A place, or its name alone."""


def _check_way(command: str) -> str:
    check_names_in(command, (HOST,))
    return command


WayThere = Annotated[str, AfterValidator(_check_way)]
"""A command that leads to a machine, with ``{host}`` for its name."""


def _check_place(path: str) -> str:
    if not path.startswith("/"):
        raise refusal(f"{path!r} is a path on another machine; write it from / on")
    return path


PlaceThere = Annotated[str, AfterValidator(_check_place)]
