"""Asks a PostgreSQL server what it is and how it is set."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno._native import Session
from dbdyno.target.description import (
    ServerComponent,
    ServerDescription,
    comparable_settings,
)
from dbdyno.target.durability import postgres_durability
from dbdyno.target.postgresql.readback import shown_settings

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


_LIBRARY_SETTINGS = (
    "shared_preload_libraries",
    "session_preload_libraries",
    "local_preload_libraries",
)

CHOSEN_AT_INITDB = frozenset({"data_checksums", "server_encoding", "wal_segment_size"})
"""Somebody chose them with the data directory; the server does not tell them from its defaults."""


def describe_postgres(session: Session, directory: str | None = None) -> ServerDescription:
    """Return what the server says; ``directory`` is where a private one keeps everything."""
    settings = {name: setting.shown for name, setting in shown_settings(session).items()}
    build, character_set, collation = _build_and_collation(session)
    return ServerDescription(
        product="PostgreSQL",
        version=settings["server_version"],
        settings=comparable_settings(settings, _OWN_TO_EACH_SERVER, directory),
        durability=postgres_durability(settings),
        chosen_settings=_chosen_settings(session),
        build=build,
        components=(*_extensions(session), *_libraries(settings)),
        character_set=character_set,
        collation=collation,
        data_directory=settings.get("data_directory") or None,
    )


def _build_and_collation(session: Session) -> tuple[str | None, str | None, str | None]:
    """Return what the program says of itself, and how the database keeps and orders texts."""
    try:
        rows = session.query(
            "SELECT version(), pg_encoding_to_char(encoding), datcollate FROM pg_database "
            "WHERE datname = current_database()"
        )
    except RuntimeError:
        return None, None, None
    return rows[0][0], rows[0][1], rows[0][2]


def _extensions(session: Session) -> list[ServerComponent]:
    """Return the extensions of this database; nothing where it is not told."""
    try:
        rows = session.query("SELECT extname, extversion FROM pg_extension ORDER BY 1")
    except RuntimeError:
        return []
    return [ServerComponent(name or "", "extension", version or "", name) for name, version in rows]


def _libraries(settings: Mapping[str, str]) -> list[ServerComponent]:
    """Return the libraries that were loaded with the server, or are with each session."""
    names = (
        name.strip().strip('"')
        for setting in _LIBRARY_SETTINGS
        for name in settings.get(setting, "").split(",")
    )
    return [ServerComponent(name, "library", library=name) for name in names if name]


def _chosen_settings(session: Session) -> list[str]:
    """Return the names of what was set by somebody.

    ``override`` is what the server sets itself, and ``client`` what this connection has asked for.
    """
    rows = session.query(
        "SELECT name FROM pg_settings WHERE source NOT IN ('default', 'override', 'client')"
    )
    return sorted({name.lower() for (name,) in rows if name is not None} | CHOSEN_AT_INITDB)
