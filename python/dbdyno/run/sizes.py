"""The sizes of a trial's tables, as facts that are stored with it.

They are facts beside the measurement: what is not known never fails a trial, its reason is stored.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from dbdyno.errors import DbdynoError
from dbdyno.experiment.kinds import WorkloadPlan
from dbdyno.experiment.url import database_kind
from dbdyno.server import Server
from dbdyno.server.session import open_session
from dbdyno.size import logical_size, size_on_disk, tables_of


def disk_facts(server: Server, workload: WorkloadPlan) -> dict[str, Any]:
    """Return what the tables take on disk now, and the whole directory where it is ours."""
    size = size_on_disk(
        lambda: open_session(server.url, server.password), _database(server), tables_of(workload)
    )
    return size.to_dict() | {"directory_bytes": _directory_bytes(server)}


def logical_facts(server: Server, workload: WorkloadPlan) -> dict[str, Any]:
    """Return the logical size of the tables, which are read for it, the large ones in part."""
    size = logical_size(
        lambda: open_session(server.url, server.password), _database(server), tables_of(workload)
    )
    return size.to_dict()


def _directory_bytes(server: Server) -> int | None:
    try:
        return server.directory_bytes()
    except DbdynoError:
        return None


def _database(server: Server) -> str:
    return database_kind(urlsplit(server.host_urls[0]).scheme)
