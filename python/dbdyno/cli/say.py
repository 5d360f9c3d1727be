"""How commands that print as they go do so."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dbdyno.errors import RunError


def say(said: str) -> None:
    """Print at once, also into a pipe: whoever reads interval lines reads them live."""
    if sys.stdout is None:
        raise RunError("standard output is closed, so that nothing can be printed")
    try:
        sys.stdout.write(said)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still in the buffer would be tried once more at the end.
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - it lives as long as we do
        raise RunError(f"what is to be printed cannot be written: {error.strerror}") from error


def warn(said: str) -> None:
    """Print on standard error, where what was said before is seen first."""
    if sys.stdout is not None:
        sys.stdout.flush()
    sys.stderr.write(said)
    sys.stderr.flush()
