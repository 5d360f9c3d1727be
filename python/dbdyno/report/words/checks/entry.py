"""What is said of a check whenever it fires."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CheckWords:
    """The words of a check: messages, each a sentence or several.

    ``message`` says what was found, ``consequence`` what that means for the figures ("so what?"),
    in one line, and ``advice`` what to do about it.
    """

    message: str
    consequence: str
    advice: str
