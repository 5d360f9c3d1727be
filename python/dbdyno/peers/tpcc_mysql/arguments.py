"""Reads a call as tpcc_load and tpcc_start read it: letters, or words in a fixed order."""

from __future__ import annotations

import getopt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.errors import InputError
from dbdyno.peers.call.options import Option
from dbdyno.peers.tpcc_mysql.catalogue import COMMANDS, LOAD_FORMS, RATIO_WORDS, START_FORM


@dataclass(frozen=True)
class Arguments:
    """A call: values by the letters or names of options, defaults where none is given."""

    command: str
    values: Mapping[str, str]
    given: Sequence[tuple[str, str]]
    """What was given, in the order in which tpcc_start repeats it."""
    ratio: tuple[int, ...] = ()
    is_positional: bool = False
    warnings: tuple[str, ...] = field(default=())

    def text(self, name: str) -> str:
        """Return a value as it is; one that was not given and has no default is empty."""
        return self.values.get(name, "")

    def switch(self, name: str) -> bool:
        """Return whether a switch was given."""
        return name in self.values

    def integer(self, name: str, at_least: int = 0) -> int:
        """Return a whole number."""
        text = self.values[name]
        if not (text.isascii() and text.isdecimal()) or int(text) < at_least:
            # Where a word too few stands before it, this may be the password.
            found = "the word in its place" if self.is_positional else repr(text)
            raise InputError(
                f"{_written(name)}: {found} is not a whole number of {at_least} or more"
            )
        return int(text)


def read_arguments(command: str, words: Sequence[str]) -> Arguments:
    """Read all words behind a command; InputError says which one is wrong, and why."""
    options = COMMANDS[command]
    pairs, others = _take_apart(command, words, options)
    given = {option.lstrip("-"): value for option, value in pairs}
    ratio: tuple[int, ...] = ()
    if others:
        placed, ratio = _place(command, others)
        given = placed | given
    _refuse(options, given)
    defaults = {option.name: option.default for option in options if option.default}
    return Arguments(
        command=command,
        values=defaults | given,
        given=[(option.lstrip("-"), value) for option, value in pairs],
        ratio=ratio,
        is_positional=bool(others),
        warnings=tuple(_warnings(options, given)),
    )


def _take_apart(
    command: str, words: Sequence[str], options: Iterable[Option]
) -> tuple[list[tuple[str, str]], list[str]]:
    letters = "".join(f"{option.name}:" for option in options if len(option.name) == 1)
    names = [
        f"{option.name}=" if option.value else option.name
        for option in options
        if len(option.name) > 1
    ]
    try:
        return getopt.gnu_getopt(list(words), letters, names)
    except getopt.GetoptError as error:
        raise InputError(_wrong_option(command, error.opt, error.msg)) from None


def _wrong_option(command: str, name: str, message: str) -> str:
    from dbdyno.refusal import nearest

    if "requires argument" in message or "must not have" in message:
        return f"tpcc-mysql {command}: {message}"
    names = [option.name for option in COMMANDS[command] if len(option.name) > 1]
    near = nearest(name, names) if len(name) > 1 else None
    other = next((other for other in COMMANDS if other != command), "")
    if any(option.name == name for option in COMMANDS[other]):
        hint = f"it belongs to {other}"
    else:
        hint = (
            f"did you mean --{near}?" if near else f"dbdyno tpcc-mysql {command} --help lists all"
        )
    return f"tpcc-mysql {command}: invalid option {_written(name)}; {hint}"


def _place(command: str, words: Sequence[str]) -> tuple[dict[str, str], tuple[int, ...]]:
    """Name the words of a call without letters; the server may have its port behind a colon."""
    ratio: tuple[int, ...] = ()
    if command == "load":
        form = LOAD_FORMS.get(len(words))
    else:
        form = START_FORM
        if len(words) == len(form) + RATIO_WORDS and all(word.isdecimal() for word in words[-5:]):
            ratio = tuple(map(int, words[-5:]))
            words = words[:-5]
    if form is None or len(words) != len(form):
        raise InputError(
            f"tpcc-mysql {command}: {len(words)} words without a letter before them ({words[0]!r} "
            f"and others); dbdyno tpcc-mysql {command} --help shows the forms"
        )
    placed = dict(zip(form, words, strict=True))
    host, colon, port = placed["h"].partition(":")
    return placed | ({"h": host, "P": port} if colon else {}), ratio


def _refuse(options: Iterable[Option], given: Mapping[str, str]) -> None:
    for option in options:
        if option.refusal and option.name in given:
            raise InputError(
                f"{option.written} {given[option.name]} cannot be honoured: {option.refusal}"
            )


def _warnings(options: Iterable[Option], given: Mapping[str, str]) -> Iterable[str]:
    for option in options:
        if option.no_effect and option.name in given:
            yield f"{option.written} {given[option.name]} has no effect: {option.no_effect}"


def _written(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"
