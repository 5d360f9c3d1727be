"""The help: for all, and for a script."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.peers.sysbench import text
from dbdyno.peers.sysbench.catalogue import (
    COMMANDS,
    GROUPS,
    SCRIPT,
    SCRIPTS,
    TABLES_ALONE,
    Kind,
    Option,
)

_VALUES = {
    Kind.INTEGER: "=N",
    Kind.NUMBER: "=N",
    Kind.SWITCH: "[=on|off]",
    Kind.TEXT: "=STRING",
    Kind.LIST: "=[LIST,...]",
}


def general() -> str:
    """Return the help of ``--help``."""
    groups = "\n".join(f"{name}:\n{_options(options)}" for name, options in GROUPS.items())
    return (
        "Usage:\n  dbdyno sysbench [options]... SCRIPT COMMAND\n\n"
        f"Commands: {' '.join(COMMANDS)}\n"
        f"Scripts:  {' '.join(SCRIPTS)}\n"
        f"          {TABLES_ALONE} (prepare, warmup and cleanup alone)\n\n"
        f"{groups}\nSee 'dbdyno sysbench SCRIPT help' for the options of a script.\n"
    )


def of_script(script: str) -> str:
    """Return the help of ``SCRIPT help``."""
    return f"{text.version()}\n\n{script} options:\n{_options(SCRIPT)}"


def _options(options: Iterable[Option]) -> str:
    rows = [(f"--{option.name}{_VALUES[option.kind]}", _text(option)) for option in options]
    width = max(len(name) for name, _ in rows)
    return "".join(f"  {name:{width}} {words}\n" for name, words in rows)


def _text(option: Option) -> str:
    if option.alias_of is not None:
        return f"{option.text} of --{option.alias_of}"
    if option.refusal is not None:
        return f"refused: {option.refusal}"
    return f"{option.text} [{option.default}]"
