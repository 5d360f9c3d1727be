"""What other users of this machine see of a call in ``ps``: no password."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dbdyno.password import MASK, without_passwords

_IN_WORD = re.compile(r"((?:password|passwd|pwd)\s?=).*", re.IGNORECASE | re.DOTALL)
"""A word ends with its password, whatever stands in that."""

HIDDEN = {
    "tpcc-mysql": {"load", "start"},
    "go-tpc": {"tpcc", "prepare", "run", "cleanup", "check"},
}
"""Commands whose password may be any word: of what follows, only their own commands are shown."""


def hide_passwords(words: Sequence[str]) -> None:
    """Give this process another title where a password is among the words of its call.

    Until then, for the time that Python takes to start, the words can be seen. A password in the
    environment cannot.
    """
    shown = shown_words(words)
    if shown != list(words):
        # Few calls need it.
        from setproctitle import setproctitle

        setproctitle(" ".join(["dbdyno", *shown]))


def shown_words(words: Sequence[str]) -> list[str]:
    """Return the words of a call without their passwords."""
    shown = HIDDEN.get(words[0]) if words else None
    if shown is not None:
        own = [word for word in words[1:] if word in shown]
        return [words[0], *own] + [MASK] * (len(own) < len(words) - 1)
    return [without_passwords(_IN_WORD.sub(rf"\1{MASK}", word)) for word in words]
