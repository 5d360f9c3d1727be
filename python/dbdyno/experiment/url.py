"""Check the URL of a server that is already up, as far as that can be done without it."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from dbdyno.experiment.base import suggest
from dbdyno.experiment.quantity import refusal

FORMS = {
    "mysql": "mysql://user@host:3306/database",
    "postgresql": "postgresql://user@host:5432/database",
    "sqlite": "sqlite:///path/to/file.db",
}
SYNONYMS = {"mariadb": "mysql", "postgres": "postgresql"}
LARGEST_PORT = 65_535


def check_url(text: str) -> str:
    """Return the URL unchanged; a refusal never repeats it, for it might hold a password."""
    try:
        url = urlsplit(text)
    except ValueError:
        *others, last = FORMS.values()
        raise refusal(f"is not a URL; write {', '.join(others)} or {last}") from None
    if url.password is not None:
        raise refusal(
            "holds a password, and an experiment file is copied into every result; "
            "take it out and set the environment variable DBDYNO_PASSWORD"
        )
    kind = database_kind(url.scheme)
    if kind not in FORMS:
        raise refusal(f"unknown scheme {url.scheme!r}; {suggest(url.scheme, FORMS)}")
    if kind == "sqlite":
        _check_sqlite(url)
    else:
        _check_network(url, FORMS[kind])
    return text


def database_kind(scheme: str) -> str:
    """Return whose servers a URL of this scheme leads to, as a target is called."""
    return SYNONYMS.get(scheme, scheme)


def _check_network(url: SplitResult, form: str) -> None:
    if not url.path.strip("/"):
        raise refusal(f"names no database; write {form}")
    for host_and_port in url.netloc.rpartition("@")[2].split(","):
        _, colon, port = host_and_port.rpartition("]")[2].partition(":")
        if colon and not (port.isdecimal() and 1 <= int(port) <= LARGEST_PORT):
            raise refusal(f"{port!r} is not a port; use a number from 1 to {LARGEST_PORT}")


def _check_sqlite(url: SplitResult) -> None:
    if url.netloc or not url.path.strip("/"):
        raise refusal(f"names no file; write {FORMS['sqlite']}, with three slashes")
