"""Copies and replaces the folders that servers keep their data in, and says plainly what fails."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dbdyno.errors import DbdynoError, InputError, RunError
from dbdyno.target.local.reflink import shares_blocks

FREE_SHARE_MIN = 0.02
"""So much of a file system must stay free after a copy: a database that fills it measures that."""

KEPT_FREE_MAX_BYTES = 2_000_000_000
"""More need not stay free, however large the file system is: a quota may allow little of it."""

_BLOCK_BYTES = 512
"""The unit in which the kernel counts a file's blocks, whatever the file system's own are."""

_DISK_FAILED = {errno.ENOSPC, errno.EDQUOT, errno.EIO}


@contextmanager
def file_errors(doing: str, kind: type[DbdynoError] = RunError) -> Iterator[None]:
    """Turn errors of the file system into words: ``cannot <doing>: <why>``.

    ``kind`` is ``InputError`` where the user has named the place and may have named the wrong one.
    A disk that is full or broken is nobody's mistake, though.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FAILED:
            kind = RunError
        where = f" ({error.filename})" if error.filename else ""
        raise kind(f"cannot {doing}: {error.strerror or error}{where}") from error


def read_option_file(option_file: Path | None) -> str:
    """Return the text of the user's option file; nothing where there is none."""
    if option_file is None:
        return ""
    with file_errors(f"read the option file {option_file}", InputError):
        return option_file.read_text(errors="surrogateescape")


def make_private_folder(folder: Path) -> None:
    """See that there is this folder, and that no other user of the machine may look into it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder to a new place on disk; its blocks are shared where the file system can.

    The copy is on the disk when this returns. Otherwise the kernel would write it there in the
    background, in the middle of what is measured next.
    """
    with file_errors(f"copy {source} to {target}"):
        if not shares_blocks(source, target.parent):
            check_space(f"a copy of {source}", _size_bytes(source), target.parent)
    _run("cp", "--archive", "--reflink=auto", "--no-target-directory", str(source), str(target))
    _run("sync", "--file-system", str(target))


def replace_folder(source: Path, target: Path) -> None:
    """Make ``target`` a copy of ``source``; cut short, this leaves no target, never a half one."""
    half = target.with_name(f"{target.name}.unfinished")
    with file_errors(f"replace {target}"):
        for old in (half, target):
            remove_folder(old)
        copy_folder(source, half)
        half.rename(target)


def remove_folder(folder: Path) -> None:
    """Remove a folder and what is in it; nothing happens where there is none."""
    with file_errors(f"remove {folder}"):
        if folder.exists():
            shutil.rmtree(folder)


def check_space(what: str, needed_bytes: int, place: Path) -> None:
    """Refuse what does not fit on the file system of an existing place."""
    usage = shutil.disk_usage(place)
    kept_free_bytes = min(int(FREE_SHARE_MIN * usage.total), KEPT_FREE_MAX_BYTES)
    if needed_bytes > usage.free - kept_free_bytes:
        raise RunError(
            f"{what} takes {needed_bytes / 1e9:.2f} GB, and {place} has {usage.free / 1e9:.2f} GB "
            f"free, of which {kept_free_bytes / 1e9:.2f} GB must stay free; free some space, or "
            "use another --out"
        )


def sizes_bytes(folder: Path) -> dict[str, int]:
    """Return the size of each file and of each folder in ``folder``, by name."""
    return {entry.name: _size_bytes(entry) for entry in sorted(folder.iterdir())}


def allocated_bytes(folder: Path) -> int:
    """Return what a folder's files take on disk, holes left out: what ``du`` shows."""
    return sum(
        _status_of(Path(place, name), lambda status: status.st_blocks * _BLOCK_BYTES)
        for place, _, names in os.walk(folder)
        for name in names
    )


def _size_bytes(path: Path) -> int:
    """Add up sizes."""
    total = 0
    for place, _, names in os.walk(path):
        for name in names:
            total += _file_size_bytes(Path(place, name))
    return total if path.is_dir() else _file_size_bytes(path)


def _file_size_bytes(path: Path) -> int:
    return _status_of(path, lambda status: status.st_size)


def _status_of(path: Path, figure: Callable[[os.stat_result], int]) -> int:
    """Return a figure of a file; a running server removes files, and what is gone has none."""
    try:
        return figure(path.lstat())
    except FileNotFoundError:
        return 0


def _run(*command: str) -> None:
    """Run a program that ends as soon as it can; a copy takes as long as the disk needs."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        errors="replace",
        # Ctrl-C at the terminal is for dbdyno alone.
        start_new_session=True,
        check=False,
    )
    if done.returncode != 0:
        raise RunError(f"{command[0]} failed: {done.stderr.strip()}")
