"""Asks a server of the MySQL family what it is and how it is set."""

from __future__ import annotations

from dbdyno._native import Session
from dbdyno.server.description import ServerDescription, comparable_settings
from dbdyno.server.durability import mysql_durability

_PRODUCTS = ("MariaDB", "TiDB", "GreatSQL", "Percona", "OceanBase")
"""Found in the version or in its comment; what names none of them is MySQL."""

_OWN_TO_EACH_SERVER = ("hostname", "port", "report_port", "server_uid", "server_uuid")
"""Differ between any two servers and say nothing about either."""


def describe_mysql(session: Session, directory: str | None = None) -> ServerDescription:
    """Return what the server says; ``directory`` is where a private one keeps everything."""
    product, version = _product_and_version(session)
    settings = effective_settings(session)
    return ServerDescription(
        product=product,
        version=version,
        settings=comparable_settings(settings, _OWN_TO_EACH_SERVER, directory),
        durability=mysql_durability(settings),
    )


def _product_and_version(session: Session) -> tuple[str, str]:
    """Return the server's name, and its version in its own words."""
    rows = session.query("SELECT VERSION(), @@version_comment")
    version, comment = (text or "" for text in rows[0])
    told = f"{version} {comment}".lower()
    return next((name for name in _PRODUCTS if name.lower() in told), "MySQL"), version


def effective_settings(session: Session) -> dict[str, str]:
    """Return all global variables."""
    rows = session.query("SHOW GLOBAL VARIABLES")
    return {name.lower(): value or "" for name, value in rows if name is not None}
