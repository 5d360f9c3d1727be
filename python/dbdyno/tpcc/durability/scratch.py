"""A folder for servers that live for one command: nothing of it stays, however the command ends.

What a command that was killed has left behind is removed by the next one.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from dbdyno.errors import RunError
from dbdyno.locked_folder import locked_folder

PREFIX = "dbdyno-scratch-"
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class _Ended(BaseException):
    """A signal ends the command. Nobody on the way takes it for an error of the server's."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give an empty folder for as long as the block runs.

    ``RunError`` comes out of it where SIGTERM or SIGHUP end the block. SIGINT raises
    KeyboardInterrupt, as ever. To be entered by the main thread.
    """
    with locked_folder(PREFIX) as folder:
        try:
            with _ended_by_signals():
                yield folder
        except _Ended as ended:
            raise RunError(f"stopped by {ended}; nothing of it is kept") from None


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    before = {number: signal.signal(number, _end) for number in _ENDING_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> NoReturn:
    # A second one would break into what puts things away.
    for other in _ENDING_SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise _Ended(signal.Signals(number).name)
