"""What is done if this process ends before a block does, whatever ends it: kill -9, too.

A shell waits at the other end of a pipe, which the kernel closes with the process that holds it.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path

from dbdyno.password import environment


class Will(StrEnum):
    """What the shell does with what it is given as ``$1``."""

    REMOVE_FOLDER = 'exec rm -rf -- "$1"'
    END_GROUP = 'kill -9 "-$1"'
    """Of a process and of all that it has started: the kernel ends the first one alone with us."""


@contextmanager
def last_will(will: Will, what: object) -> Iterator[None]:
    """Have this done if the process ends before the block."""
    shell = subprocess.Popen(
        ["sh", "-c", f"read -r _ || {will}", "sh", str(what)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        # Ctrl-C at the terminal is for dbdyno alone.
        start_new_session=True,
    )
    try:
        yield
    finally:
        with suppress(BrokenPipeError):
            shell.communicate(b"all went well\n")


@contextmanager
def passing_folder() -> Iterator[Path]:
    """Make a folder for what must not stay, such as an option file of the user's."""
    with (
        tempfile.TemporaryDirectory(prefix="dbdyno-") as folder,
        last_will(Will.REMOVE_FOLDER, folder),
    ):
        yield Path(folder)
