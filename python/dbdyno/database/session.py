"""A connection for administration whose errors are in words for the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial

from dbdyno._native import Session
from dbdyno.database.waits import say_statement_wait
from dbdyno.errors import DbdynoError, InputError, RunError

WITHOUT_TRANSACTIONS = {"aria", "archive", "blackhole", "csv", "memory", "myisam"}
"""Storage engines of MySQL's relatives on which nothing is rolled back."""


def connectors(
    urls: Iterable[str], password: str | None
) -> list[Callable[[], AbstractContextManager[Session]]]:
    """Return for each host what opens a session there."""
    return [partial(open_session, url, password) for url in urls]


@contextmanager
def open_session(url: str, password: str | None) -> Iterator[Session]:
    """Connect over the driver that the load uses too, and close in the end.

    Where a statement takes long, that is said (``waits``).
    """
    try:
        session = Session.connect(url, password, partial(say_statement_wait, url))
    except ValueError as error:
        raise InputError(f"{url}: {error}") from error
    except ConnectionError as error:
        raise RunError(f"cannot connect to {url}: {error}") from error
    try:
        with closing(session):
            yield session
    except RuntimeError as error:
        raise RunError(f"{url} refuses a statement: {error}") from error


def default_engine(url: str, password: str | None) -> str:
    """Return MySQL's default_storage_engine; empty where it is not told.

    A server that is away, and a layer that does not know the question, are left to what comes next.
    """
    with suppress(DbdynoError), open_session(url, password) as session:
        ((engine,),) = session.query("SELECT @@default_storage_engine")
        return engine or ""
    return ""
