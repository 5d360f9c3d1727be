"""Describes several hosts that share the clients of one target, and in what they are not alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dbdyno.database.hosts import take_apart
from dbdyno.errors import RunError
from dbdyno.target.description import ServerDescription

ABSENT = "(not known to this host)"

_OWN_TO_EACH_HOST = re.compile(
    r"aria_log_dir_path|auto_increment_offset|bind_address|listen_addresses"
    r"|wsrep_(node_|sst_receive|cluster_address|start_position|gtid"
    r"|provider_options\.(base_host|base_port|gmcast\.listen_addr|ist\.recv_|gcache\.dir|.*dir))"
)
"""Settings that must differ between servers that share clients or data, and say nothing about
them."""


def describe_hosts(
    urls: Sequence[str], describe: Callable[[str], ServerDescription]
) -> ServerDescription:
    """Return the description of the first host that answers, with what is known of all.

    ``RunError`` where none answers. One that is down is no reason to give a trial up: that clients
    go on without it is what several hosts are for.
    """
    described: dict[str, ServerDescription] = {}
    hosts: list[dict[str, str]] = []
    for url in urls:
        host = take_apart(url).hosts[0]
        try:
            described[host] = describe(url)
        except RunError as error:
            hosts.append({"host": host, "error": str(error)})
            if len(hosts) == len(urls) and not described:
                raise
        else:
            one = described[host]
            hosts.append({"host": host, "product": one.product, "version": one.version})
    first = next(iter(described.values()))
    differences = differing({host: _facts(one) for host, one in described.items()})
    return replace(first, hosts=hosts, host_differences=differences)


def _facts(description: ServerDescription) -> dict[str, str]:
    own = {"product": description.product, "version": description.version}
    return {
        name: value
        for name, value in (description.settings | own).items()
        if not _OWN_TO_EACH_HOST.match(name)
    }


def differing(facts: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Return, by name, the facts that are not the same for all hosts."""
    names = sorted({name for known in facts.values() for name in known})
    by_host = {
        name: {host: known.get(name, ABSENT) for host, known in facts.items()} for name in names
    }
    return {name: values for name, values in by_host.items() if len(set(values.values())) > 1}
