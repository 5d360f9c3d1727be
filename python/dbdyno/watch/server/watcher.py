"""The watchers of a trial's servers, one for each host of its address."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dbdyno.database.url import database_of_url
from dbdyno.resources import SERVER
from dbdyno.watch.series.source import Subject
from dbdyno.watch.series.watcher import Watcher
from dbdyno.watch.server.files import watch_files
from dbdyno.watch.server.source import watch_server


def watch_servers(
    host_urls: Sequence[str], password: str | None, interval_s: float = 1.0
) -> list[Watcher]:
    """Return a watcher for each; each has a connection and a thread of its own."""
    watchers = []
    for number, url in enumerate(host_urls, start=1):
        name = SERVER if len(host_urls) == 1 else f"{SERVER} {number}"
        subject = Subject(SERVER, name)
        if database_of_url(url) == "sqlite":
            watchers.append(
                Watcher(f"{name}'s files", [partial(watch_files, subject, url)], interval_s)
            )
        else:
            sources = partial(watch_server, subject, url, password)
            watchers.append(Watcher(f"{name}'s counters", [sources], interval_s))
    return watchers
