"""Reads a call as sysbench reads it: options anywhere, ``-`` or ``_``, a file of options."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.peers.sysbench.catalogue import COMMANDS, OPTIONS, SCRIPTS, TABLES_ALONE, Kind, Option
from dbdyno.peers.sysbench.stock import is_stock
from dbdyno.refusal import nearest, suggest

SUFFIXES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LARGEST = 2**63 - 1
"""The largest number that every reader of a plan takes."""
_VALUE = re.compile(r"""\s*(?:"([^"]*)".*|'([^']*)'.*|#.*|(?!["'#])(\S*).*)""", re.S)
SWITCHES = {"on": True, "off": False, "true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class Arguments:
    """A call: script and command, and the values of all options, with defaults where none is given.

    Values are read when they are asked for; InputError names the option of a value that is wrong.
    """

    script: str
    command: str
    values: Mapping[str, str]
    given: frozenset[str]

    def text(self, name: str) -> str:
        """Return a value as it is."""
        return self.values[name]

    def texts(self, name: str) -> list[str]:
        """Return the parts of a list; an empty value is an empty list."""
        return [part.strip() for part in self.values[name].split(",") if part.strip()]

    def integer(self, name: str) -> int:
        """Return a whole number of 0 or more."""
        return _integer(name, self.values[name])

    def number(self, name: str) -> float:
        """Return a number, and a finite one."""
        try:
            value = float(self.values[name])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise _wrong(name, self.values[name], "a number")
        return value

    def switch(self, name: str) -> bool:
        """Return whether a switch is on."""
        value = self.values[name].lower()
        if value not in SWITCHES:
            raise _wrong(name, self.values[name], "on or off")
        return SWITCHES[value]

    def value(self, option: Option) -> int | float | bool | str:
        """Return the value of an option as its kind has it."""
        if option.kind is Kind.INTEGER:
            return self.integer(option.name)
        if option.kind is Kind.NUMBER:
            return self.number(option.name)
        return self.switch(option.name) if option.kind is Kind.SWITCH else self.text(option.name)

    def integers(self, name: str) -> list[int]:
        """Return the parts of a list, each a whole number."""
        return [_integer(name, part) for part in self.texts(name)]


def read_arguments(words: Sequence[str]) -> Arguments:
    """Read all words of a call; InputError says which one is wrong and what would be right."""
    given, others = _take_apart(words)
    if "config-file" in given:
        given = _read_file(Path(given["config-file"])) | given
    _refuse(given)
    if given.get("test"):
        others = [given["test"], *others]
    script, command = _script_and_command(others)
    values = {name: option.default for name, option in OPTIONS.items()} | given
    return Arguments(script, command, values, frozenset(given))


def _take_apart(words: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options that are given, under their names of today, and all other words."""
    given: dict[str, str] = {}
    others: list[str] = []
    for word in words:
        if not word.startswith("--"):
            if word.startswith("-"):
                # What follows may be a password, as in MySQL's own -pPASSWORD.
                raise InputError(f"invalid option: {word[:2]}; options are written --NAME=VALUE")
            others.append(word)
            continue
        name, equals, value = word.removeprefix("--").partition("=")
        option = _find(name)
        if not equals and option.kind is not Kind.SWITCH:
            raise InputError(f"--{name} has no value; write --{name}=VALUE, without a blank")
        given[option.alias_of or option.name] = value if equals else "on"
    return given, others


def _find(name: str, where: str = "") -> Option:
    known = name.replace("_", "-")
    if known not in OPTIONS:
        near = nearest(known, OPTIONS)
        hint = f"did you mean --{near}?" if near else "dbdyno sysbench --help lists all"
        raise InputError(f"{where}invalid option: --{name}; {hint}")
    return OPTIONS[known]


def _read_file(path: Path) -> dict[str, str]:
    """Read ``name=value`` lines; blank ones and those that begin with ``#`` say nothing."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"--config-file: {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--config-file: {path} is not text in UTF-8; save it as UTF-8") from error
    given: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        content = line.strip().removeprefix("--")
        if content and not content.startswith("#"):
            name, equals, value = content.partition("=")
            # Behind a blank there may be the value, which may be a password.
            name = name.split()[0] if name.split() else ""
            where = f"{path}:{number}: "
            option = _find(name, where)
            if not equals and option.kind is not Kind.SWITCH:
                raise InputError(f"{where}{name} has no value; write {name}=VALUE")
            given[option.alias_of or option.name] = _value(value, where) if equals else "on"
    return given


def _value(written: str, where: str) -> str:
    """Return a value without its quotes, or up to a blank, as sysbench reads it.

    ``#`` begins a comment where a value could begin, and is a letter like others in one.
    """
    found = _VALUE.fullmatch(written)
    if found is None:
        raise InputError(f"{where}a quote has no end; write the same quote behind the value")
    return found[1] or found[2] or found[3] or ""


def _refuse(given: Mapping[str, str]) -> None:
    for name, value in given.items():
        option = OPTIONS[name]
        if option.refusal is not None and value.lower() != option.default.lower():
            raise InputError(f"--{name}={value} cannot be honoured: {option.refusal}")


def _script_and_command(words: Sequence[str]) -> tuple[str, str]:
    if len(words) > 2:
        raise InputError(
            f"one word too many: {words[2]!r}; a call has a script and a command, and the value of "
            "an option is written behind =, without a blank"
        )
    script, command = (*words, "", "")[:2]
    if script:
        script = _script(script)
    if (script, command) == (TABLES_ALONE, "run"):
        raise InputError(
            f"{TABLES_ALONE} makes tables and runs nothing; name the script that is to run, such "
            "as oltp_read_write"
        )
    if command and command not in COMMANDS:
        raise InputError(f"unknown command: {command!r}; {suggest(command, COMMANDS)}")
    return script, command


def _script(word: str) -> str:
    """Return the name of a script, which may be given as the file that sysbench ships."""
    path = Path(word)
    name = path.name.removesuffix(".lua")
    is_file = word.endswith(".lua") or "/" in word
    known_names = (*SCRIPTS, TABLES_ALONE)
    if name not in known_names and is_file:
        known = ", ".join(SCRIPTS)
        raise InputError(
            f"{word}: scripts in Lua are not run; write it as the workload sql (known: {known})"
        )
    if name not in known_names:
        raise InputError(f"no script {word!r}; {suggest(word, known_names)}")
    if is_file and ("/" in word or path.exists()):
        _require_stock(path, name)
    return name


def _require_stock(path: Path, name: str) -> None:
    """Refuse a file that does something else than the script of dbdyno's own with its name."""
    try:
        if is_stock(path):
            return
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    raise InputError(
        f"{path} is not the script that sysbench 1.0.20 ships, and scripts in Lua are not run; "
        f"write {name} for dbdyno's own, or your changes as the workload sql"
    )


def _integer(name: str, text: str) -> int:
    digits, factor = text, 1
    if text[-1:].upper() in SUFFIXES:
        digits, factor = text[:-1], SUFFIXES[text[-1].upper()]
    if not (digits.isascii() and digits.isdecimal()):
        raise _wrong(name, text, "a whole number")
    # More digits than the largest number has are not even converted: Python limits their count.
    value = int(digits) * factor if len(digits) <= len(str(LARGEST)) else LARGEST + 1
    if value > LARGEST:
        raise _wrong(name, text, f"up to {LARGEST}")
    return value


def _wrong(name: str, value: str, expected: str) -> InputError:
    return InputError(f"invalid value of --{name}: {value!r} is not {expected}")
