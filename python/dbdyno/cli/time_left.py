"""How long a run will still take, in words."""

from __future__ import annotations

from dbdyno.peers.call.words import clock
from dbdyno.time_left import Left


def in_words(left: Left) -> str:
    """Return ``about 1:05``, or ``at least 1:05`` where it takes longer than was expected."""
    return f"{'at least' if left.is_least else 'about'} {clock(left.duration_s)}"
