"""Brings a server's caches into the condition that a trial is to begin with, and says how it went.

*Cold*: the server is restarted, and the page cache of its files dropped while it is down. *Warm*:
every row of every table is read. What could not be done is told as a fact of the trial.
"""

from __future__ import annotations

import time
from pathlib import Path

from dbdyno.database.session import open_session
from dbdyno.database.url import database_of_url
from dbdyno.experiment.file.limits import show_bytes
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.size import read_whole, tables_of
from dbdyno.store.facts import CacheFacts
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.local.files import file_errors
from dbdyno.target.local.page_cache import drop_page_cache

DUMPS_OF_CACHES = ("ib_buffer_pool", "autoprewarm.blocks")
"""Files in which servers keep what was in their caches, to fill them again at their next start:
InnoDB's, and that of PostgreSQL's pg_prewarm."""


def drop_caches(folder: Path) -> CacheFacts:
    """Drop what is cached of the files of a server that is down; return what is to be stored."""
    removed = []
    with file_errors(f"remove what fills caches at a start from {folder}"):
        for path in (path for name in DUMPS_OF_CACHES for path in folder.rglob(name)):
            path.unlink()
            removed.append(path.name)
    dropped = drop_page_cache(folder)
    left = (
        f"{show_bytes(dropped.left_bytes)} of its files are still in the page cache: they live in "
        "memory, or something holds them"
    )
    return CacheFacts(
        condition="cold",
        page_cache_bytes=dropped.before_bytes,
        page_cache_left_bytes=dropped.left_bytes,
        dumps_removed=removed,
        reason=left if dropped.left_bytes else None,
    )


def warm_caches(server: SystemUnderTest, workload: WorkloadPlan) -> CacheFacts:
    """Read all tables of a workload once; return what is to be stored, also where that failed."""
    started_s = time.monotonic()
    size = read_whole(
        lambda: open_session(server.url, server.password),
        database_of_url(server.host_urls[0]),
        tables_of(workload),
    )
    return CacheFacts(
        condition="warm",
        rows=size.rows,
        read_bytes=size.size_bytes,
        scan_s=time.monotonic() - started_s,
        reason=size.reason,
    )
