"""Reads a call as go-tpc reads it: flags before and behind the commands, in all their forms.

No message repeats a word that may be a password: somebody has written it in another's place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno.errors import InputError
from dbdyno.peers.call.options import GivenOptions, Option
from dbdyno.peers.go_tpc.catalogue import (
    BY_LETTER,
    COMMANDS,
    OPTIONS,
    OTHER_WORKLOADS,
    options_of,
)

TPCC = "tpcc"
VERSION = "version"
HELP = "help"
WORKLOADS = (TPCC, *OTHER_WORKLOADS, VERSION, HELP)

SWITCHES = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
"""What Go reads as a truth."""


@dataclass(frozen=True)
class Arguments(GivenOptions):
    """A call: its flags, and its workload and command, empty where none is named.

    A switch that was given has the value true or false.
    """

    options = OPTIONS

    workload: str
    command: str

    def texts(self, name: str) -> list[str]:
        """Return the values of a list, however often it was given."""
        values = self.values(name)
        whole = ",".join(values) if values else OPTIONS[name].default
        return [part.strip() for part in whole.split(",") if part.strip()]

    def switch(self, name: str) -> bool:
        """Return whether a switch is on."""
        return SWITCHES[self.text(name) or "false"]


def read_arguments(words: Sequence[str]) -> Arguments:
    """Read all words; InputError says which one is wrong and what would be right."""
    given, others = _take_apart(words)
    workload, command = _commands(others)
    arguments = Arguments(given, workload, command)
    if command and not arguments.has(HELP):
        _check(arguments)
    return arguments


def _take_apart(words: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    given: list[tuple[str, str]] = []
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            others += rest
        elif word.startswith("--"):
            given.append(_long(word[2:], rest))
        elif word.startswith("-") and len(word) > 1:
            given += _letters(word[1:], rest)
        else:
            others.append(word)
    return given, others


def _long(text: str, rest: Iterator[str]) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    option = OPTIONS.get(name)
    if option is None:
        raise InputError(f"unknown flag: --{name}; {_hint(name)}")
    if not option.value:
        return name, _switch(option, value if equals else "true")
    return name, value if equals else _next(option, rest)


def _letters(letters: str, rest: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield the flags of one word: switches, and one with a value at the end (``-T8``)."""
    while letters:
        option = BY_LETTER.get(letters[0])
        if option is None:
            raise InputError(
                f"unknown shorthand flag: -{letters[0]}; dbdyno go-tpc --help lists all"
            )
        letters = letters[1:]
        if not option.value:
            yield option.name, "true"
            continue
        yield option.name, letters.removeprefix("=") if letters else _next(option, rest)
        return


def _next(option: Option, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise InputError(f"{option.written} needs a value")
    return value


def _switch(option: Option, text: str) -> str:
    if text not in SWITCHES:
        raise InputError(f"{option.written} is a switch: write true, false, or no value")
    return "true" if SWITCHES[text] else "false"


def _hint(name: str) -> str:
    from dbdyno.refusal import nearest

    near = nearest(name, OPTIONS)
    return f"did you mean --{near}?" if near else "dbdyno go-tpc --help lists all"


def _commands(words: Sequence[str]) -> tuple[str, str]:
    """Return workload and command; as there, a beginning that only one of them has is enough."""
    if not words:
        return "", ""
    workload = _whole(words[0], WORKLOADS)
    if workload is None:
        raise InputError(f"unknown workload; only {TPCC} is known, as in go-tpc {TPCC} run")
    if workload in OTHER_WORKLOADS:
        raise InputError(
            f"go-tpc {workload} is not supported: of go-tpc's workloads only {TPCC} is here"
        )
    if workload != TPCC or len(words) == 1:
        return workload, ""
    command = _whole(words[1], COMMANDS)
    if command is None:
        raise InputError(f"unknown command of go-tpc {TPCC}; known: {', '.join(COMMANDS)}")
    if len(words) > 2:
        raise InputError(
            f"there are words behind go-tpc {TPCC} {command} that belong to no flag; every flag "
            "begins with -"
        )
    return workload, command


def _whole(word: str, known: Sequence[str] | dict[str, tuple[Option, ...]]) -> str | None:
    if word in known:
        return word
    found = [name for name in known if word and name.startswith(word)]
    return found[0] if len(found) == 1 else None


def _check(arguments: Arguments) -> None:
    known = {option.name for option in options_of(arguments.command)}
    for name, value in arguments.given:
        option = OPTIONS[name]
        if name not in known:
            owner = next(
                command
                for command, options in COMMANDS.items()
                if name in {each.name for each in options}
            )
            raise InputError(
                f"unknown flag of {arguments.command}: {option.written}; it belongs to {owner}"
            )
        if option.refusal and value != option.default:
            raise InputError(f"{option.written} is not supported: {option.refusal}")
