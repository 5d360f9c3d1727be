"""What a command finds when it starts: standard streams, a time zone; what is wrong with them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from dbdyno.errors import InputError
from dbdyno.variables import TIME_ZONE


def open_standard_streams() -> None:
    """Open those of the three that are closed (``<&-``) on nothing.

    The next file that is opened would get their numbers, and programs that we start take it for
    their input or output.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # It gets the lowest number that is free, which is this one.
            os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)


def refuse_damaged_zone() -> None:
    """InputError where TZ names a file that is no time zone; an unknown name means UTC."""
    from zoneinfo import ZoneInfo

    path = (TIME_ZONE.value() or "").removeprefix(":")
    if not (os.path.isabs(path) and os.path.isfile(path)):  # noqa: PTH117, PTH113 - any text
        return
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            ZoneInfo.from_file(file)
    except (OSError, ValueError):
        raise InputError(
            f"TZ names {path}, which is no time zone: set it to one, as in TZ=Europe/Berlin, or "
            "remove it"
        ) from None


class LastingStream:
    """Standard output or error that ends nothing where it cannot be written, on a full disk say.

    That is said once on standard error. The end of a pipe ends the command as ever.
    """

    def __init__(self, stream: Any) -> None:  # noqa: ANN401 - a text stream, or a test's
        self._stream = stream
        self.is_lost = False
        self.is_reported = False
        """Whether a report says the same, so that nothing has failed where this is lost."""

    def write(self, text: str) -> int:
        """Write, or say that it cannot be done."""
        try:
            return int(self._stream.write(text))
        except BrokenPipeError:
            raise
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        """Flush, or say that it cannot be done."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        # What is still in the buffer would be tried once more at the end.
        self._stream = open(os.devnull, "w")  # noqa: PTH123, SIM115 - it lives as long as we do
        self.is_lost = True
        ending = (
            "the run goes on, and its report says the same" if self.is_reported else "it is lost"
        )
        with suppress(OSError):
            print(
                f"warning: what is to be printed cannot be written ({error.strerror}); {ending}",
                file=sys.stderr,
            )

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the stream has
        return getattr(self._stream, name)


def print_whatever_happens() -> None:
    """Have what is printed from now on end nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, LastingStream):
            setattr(sys, name, LastingStream(stream))


def have_reported() -> None:
    """Have output that is lost from now on be no failure: a report says the same."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, LastingStream):
            stream.is_reported = True


def is_output_lost() -> bool:
    """Tell whether what a command was to print could not be written."""
    stream = sys.stdout
    if not isinstance(stream, LastingStream):
        return False
    stream.flush()
    return stream.is_lost and not stream.is_reported
