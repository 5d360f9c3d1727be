"""How commands that print as they go do so."""

from __future__ import annotations

import sys

from dbdyno.errors import RunError


def say(said: str) -> None:
    """Print at once, also into a pipe, so that interval lines can be read live."""
    if sys.stdout is None:
        raise RunError("standard output is closed, so that nothing can be printed")
    sys.stdout.write(said)
    sys.stdout.flush()


def warn(said: str) -> None:
    """Print on standard error, where what was said before is seen first."""
    if sys.stdout is not None:
        sys.stdout.flush()
    if sys.stderr is not None:
        sys.stderr.write(said)
        sys.stderr.flush()
