"""What a server promises about committed transactions, in words."""

from __future__ import annotations

from dbdyno.report.language import message, say

_PROMISES = frozenset(
    {
        message("durable: all that recovery needs is flushed at every commit"),
        message("flushed at every commit, but the binary log is not synced"),
        message("flushed each second"),
        message("flushed at checkpoints"),
        message("none: never flushed"),
    }
)
"""The classes of durability as trials have them."""


def promise(durability: str) -> str:
    """Return a class of durability in the reader's language; anything else as it is."""
    return say(durability) if durability in _PROMISES else durability
