"""Asks a server for a size; what it does not tell is a reason in words and no error."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from dbdyno._native import Session
from dbdyno.errors import DbdynoError

Connect = Callable[[], AbstractContextManager[Session]]
"""Opens a connection whose errors are ``DbdynoError``."""

Size = TypeVar("Size")


class UnknownSizeError(Exception):
    """A server does not tell a size; the message is the reason in words for the user."""


def ask(connect: Connect, measure: Callable[[Session], Size]) -> Size | str:
    """Return what is measured over a new connection, or the reason why it is not known."""
    try:
        with connect() as session:
            try:
                return measure(session)
            # The server's own words, without the address, which may be another in each trial.
            except (UnknownSizeError, RuntimeError, ConnectionError, OSError) as error:
                return " ".join(str(error).split())
    except DbdynoError as error:
        return str(error)
