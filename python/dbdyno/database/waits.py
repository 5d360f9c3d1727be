"""Says what is waited for of a server outside of a load, and how long that may take.

It is said after some seconds, and then whenever twice as much time has passed: on standard error,
or among what a run says of its progress.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FIRST_WORD_S = 5.0
SHOWN_CHARACTERS = 60
"""So much of a statement is shown."""

STATEMENT_LIMIT_S = 600.0
"""An administrative statement may take so long (``crates/trial/src/session.rs``)."""

_LITERAL = re.compile(r"['\"$\\]|\bPASSWORD\b|\bIDENTIFIED\b", re.I)

Say = Callable[[str], None]


def _to_standard_error(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


_say: Say = _to_standard_error


@contextmanager
def waits_said_to(say: Say) -> Iterator[None]:
    """Hand to ``say`` what is waited for while the block runs."""
    global _say  # noqa: PLW0603 - sessions are opened everywhere, and a process has one run
    before, _say = _say, say
    try:
        yield
    finally:
        _say = before


def say_statement_wait(url: str, sql: str, elapsed_s: float) -> None:
    """Say for which statement a session waits; nothing of those that threads send in a load."""
    if threading.current_thread() is threading.main_thread():
        _say(_in_words(f"{url}: waiting for {_shown(sql)}", elapsed_s, STATEMENT_LIMIT_S))


def _shown(sql: str) -> str:
    """Return the beginning of a statement: no literal, which may be a password."""
    text = " ".join(_LITERAL.split(sql)[0].split())
    is_whole = text == " ".join(sql.split()) and len(text) <= SHOWN_CHARACTERS
    return text if is_whole else f"{text[:SHOWN_CHARACTERS].rstrip()} …"


class LongWait:
    """A wait that is looked at now and then, and said to be long where it is."""

    def __init__(self, url: str, doing: str, limit_s: float) -> None:
        """Begin; ``doing`` is what the server does, ``limit_s`` the most that may take."""
        self._url = url
        self._limit_s = limit_s
        self.restart(doing)

    def restart(self, doing: str) -> None:
        """Begin anew: something has happened."""
        self._doing = doing
        self._start_s = time.monotonic()
        self._next_word_s = FIRST_WORD_S

    def look(self) -> None:
        """Say what is waited for, if it is time."""
        elapsed_s = time.monotonic() - self._start_s
        if elapsed_s >= self._next_word_s:
            self._next_word_s *= 2
            _say(_in_words(f"{self._url}: waiting for {self._doing}", elapsed_s, self._limit_s))


def _in_words(what: str, elapsed_s: float, limit_s: float) -> str:
    return f"{what}, {elapsed_s:.0f} s so far; it is given up after {limit_s:,.0f} s"
