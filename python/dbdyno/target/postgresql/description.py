"""Asks a PostgreSQL server what it is and how it is set."""

from __future__ import annotations

from dbdyno._native import Session
from dbdyno.target.description import ServerDescription, comparable_settings
from dbdyno.target.durability import postgres_durability

_OWN_TO_EACH_SERVER = (
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "port",
    "unix_socket_directories",
    # Computed from other settings, which are there.
    "shared_memory_size",
    "shared_memory_size_in_huge_pages",
)
"""Differ between any two servers, or follow from what else differs, and say nothing more."""


CHOSEN_AT_INITDB = frozenset({"data_checksums", "server_encoding", "wal_segment_size"})
"""Somebody chose them with the data directory; the server does not tell them from its defaults."""


def describe_postgres(session: Session, directory: str | None = None) -> ServerDescription:
    """Return what the server says; ``directory`` is where a private one keeps everything."""
    settings = effective_settings(session)
    return ServerDescription(
        product="PostgreSQL",
        version=settings["server_version"],
        settings=comparable_settings(settings, _OWN_TO_EACH_SERVER, directory),
        durability=postgres_durability(settings),
        chosen_settings=_chosen_settings(session),
    )


def _chosen_settings(session: Session) -> list[str]:
    """Return the names of what was set by somebody.

    ``override`` is what the server sets itself, and ``client`` what this connection has asked for.
    """
    rows = session.query(
        "SELECT name FROM pg_settings WHERE source NOT IN ('default', 'override', 'client')"
    )
    return sorted({name.lower() for (name,) in rows if name is not None} | CHOSEN_AT_INITDB)


def effective_settings(session: Session) -> dict[str, str]:
    """Return all settings as the server shows them, with their units: ``128MB``."""
    rows = session.query("SELECT name, current_setting(name, true) FROM pg_settings")
    return {name.lower(): value or "" for name, value in rows if name is not None}
