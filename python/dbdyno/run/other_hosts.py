"""What is known of the other hosts of a campaign, looked up once, before its first trial."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from dbdyno.errors import RunError
from dbdyno.experiment.file.watch import Watch
from dbdyno.facts.host import OtherHost
from dbdyno.watch.facts.remote import remote_facts

AT_ONCE = 16


def other_hosts(
    watch: Watch,
    of_generators: Mapping[str, OtherHost],
    stored: Mapping[str, OtherHost],
    warn: Callable[[str], None],
) -> dict[str, OtherHost]:
    """Return the hosts of generators and those that are watched; ``warn`` is told what is missing.

    What an earlier run of the campaign has stored stays. ``of_generators`` is told by agents.
    """
    watched = () if watch.host == "none" else watch.hosts
    unknown = [
        host
        for host in watched
        if host not in of_generators and (host not in stored or stored[host].facts is None)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = dict(zip(unknown, pool.map(lambda host: _ask(watch, host), unknown), strict=True))
    for host, known in told.items():
        if known.reason is not None:
            warn(f"the facts of host {host} are not known: {known.reason}")
    kept = {host: known for host, known in stored.items() if known.facts is not None}
    return {**of_generators, **told, **kept}


def _ask(watch: Watch, host: str) -> OtherHost:
    command = [*shlex.split(watch.ssh), host, f"{shlex.quote(watch.python)} -m dbdyno.watch.facts"]
    try:
        return OtherHost(use="watched", facts=remote_facts(command))
    except RunError as error:
        return OtherHost(use="watched", reason=str(error))
