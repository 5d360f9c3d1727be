"""Check the URL of a server that is already up, as far as that can be done without it."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from dbdyno.database.hosts import check_hosts, host_names, is_socket, take_apart
from dbdyno.password import split_password
from dbdyno.refusal import refusal, suggest

FORMS = {
    "mysql": "mysql://user@host:3306/database",
    "postgresql": "postgresql://user@host:5432/database",
    "sqlite": "sqlite:///path/to/file.db",
}
SYNONYMS = {"mariadb": "mysql", "postgres": "postgresql"}
DEFAULT_PORTS = {"mysql": 3306, "postgresql": 5432}

_BEFORE_PATH = re.compile(r"[^/?#]*")


def check_url(text: str) -> str:
    """Return the URL unchanged; a refusal repeats no part of it that may be one of a password."""
    try:
        # With one host: parsers know no more, and some take several for a broken address.
        parts = take_apart(text)
        url = urlsplit(parts.with_hosts(parts.hosts[:1]))
    except ValueError:
        *others, last = FORMS.values()
        raise refusal(f"is not a URL; write {', '.join(others)} or {last}") from None
    if url.password is not None or split_password(text)[1] is not None:
        raise refusal(
            "holds a password, and an experiment file is copied into every result; "
            "take it out and set the environment variable DBDYNO_PASSWORD, or one that "
            "password_env names"
        )
    kind = database_kind(url.scheme)
    if kind not in FORMS:
        raise refusal(f"unknown scheme {url.scheme!r}; {suggest(url.scheme, FORMS)}")
    if not text.startswith(url.scheme):
        raise refusal(f"write the scheme in small letters: {url.scheme}://")
    if kind == "sqlite":
        _check_sqlite(url)
    else:
        _check_network(text, url, FORMS[kind])
        check_hosts(text, default_port=DEFAULT_PORTS[kind])
    return text


def database_kind(scheme: str) -> str:
    """Return whose servers a URL of this scheme leads to, as a target is called."""
    return SYNONYMS.get(scheme, scheme)


def database_of_url(url: str) -> str:
    """Return the same for a whole URL, also where it names several hosts."""
    return database_kind(url.partition(":")[0])


def tcp_servers(url: str) -> tuple[str, ...]:
    """Return ``host:port`` of the servers that a URL leads to over TCP."""
    kind = database_of_url(url)
    if kind not in DEFAULT_PORTS or is_socket(url):
        return ()
    return host_names(url, default_port=DEFAULT_PORTS[kind])


def _check_network(text: str, url: SplitResult, form: str) -> None:
    _, separator, rest = text.partition("://")
    if not separator:
        raise refusal(f"has no // behind the scheme; write {form}")
    if "@" in _BEFORE_PATH.sub("", rest, count=1):
        # What seems to be a port or a path is a part of the password then.
        raise refusal(
            "has an @ behind the host; in user and password write / as %2F, ? as %3F, # as %23, "
            "@ as %40 and % as %25"
        )
    if not url.path.strip("/"):
        raise refusal(f"names no database; write {form}")


def _check_sqlite(url: SplitResult) -> None:
    if url.netloc or not url.path.strip("/"):
        raise refusal(f"names no file; write {FORMS['sqlite']}, with three slashes")
