"""Check the URL of a server that is already up, as far as that can be done without it."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from dbdyno.experiment.base import suggest
from dbdyno.experiment.hosts import check_hosts, take_apart
from dbdyno.experiment.quantity import refusal

FORMS = {
    "mysql": "mysql://user@host:3306/database",
    "postgresql": "postgresql://user@host:5432/database",
    "sqlite": "sqlite:///path/to/file.db",
}
SYNONYMS = {"mariadb": "mysql", "postgres": "postgresql"}
DEFAULT_PORTS = {"mysql": 3306, "postgresql": 5432}


def check_url(text: str) -> str:
    """Return the URL unchanged; a refusal never repeats it, for it might hold a password."""
    try:
        # With one host: parsers know no more, and some take several for a broken address.
        parts = take_apart(text)
        url = urlsplit(parts.with_hosts(parts.hosts[:1]))
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
        check_hosts(text, default_port=DEFAULT_PORTS[kind])
    return text


def database_kind(scheme: str) -> str:
    """Return whose servers a URL of this scheme leads to, as a target is called."""
    return SYNONYMS.get(scheme, scheme)


def _check_network(url: SplitResult, form: str) -> None:
    if not url.path.strip("/"):
        raise refusal(f"names no database; write {form}")


def _check_sqlite(url: SplitResult) -> None:
    if url.netloc or not url.path.strip("/"):
        raise refusal(f"names no file; write {FORMS['sqlite']}, with three slashes")
