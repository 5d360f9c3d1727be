"""Clusters whose servers run on other hosts: network namespaces, each reached by its name."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.live.remote.namespaces import Namespace
from tests.live.run.launch import LIMIT_S
from tests.live.run.stage import Stage

Hosts = tuple[Namespace, Namespace]

WAY = "ip netns exec {host}"


def member(
    hosts: Sequence[Namespace],
    place: Path,
    server: str = "mysql: {}",
    way: str = WAY,
    python: str = sys.executable,
) -> str:
    """Return a role with a server on each of some hosts, as a file has it.

    The hosts share this machine's disk: there ``place`` is where servers keep their files.
    """
    places = ", ".join(f"{{host: {each.name}, address: {each.address}}}" for each in hosts)
    return (
        f"{{{server}, count: {len(hosts)}, hosts: [{places}], ssh: {json.dumps(way)}, "
        f"python: {python}, directory: {place}}}"
    )


def write(stage: Stage, members: str, scheme: str = "mysql", **options: Any) -> None:
    """Write an experiment whose clients connect to the first server of storage."""
    url = f"{scheme}://{{user}}@{{storage}}/{{database}}"
    stage.write(target=f"{{cluster: {{members: {{{members}}}, url: '{url}'}}}}", **options)


def stored(place: Path) -> list[Path]:
    """Return what runs have in a place."""
    return list(place.rglob("servers-*"))


def wait_until_nothing_runs(hosts: Sequence[Namespace]) -> None:
    """Wait for the end of all processes on hosts."""
    deadline_s = time.monotonic() + LIMIT_S
    while running := [process for host in hosts for process in host.processes("")]:
        assert time.monotonic() < deadline_s, running
        time.sleep(0.05)
