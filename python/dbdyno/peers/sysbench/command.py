"""One call of sysbench's form, from its words to its output."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from dbdyno.errors import InputError, RunError
from dbdyno.peers.sysbench import guide, text
from dbdyno.peers.sysbench.arguments import Arguments, read_arguments
from dbdyno.peers.sysbench.request import Request, read_request
from dbdyno.peers.sysbench.run import run
from dbdyno.peers.sysbench.tables import cleanup, prepare, warmup

Say = Callable[[str], None]

_COMMANDS: dict[str, Callable[[Request, Say], None]] = {
    "prepare": prepare,
    "warmup": warmup,
    "prewarm": warmup,
    "cleanup": cleanup,
}


def call(words: Sequence[str], say: Say, warn: Say) -> bool:
    """Carry out what the words ask for; ``InputError`` where they are wrong.

    False where the server refuses: its words are then in the output, where sysbench has them.
    """
    arguments = read_arguments(words)
    if arguments.switch("help") or not words:
        say(guide.general())
    elif arguments.switch("version"):
        say(text.version() + "\n")
    elif arguments.command == "help":
        say(guide.of_script(arguments.script))
    else:
        return _carry_out(arguments, say, warn)
    return True


def _carry_out(arguments: Arguments, say: Say, warn: Say) -> bool:
    if not arguments.command:
        raise InputError(f"a command is missing; known: {', '.join([*_COMMANDS, 'run', 'help'])}")
    request = read_request(arguments)
    for warning in () if request.shown.json or request.shown.quiet else request.address.warnings:
        say(f"WARNING: {warning}\n")
    try:
        if arguments.command == "run":
            run(request, say, warn)
        else:
            _COMMANDS[arguments.command](request, say)
    except InputError as error:
        raise InputError(_in_options(str(error))) from error
    except RunError as error:
        say(f"FATAL: {error}\n")
        return False
    return True


_FIELD = re.compile(r"^(?:workload\.sysbench\.(\w+)|(retry\.errors))\b")


def _in_options(message: str) -> str:
    """Return what is said of a plan's field as said of the option that it comes from."""

    def option(field: re.Match[str]) -> str:
        return f"--{field[1].replace('_', '-')}" if field[1] else "--mysql-ignore-errors"

    return _FIELD.sub(option, message)
