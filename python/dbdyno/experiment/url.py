"""Check the URL of a server that is already up, as far as that can be done without it."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from dbdyno.experiment.base import suggest
from dbdyno.experiment.quantity import refusal

MYSQL_FORM = "mysql://user@host:3306/database"
SQLITE_FORM = "sqlite:///path/to/file.db"
LARGEST_PORT = 65_535


def check_url(text: str) -> str:
    """Return the URL unchanged; a refusal never repeats it, for it might hold a password."""
    try:
        url = urlsplit(text)
    except ValueError:
        raise refusal(f"is not a URL; write {MYSQL_FORM} or {SQLITE_FORM}") from None
    if url.password is not None:
        raise refusal(
            "holds a password, and an experiment file is copied into every result; "
            "take it out and set the environment variable DBDYNO_PASSWORD"
        )
    if url.scheme == "mysql":
        _check_mysql(url)
    elif url.scheme == "sqlite":
        _check_sqlite(url)
    elif url.scheme in ("postgresql", "postgres"):
        raise refusal("PostgreSQL is not in this release; use mysql:// or sqlite://")
    else:
        raise refusal(f"unknown scheme {url.scheme!r}; {suggest(url.scheme, ['mysql', 'sqlite'])}")
    return text


def _check_mysql(url: SplitResult) -> None:
    if not url.path.strip("/"):
        raise refusal(f"names no database; write {MYSQL_FORM}")
    for host_and_port in url.netloc.rpartition("@")[2].split(","):
        _, colon, port = host_and_port.rpartition("]")[2].partition(":")
        if colon and not (port.isdecimal() and 1 <= int(port) <= LARGEST_PORT):
            raise refusal(f"{port!r} is not a port; use a number from 1 to {LARGEST_PORT}")


def _check_sqlite(url: SplitResult) -> None:
    if url.netloc or not url.path.strip("/"):
        raise refusal(f"names no file; write {SQLITE_FORM}, with three slashes")
