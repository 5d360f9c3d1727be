"""Reads a call as pgbench reads it: letters and long names, in any order, and the database."""

from __future__ import annotations

import getopt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbdyno.errors import InputError
from dbdyno.peers.call.options import GivenOptions, whole_number
from dbdyno.peers.pgbench.catalogue import (
    BY_LETTER,
    NEEDS,
    OF_A_RUN,
    ONLY_WITH_INITIALIZE,
    OPTIONS,
)

LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Arguments(GivenOptions):
    """A call: what was given, in its order, and the database where one is named."""

    options = OPTIONS

    database: str

    def integer(self, name: str, at_least: int = 1) -> int:
        """Return a whole number."""
        number = whole_number(self.text(name), at_least, LARGEST)
        if number is None:
            raise wrong(name, self.text(name), f"a whole number from {at_least} to {LARGEST}")
        return number

    def number(self, name: str) -> float:
        """Return a number above zero."""
        text = self.text(name)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value > 0):
            raise wrong(name, text, "a number above 0")
        return value


def read_arguments(words: Sequence[str]) -> Arguments:
    """Read all words; InputError says which one is wrong and what would be right."""
    letters = "".join(
        f"{letter}:" if option.value else letter for letter, option in BY_LETTER.items()
    )
    names = [f"{name}=" if option.value else name for name, option in OPTIONS.items()]
    try:
        pairs, others = getopt.gnu_getopt(list(words), letters, names)
    except getopt.GetoptError as error:
        raise InputError(_wrong_option(error)) from None
    given = [(_name(option), value) for option, value in pairs]
    if len(others) > 1:
        raise InputError(f"too many arguments: {others[1]!r}; a call names one database")
    arguments = Arguments(given, others[0] if others else "")
    _check(arguments)
    return arguments


def wrong(name: str, text: str, expected: str) -> InputError:
    """Return the error about a value."""
    return InputError(f"invalid value of {OPTIONS[name].written}: {text!r} is not {expected}")


def _name(option: str) -> str:
    return option[2:] if option.startswith("--") else BY_LETTER[option[1:]].name


def _wrong_option(error: getopt.GetoptError) -> str:
    from dbdyno.refusal import nearest

    if "not recognized" not in error.msg:
        return error.msg
    near = nearest(error.opt, OPTIONS) if len(error.opt) > 1 else None
    dashes = "-" if len(error.opt) == 1 else "--"
    hint = f"did you mean --{near}?" if near else "dbdyno pgbench --help lists all"
    return f"invalid option {dashes}{error.opt}; {hint}"


def _check(arguments: Arguments) -> None:
    given: Mapping[str, str] = dict(arguments.given)
    for name, value in given.items():
        if reason := OPTIONS[name].refusal:
            raise InputError(f"{OPTIONS[name].written} {value} is not supported: {reason}")
    if arguments.has("initialize"):
        _check_initialization(given)
        return
    for name in ONLY_WITH_INITIALIZE:
        if name in given:
            raise InputError(f"{OPTIONS[name].written} belongs to initialization; add -i")
    for one, other in (("transactions", "time"), ("sampling-rate", "aggregate-interval")):
        if one in given and other in given:
            raise InputError(f"give either --{one} or --{other}, not both")
    for name, needed in NEEDS.items():
        if name in given and needed not in given:
            raise InputError(f"--{name} needs --{needed}")


def _check_initialization(given: Mapping[str, str]) -> None:
    """Refuse what is of a run: somebody may have left -i in the call, which drops tables."""
    for name in given:
        if name in OF_A_RUN:
            raise InputError(
                f"{OPTIONS[name].written} is not used in initialization; leave -i out to run"
            )
