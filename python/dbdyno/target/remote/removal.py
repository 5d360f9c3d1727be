"""Removes what a run has left on other hosts, when nobody needs it any more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from dbdyno.errors import DbdynoError
from dbdyno.experiment.file.cluster import ClusterTarget
from dbdyno.target.remote.connection import Connection
from dbdyno.target.remote.language import Invitation
from dbdyno.target.remote.site import Site, sites_of

AT_ONCE = 16


def remove_elsewhere(
    targets: Iterable[ClusterTarget], run: str, warn: Callable[[str], None]
) -> None:
    """Remove all files of a run on other hosts; ``warn`` is told where that is not possible."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for reason in pool.map(_why_left, sites_of(targets, run)):
            if reason is not None:
                warn(f"files of this run could not be removed: {reason}")


def _why_left(site: Site) -> str | None:
    invitation = Invitation(run=site.run, directory=site.directory)
    try:
        with closing(Connection(site.way, invitation)) as connection:
            connection.maker()
            connection.call("remove_run")
    except DbdynoError as error:
        return str(error)
    return None
