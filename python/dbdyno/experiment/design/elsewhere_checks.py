"""Refuse servers on other machines that could not be there, or could not reach each other."""

from __future__ import annotations

from pathlib import Path

from dbdyno.experiment.file.cluster import ClusterTarget, Members
from dbdyno.experiment.file.error import FieldError, Location


def check_elsewhere(target: ClusterTarget, group: Members, place: Location) -> None:
    """FieldError for the first thing that is wrong with the places of a role."""
    if group.haproxy is not None:
        _refuse_elsewhere(group, place)
    if not group.elsewhere:
        _refuse_ways(group, place)
    for index, host in enumerate(group.hosts or ()):
        if host.address is not None and not host.is_elsewhere:
            raise FieldError(
                (*place, "hosts", index, "address"),
                f"{host.host} is the address of a server on this machine already; remove address",
            )
    if group.sql is None or not group.elsewhere:
        return
    _check_server(group, place)
    _check_reach(target, group, place)


def _refuse_elsewhere(group: Members, place: Location) -> None:
    """Other machines get servers that speak SQL, and what commands start."""
    for index, host in enumerate(group.hosts or ()):
        if host.is_elsewhere:
            raise FieldError(
                (*place, "hosts", index),
                f"{host.host!r} is no loopback address, as 127.0.0.2 is; haproxy runs on this "
                "machine; start another one as a command with ssh",
            )


def _refuse_ways(group: Members, place: Location) -> None:
    for field in ("ssh", "python", "directory"):
        if getattr(group, field) is not None:
            if group.command is not None:
                reason = "is for mysql and postgresql; write command: {ssh: ...}"
            else:
                reason = (
                    "is for servers on other machines, and hosts has none; name them, as in "
                    "hosts: [db1], or remove it"
                )
            raise FieldError((*place, field), reason)


def _check_server(group: Members, place: Location) -> None:
    assert group.sql is not None
    host = group.elsewhere[0].host
    if group.sql.transport == "socket":
        raise FieldError(
            (*place, group.kind, "transport"),
            f"a socket is reached on its own machine alone, and {host} is another; use tcp or tls",
        )
    libraries: list[tuple[Location, Path]] = [
        (("library_path", index), path) for index, path in enumerate(group.sql.library_path)
    ]
    for field, path in [(("basedir",), group.sql.basedir or Path("/")), *libraries]:
        if not path.is_absolute():
            raise FieldError(
                (*place, group.kind, *field),
                f"is a path on {host}, where the experiment file is not; write it from / on",
            )


def _check_reach(target: ClusterTarget, group: Members, place: Location) -> None:
    """Refuse servers elsewhere that need one which is at a loopback address of this machine."""
    this_machine = "use other machines for all ({host: ...} may be this one, by its name)"
    if group.galera and not group.is_all_elsewhere:
        raise FieldError(
            (*place, "hosts"),
            "nodes of Galera reach each other, and no other machine reaches a loopback address; "
            f"{this_machine}",
        )
    for role in group.after:
        before = target.members[role]
        has_address = before.sql is not None or before.haproxy is not None
        if has_address and not before.is_all_elsewhere:
            raise FieldError(
                (*place, "after"),
                f"{role} has servers at loopback addresses, which {group.elsewhere[0].host} does "
                f"not reach; {this_machine}",
            )
