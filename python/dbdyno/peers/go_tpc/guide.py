"""The help of ``dbdyno go-tpc``."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.peers.call.options import Option
from dbdyno.peers.go_tpc.arguments import TPCC as WORKLOAD
from dbdyno.peers.go_tpc.arguments import Arguments
from dbdyno.peers.go_tpc.catalogue import ABOUT, COMMANDS, GENERAL, OTHER_WORKLOADS, TPCC

INTRODUCTION = f"""\
go-tpc's own command, on dbdyno's engine: TPC-C with go-tpc's flags, its output and its tables.

Usage:
  dbdyno go-tpc {WORKLOAD} COMMAND [FLAG]...
  dbdyno go-tpc version

Flags stand before or behind the command. Of go-tpc's workloads only {WORKLOAD} is here, and not
{", ".join(OTHER_WORKLOADS)}.
"""

DIFFERENCES = """
What is not as there: transactions are the specification's, response times are not cut, a lost
conflict is tried again unless errors are ignored, what is under way at the end is no error, check
checks all twelve conditions and ends with status 1 where one is violated, and the password is shown
nowhere: docs/tpcc-commands.md.
"""


def of(arguments: Arguments) -> str:
    """Return the help of a command, or of all."""
    named = [arguments.command] if arguments.command else list(COMMANDS)
    parts = [INTRODUCTION, f"\nCommands of {WORKLOAD}:\n"]
    parts += _rows((name, ABOUT[name]) for name in COMMANDS)
    parts.append("\nFlags of all workloads:\n")
    parts += _flags(GENERAL)
    if arguments.workload == WORKLOAD:
        parts.append(f"\nFlags of {WORKLOAD}:\n")
        parts += _flags(TPCC)
        for name in named:
            if COMMANDS[name]:
                parts.append(f"\nFlags of {WORKLOAD} {name}:\n")
                parts += _flags(COMMANDS[name])
    else:
        parts.append(f"\ndbdyno go-tpc {WORKLOAD} --help shows the flags of {WORKLOAD}.\n")
    return "".join([*parts, DIFFERENCES])


def _flags(options: Iterable[Option]) -> list[str]:
    return _rows((f"{option.written} {option.value}".rstrip(), option.about) for option in options)


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    listed = list(rows)
    width = max(len(written) for written, _ in listed)
    return [f"  {written:{width}}  {about}\n" for written, about in listed]
