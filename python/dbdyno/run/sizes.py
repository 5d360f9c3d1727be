"""The sizes of a trial's tables, as facts that are stored with it.

They are facts beside the measurement: what is not known never fails a trial, its reason is stored.
"""

from __future__ import annotations

from functools import partial

from dbdyno.database.session import open_session
from dbdyno.database.url import database_of_url
from dbdyno.errors import DbdynoError
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.size import (
    Compression,
    DiskSize,
    LogicalSize,
    compression_of,
    logical_size,
    size_on_disk,
    tables_of,
    total_on_disk,
)
from dbdyno.size.asking import Connect
from dbdyno.store import facts
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import directory_bytes


def disk_facts(server: SystemUnderTest, workload: WorkloadPlan) -> facts.DiskSize:
    """Return what the tables take on disk now, and the whole directory where it is ours."""
    try:
        size = _size_on_disk(server, workload)
        files_bytes = directory_bytes(server)
    except DbdynoError as error:
        size, files_bytes = DiskSize(None, reason=str(error)), None
    return facts.DiskSize(**vars(size), directory_bytes=files_bytes)


def _size_on_disk(server: SystemUnderTest, workload: WorkloadPlan) -> DiskSize:
    """Return the size at the server, or at all nodes, whose tables may have names of their own."""
    if not server.nodes:
        return size_on_disk(connect_to(server), database_kind(server), tables_of(workload))
    return total_on_disk(
        [size_on_disk(connect, database, None) for connect, database in connect_to_nodes(server)]
    )


def logical_facts(server: SystemUnderTest, workload: WorkloadPlan) -> facts.LogicalSize:
    """Return the logical size of the tables, which are read for it, the large ones in part."""
    try:
        size = logical_size(connect_to_checks(server), database_kind(server), tables_of(workload))
    except DbdynoError as error:
        size = LogicalSize(None, reason=str(error))
    return facts.LogicalSize(**vars(size))


def compression_facts(server: SystemUnderTest, size: facts.LogicalSize) -> facts.CompressionFacts:
    """Return how far the values can be compressed of tables that have this logical size."""
    try:
        found = compression_of(connect_to_checks(server), database_kind(server), size.tables_bytes)
    except DbdynoError as error:
        found = Compression(reason=str(error))
    return facts.CompressionFacts(**vars(found))


def connect_to_checks(server: SystemUnderTest) -> Connect:
    """Return what opens a session where tables are checked.

    A layer may answer a sum with that of one of its nodes, and give no error.
    """
    return lambda: open_session(server.check_url, server.password)


def connect_to_nodes(server: SystemUnderTest) -> list[tuple[Connect, str]]:
    """Return what opens a session of each server behind a layer, with the kind of its database."""
    return [
        (partial(open_session, url, password), database_of_url(url))
        for url, password in server.nodes
    ]


def connect_to(server: SystemUnderTest) -> Connect:
    """Return what opens a session such as the load's."""
    return lambda: open_session(server.url, server.password)


def database_kind(server: SystemUnderTest) -> str:
    """Return what a server speaks; a server that has ended by itself has no URL to tell it."""
    return database_of_url(server.host_urls[0])
