"""Asks a server of the MySQL family what it is and how it is set."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno._native import Session

_PRODUCTS = ("MariaDB", "TiDB", "GreatSQL", "Percona", "OceanBase")
"""Found in the version or in its comment; what names none of them is MySQL."""

_OWN_TO_EACH_SERVER = ("hostname", "port", "report_port", "server_uid", "server_uuid")
"""Differ between any two servers and say nothing about either."""


def product_and_version(session: Session) -> tuple[str, str]:
    """Return the server's name, and its version in its own words."""
    rows = session.query("SELECT VERSION(), @@version_comment")
    version, comment = (text or "" for text in rows[0])
    told = f"{version} {comment}".lower()
    return next((name for name in _PRODUCTS if name.lower() in told), "MySQL"), version


def effective_settings(session: Session) -> dict[str, str]:
    """Return all global variables."""
    rows = session.query("SHOW GLOBAL VARIABLES")
    return {name.lower(): value or "" for name, value in rows if name is not None}


def comparable_settings(settings: Mapping[str, str], directory: str | None) -> dict[str, str]:
    """Return settings without what must differ between servers that are set alike.

    ``directory`` is where a private server keeps everything; it is shown as ``.``.
    """
    return {
        name: value.replace(directory, ".") if directory else value
        for name, value in settings.items()
        if name not in _OWN_TO_EACH_SERVER
    }
