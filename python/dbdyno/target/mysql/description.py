"""Asks a server of the MySQL family what it is and how it is set."""

from __future__ import annotations

from dbdyno._native import Session
from dbdyno.target.description import (
    ServerComponent,
    ServerDescription,
    comparable_settings,
)
from dbdyno.target.durability import mysql_durability

_PRODUCTS = ("MariaDB", "TiDB", "GreatSQL", "Percona", "OceanBase")
"""Found in the version or in its comment; what names none of them is MySQL."""

_OWN_TO_EACH_SERVER = ("hostname", "port", "report_port", "server_uid", "server_uuid")
"""Differ between any two servers and say nothing about either."""


_GALERA_OPTIONS = "wsrep_provider_options"

_BUILD = ("version_compile_os", "version_compile_machine", "version_source_revision")
"""Settings that tell for which system a server was made, and of which source."""

_PLUGINS = (
    "SELECT plugin_name, plugin_type, plugin_version, plugin_library "
    "FROM information_schema.plugins WHERE plugin_status = 'ACTIVE' ORDER BY 1, 2"
)

_OF_OUR_SESSIONS = (
    *("completion_type", "max_execution_time", "sql_big_selects", "sql_mode", "sql_safe_updates"),
    "sql_select_limit",
)
"""What a session lifts for questions of ours (``crates/driver/src/mysql/lifted.rs``)."""
_CHOSEN_SETTINGS = {
    "MariaDB": "SELECT variable_name FROM information_schema.system_variables "
    "WHERE global_value_origin NOT IN ('COMPILE-TIME', 'AUTO')",
    # It tells of the session that asks, too, and of what the server itself sets for a moment.
    "MySQL": "SELECT variable_name FROM performance_schema.variables_info "
    "WHERE variable_source <> 'COMPILED' AND NOT (variable_source = 'DYNAMIC' AND "
    "(set_user IS NULL OR (set_user = SUBSTRING_INDEX(USER(), '@', 1) AND "
    f"variable_name IN ({', '.join(map(repr, _OF_OUR_SESSIONS))}))))",
}
"""Asks for the settings that differ from what the program was compiled with because of somebody."""


def describe_mysql(session: Session, directory: str | None = None) -> ServerDescription:
    """Return what the server says; ``directory`` is where a private one keeps everything."""
    product, version, comment = _product_and_version(session)
    settings = effective_settings(session)
    character_set, collation = _character_set_and_collation(session)
    return ServerDescription(
        product=product,
        version=version,
        settings=comparable_settings(taken_apart(settings), _OWN_TO_EACH_SERVER, directory),
        durability=mysql_durability(settings, product),
        chosen_settings=_chosen_settings(session, product),
        version_comment=comment or None,
        build=" ".join(settings[name] for name in _BUILD if settings.get(name)) or None,
        components=_plugins(session),
        character_set=character_set,
        collation=collation,
        data_directory=settings.get("datadir"),
    )


def _product_and_version(session: Session) -> tuple[str, str, str]:
    """Return the server's name, and its version and what it adds to that in its own words."""
    rows = session.query("SELECT VERSION(), @@version_comment")
    version, comment = (text or "" for text in rows[0])
    told = f"{version} {comment}".lower()
    return next((name for name in _PRODUCTS if name.lower() in told), "MySQL"), version, comment


def taken_apart(settings: dict[str, str]) -> dict[str, str]:
    """Return Galera's options, fifty in one setting, each as a setting of its own."""
    others = {name: value for name, value in settings.items() if name != _GALERA_OPTIONS}
    options = (part.partition("=") for part in settings.get(_GALERA_OPTIONS, "").split(";"))
    return others | {
        f"{_GALERA_OPTIONS}.{name.strip()}": value.strip()
        for name, equals, value in options
        if equals
    }


def _chosen_settings(session: Session, product: str) -> list[str] | None:
    """Return the names of what was set by somebody; None where the server does not tell."""
    try:
        rows = session.query(_CHOSEN_SETTINGS.get(product, _CHOSEN_SETTINGS["MySQL"]))
    except RuntimeError:
        return None
    return sorted(name.lower() for (name,) in rows if name is not None)


def _character_set_and_collation(session: Session) -> tuple[str | None, str | None]:
    """Return those that tables of this database have unless they are made otherwise."""
    try:
        rows = session.query("SELECT @@character_set_database, @@collation_database")
    except RuntimeError:
        return None, None
    return rows[0][0], rows[0][1]


def _plugins(session: Session) -> tuple[ServerComponent, ...]:
    """Return what is loaded and at work, storage engines too; nothing where it is not told."""
    try:
        rows = session.query(_PLUGINS)
    except RuntimeError:
        return ()
    return tuple(
        ServerComponent(name or "", (kind or "").lower(), version or "", library)
        for name, kind, version, library in rows
    )


def effective_settings(session: Session) -> dict[str, str]:
    """Return all global variables."""
    rows = session.query("SHOW GLOBAL VARIABLES")
    return {name.lower(): value or "" for name, value in rows if name is not None}
