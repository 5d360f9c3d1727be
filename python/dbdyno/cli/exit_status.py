"""The exit status of every command, and the one place where errors become one."""

from __future__ import annotations

import sys
from enum import IntEnum

from dbdyno.errors import DbdynoError, InputError


class ExitStatus(IntEnum):
    """What a command says to the shell."""

    SUCCESS = 0
    """All trials are valid."""
    FAILED = 1
    """Something in the experiment failed; what was measured is kept."""
    WRONG_INPUT = 2
    """The call or a file is wrong; the message says where."""
    REGRESSION = 3
    """A comparison found a regression."""


def report_error(error: DbdynoError) -> ExitStatus:
    """Print an error on standard error, in words and without a traceback, and return its status."""
    print(error, file=sys.stderr)
    return ExitStatus.WRONG_INPUT if isinstance(error, InputError) else ExitStatus.FAILED
