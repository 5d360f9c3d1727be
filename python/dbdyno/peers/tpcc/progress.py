"""Shows how far a load is: one line drawn anew on a terminal, now and then a line in a pipe."""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.peers.call.words import clock
from dbdyno.peers.tpcc.load import Loaded, Loading

PIPE_EVERY_S = 10.0
ERASE_LINE = "\r\x1b[K"


class LoadProgress:
    """Takes what a load tells."""

    def __init__(self, say: Callable[[str], None], *, is_terminal: bool, indent: str = "") -> None:
        self._say = say
        self._is_terminal = is_terminal
        self._indent = indent
        self._said_s = 0.0

    def tell(self, loading: Loading) -> None:
        """Show it, where it is time to."""
        line = self._indent + describe(loading)
        if self._is_terminal:
            self._say(ERASE_LINE + line)
        elif loading.elapsed_s - self._said_s >= PIPE_EVERY_S:
            self._said_s = loading.elapsed_s
            self._say(line + "\n")

    def done(self) -> None:
        """Leave an empty line to whoever prints next."""
        if self._is_terminal:
            self._say(ERASE_LINE)


def describe(loading: Loading) -> str:
    """Return ``1,200,000 of 5,090,110 rows (24 %), 310,000 rows/s, about 0:13 left``."""
    share = 100 * loading.rows / max(1, loading.rows_total)
    text = f"{loading.rows:,} of about {loading.rows_total:,} rows ({share:.0f} %)"
    if loading.left_s is None:
        return text
    if loading.rows >= loading.rows_total:
        return f"{text}; indexes and keys"
    return f"{text}, {loading.rows_per_s:,.0f} rows/s, about {clock(loading.left_s)} left"


def describe_loaded(loaded: Loaded) -> str:
    """Return a whole load in words."""
    resumed = f", {loaded.resumed_rows:,} of them by an earlier load" if loaded.resumed_rows else ""
    return (
        f"{loaded.rows:,} rows{resumed} in {loaded.elapsed_s:.1f} s: {loaded.rows_s:.1f} s for "
        f"rows ({loaded.rows_per_s:,.0f} rows/s) and {loaded.index_s:.1f} s for indexes and keys"
    )
