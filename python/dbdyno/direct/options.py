"""An option of another tool's command, as a table of them has it.

An option that cannot be honoured has a ``refusal``: to give it is an error that says why. One that
does nothing here has ``no_effect``: to give it is a warning.
"""

from __future__ import annotations

from dataclasses import dataclass


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
