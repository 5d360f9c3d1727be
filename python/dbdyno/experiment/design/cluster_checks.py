"""Refuse clusters whose servers cannot be together, with one message for the first thing."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from dbdyno.experiment.design.elsewhere_checks import check_elsewhere
from dbdyno.experiment.design.varied_target import wrong_place
from dbdyno.experiment.file.cluster import FOLDER, ClusterTarget, CommandMember, Members
from dbdyno.experiment.file.commands import names_in
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.member_host import HOST
from dbdyno.refusal import suggest


def check_cluster(target: ClusterTarget, location: Location) -> None:
    """FieldError for the first thing that is wrong with a cluster."""
    hosts: dict[str, str] = {}
    for role, group in target.members.items():
        place: Location = (*location, "members", role)
        _check_group(group, place)
        _check_network(target, group, place)
        _check_roles(target, group, place)
        check_elsewhere(target, group, place)
        for index, host in enumerate(group.hosts or ()):
            if host.host in hosts and not host.is_elsewhere:
                raise FieldError(
                    (*place, "hosts", index),
                    f"{host.host} is the address of a server of {hosts[host.host]} already; each "
                    "server has one of its own",
                )
            hosts[host.host] = role
    _check_order(target, location)
    for role, group in target.members.items():
        if group.command is not None:
            _check_commands(target, role, group.command, (*location, "members", role, "command"))
    for role in target.setup:
        if role not in target.members or target.members[role].sql is None:
            raise FieldError(
                (*location, "setup", role),
                f"is no role of servers that take SQL; {suggest(role, target.members)}",
            )
    urls = {"url": target.url, "check_url": target.check_url, "load_url": target.load_url}
    for field, url in urls.items():
        reason = None if url is None else wrong_place(url, target)
        if reason is not None:
            raise FieldError((*location, field), reason)


def _check_group(group: Members, place: Location) -> None:
    if len(group.kinds()) != 1:
        raise FieldError(
            place,
            "has no servers: it must be exactly one of mysql, postgresql, haproxy and command, as "
            "in {mysql: {}}",
        )
    if group.hosts is not None and len(group.hosts) < group.count and not group.shares_hosts:
        raise FieldError(
            (*place, "hosts"),
            f"has {len(group.hosts)} addresses for {group.count} servers; name one for each",
        )
    for index, host in enumerate(group.hosts or ()):
        if host.numa is not None and group.sql is None:
            raise FieldError(
                (*place, "hosts", index, "numa"), "is for mysql and postgresql servers; remove it"
            )
    if group.galera and group.mysql is None:
        raise FieldError((*place, "galera"), "is for mysql members; remove it")
    if group.command is not None and group.command.files and group.command.ssh is not None:
        raise FieldError(
            (*place, "command", "files"),
            "are written on this machine, and ssh runs the commands on another; remove one of them",
        )


def _check_network(target: ClusterTarget, group: Members, place: Location) -> None:
    """Refuse what takes a network of each server's own, and what none of them can have."""
    has_own = target.network == "own"
    reason = "network: own gives each server an address of its own on this machine"
    if has_own and group.hosts is not None:
        raise FieldError((*place, "hosts"), f"{reason}; remove hosts, or network")
    if group.command is None:
        return
    if group.hosts is None and not has_own and group.count > 1:
        raise FieldError(
            (*place, "count"),
            "a command's servers listen on one port; give each an address: hosts: [...], or "
            "cluster: {network: own, ...}",
        )
    for field in ("ssh", "host"):
        if field in group.command.model_fields_set and (has_own or group.hosts is not None):
            said = reason if has_own else "hosts names the machines, which commands know as {host}"
            other = "network" if has_own else "hosts"
            raise FieldError((*place, "command", field), f"{said}; remove {field}, or {other}")


def _check_commands(
    target: ClusterTarget, role: str, command: CommandMember, place: Location
) -> None:
    """Refuse names in braces that stand for nothing when a command runs."""
    always = [FOLDER, HOST, *target.variables]
    with_roles = [*always, *_roles_before(role, target)]
    for field, words in command.named().items():
        known = with_roles if field == "start" else always
        for name in names_in(words):
            if name not in known:
                raise FieldError(
                    (*place, field),
                    f"names {{{name}}}, which is no variable and, when it runs, no role whose "
                    f"servers are up; {suggest(name, known)}",
                )


def _roles_before(role: str, target: ClusterTarget) -> set[str]:
    """Return the roles that a role waits for, and those that these wait for."""
    waits = set(target.members[role].after)
    return waits.union(*(_roles_before(each, target) for each in waits))


def _check_roles(target: ClusterTarget, group: Members, place: Location) -> None:
    named: list[tuple[Location, str]] = [(("after",), role) for role in group.after]
    if group.haproxy is not None:
        named.append((("haproxy", "to"), group.haproxy.to))
    for way, role in named:
        if role not in target.members:
            raise FieldError(
                (*place, *way), f"there is no role {role!r}; {suggest(role, target.members)}"
            )


def _check_order(target: ClusterTarget, location: Location) -> None:
    try:
        TopologicalSorter({role: group.after for role, group in target.members.items()}).prepare()
    except CycleError as error:
        raise FieldError(
            (*location, "members"),
            f"wait for each other: {' after '.join(error.args[1])}; remove one after",
        ) from None
