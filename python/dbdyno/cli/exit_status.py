"""The exit status of every command, and the one place where errors become one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import IntEnum
from typing import Self

from dbdyno.errors import DbdynoError, InputError


class ExitStatus(IntEnum):
    """What a command says to the shell; ``meaning`` is what that is for all commands."""

    meaning: str

    def __new__(cls, status: int, meaning: str) -> Self:
        """Make a status of its number and of what it means."""
        member = int.__new__(cls, status)
        member._value_ = status
        member.meaning = meaning
        return member

    SUCCESS = (0, "All went well: all trials are valid.")
    FAILED = (1, "Something failed, or was stopped by Ctrl-C; what was measured is kept.")
    WRONG_INPUT = (2, "The call or a file is wrong; the message says where, and what is right.")
    REGRESSION = (3, "A comparison found a regression.")


OWN_MEANINGS: Mapping[str, Mapping[int, str]] = {
    "plan": {
        0: "The experiment can be run, as far as that is known without a start.",
        1: "A problem would end the run at once, or keep some of its trials from beginning.",
        2: "The file is wrong, or a problem that would end the run is one of the file.",
    },
    "serve": {0: "It was ended, by Ctrl-C or SIGTERM."},
    "compare": {
        0: "No rule of --fail-if found a regression; always, where no rule is given.",
        1: "A rule could not be judged, or trials of the two are missing.",
        2: "The call is wrong, or the two cannot be compared.",
        3: "A rule found a regression.",
    },
    "history": {0: "The results were read, whatever they show."},
    "import": {1: "A run in the logs had failed; it is kept."},
    "audit": {0: "Nothing was found.", 1: "What is claimed does not follow from the figures."},
    "check": {0: "All conditions hold.", 1: "A condition is violated, or the server failed."},
    "doctor": {0: "No check fails; some may warn.", 1: "A check fails, or the server failed."},
    "tpcc acid": {1: "A test failed or could not be made, or the server failed."},
    "tpcc durability": {1: "Something acknowledged is lost, or a condition is violated."},
    "sysbench": {1: "Whatever went wrong, a wrong call too: sysbench has no other status."},
    "pgbench": {1: "The call is wrong, or the server cannot be reached.", 2: "The run failed."},
}
"""By command, what a status means there that the general meaning does not say."""


def status_of(error: DbdynoError | None) -> ExitStatus:
    """Return the status of a command that ends with an error, or without one."""
    if error is None:
        return ExitStatus.SUCCESS
    return ExitStatus.WRONG_INPUT if isinstance(error, InputError) else ExitStatus.FAILED


def report_error(error: DbdynoError) -> ExitStatus:
    """Print an error on standard error, in words and without a traceback, and return its status."""
    print(error, file=sys.stderr)
    return status_of(error)
