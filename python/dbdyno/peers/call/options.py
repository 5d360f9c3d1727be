"""An option of another tool's command, as a table of them has it.

An option that cannot be honoured has a ``refusal``: to give it is an error that says why. One that
does nothing here has ``no_effect``: to give it is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dbdyno.protocol.waiting import AUTO


@dataclass(frozen=True)
class Option:
    """One option, by its name, which may be a letter, or by its name and a letter."""

    name: str
    value: str
    """What its value is called in the help; a switch has none."""
    text: str
    default: str = ""
    refusal: str = ""
    no_effect: str = ""
    letter: str = ""

    @property
    def written(self) -> str:
        """As it is written in a call."""
        name = f"-{self.name}" if len(self.name) == 1 else f"--{self.name}"
        return f"-{self.letter}, {name}" if self.letter else name

    @property
    def about(self) -> str:
        """What the help says of it."""
        if self.refusal:
            return f"refused: {self.refusal}"
        if self.no_effect:
            return f"no effect: {self.no_effect}"
        return f"{self.text} [{self.default}]" if self.default else self.text


@dataclass(frozen=True)
class GivenOptions:
    """The options of a call in their order, by their long names; each command has its table."""

    options: ClassVar[Mapping[str, Option]]

    given: Sequence[tuple[str, str]]
    """Long names with their values."""

    def has(self, name: str) -> bool:
        """Return whether an option was given."""
        return bool(self.values(name))

    def values(self, name: str) -> list[str]:
        """Return all values that an option was given."""
        return [value for given, value in self.given if given == name]

    def text(self, name: str) -> str:
        """Return the last value of an option, or its default."""
        values = self.values(name)
        return values[-1] if values else self.options[name].default

    def warnings(self) -> Iterator[str]:
        """Yield what has no effect, each with the reason."""
        for name in dict(self.given):
            if reason := self.options[name].no_effect:
                yield f"{self.options[name].written} has no effect: {reason}"


SENDING = (
    Option(
        "workers",
        "N",
        "dbdyno's own: threads that send; without it, as many as are best beside the server",
    ),
    Option(
        "wait",
        "WAY",
        "dbdyno's own: how they wait for answers: auto, sleep, priority, nap, spin, or 50us",
        AUTO,
    ),
    Option("verbose", "", "dbdyno's own: say how many threads send, how they wait, and why"),
)
"""``auto`` goes by where the server runs."""


def whole_number(text: str, at_least: int, at_most: int) -> int | None:
    """Return a number of digits alone; None where it is none, or outside its bounds."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(at_most))
    return int(text) if is_number and at_least <= int(text) <= at_most else None
