"""Clusters whose servers run on other hosts: network namespaces, each reached by its name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.live.remote.namespaces import Namespace
from tests.live.run.stage import Stage

WAY = "ip netns exec {host}"


def member(
    hosts: Sequence[Namespace], server: str = "mysql: {}", more: str = "", way: str = WAY
) -> str:
    """Return a role with a server on each of some hosts, as a file has it."""
    places = ", ".join(f"{{host: {each.name}, address: {each.address}}}" for each in hosts)
    return (
        f"{{{server}, count: {len(hosts)}, hosts: [{places}], ssh: '{way}', "
        f"python: {sys.executable}{more}}}"
    )


def cluster(members: str, url: str) -> str:
    """Return a target."""
    return f"{{cluster: {{members: {{{members}}}, url: '{url}'}}}}"


def stored(directory: Path) -> list[Path]:
    """Return what servers on hosts keep beneath a directory."""
    return list(directory.rglob("servers-*"))


def write(stage: Stage, members: str, scheme: str = "mysql", **options: object) -> None:
    """Write an experiment whose clients connect to the first server of storage."""
    url = f"{scheme}://{{user}}@{{storage}}/{{database}}"
    stage.write(target=cluster(members, url), **options)  # type: ignore[arg-type]
