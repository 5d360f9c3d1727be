"""The tree of dbdyno's own errors: everything that a user may cause and should read in words.

``DbdynoError``
  ├─ ``InputError``   the call or a file is wrong; nothing was started
  └─ ``RunError``     something in the experiment failed; what was measured is kept

An exception outside this tree is a defect of dbdyno, and shows a traceback.
"""

from __future__ import annotations

from dbdyno.password import without_passwords


class DbdynoError(Exception):
    """The base of all errors whose text is meant for the user, and may be stored in a result."""

    def __init__(self, message: str) -> None:
        super().__init__(without_passwords(message))


class InputError(DbdynoError):
    """The command line or a file is wrong; the message says where, and what would be right."""


class RunError(DbdynoError):
    """A server, a dataset or a trial failed."""


class NotTakenError(RunError):
    """A server shows another value of a setting than it was asked for."""


class StatementError(RunError):
    """A server refuses a statement for what it says, or for what it names."""
