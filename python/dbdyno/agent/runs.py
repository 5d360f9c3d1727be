"""Folders of runs on this host: what servers of theirs keep here, and what gone runs have left.

A run that was stopped finds its snapshots again. So its folder stays when no agent of it is there,
until the run is complete, or nobody has used the folder for days. ::

    PLACE/servers-RUN/lock           locked by each agent of the run, as long as it lives
    PLACE/servers-RUN/NAME.agent     locked by the one agent that uses the folder NAME
    PLACE/servers-RUN/NAME/          a server's directory, or a snapshot
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path
from typing import IO

from dbdyno.agent.place import KEPT_DAYS, place
from dbdyno.errors import RunError
from dbdyno.locked_folder import remove_locked
from dbdyno.processes import ProcessMark, end_process, mark

RUNS = "servers-"
LOCK_FILE = "lock"
FREE_WITHIN_S = 30.0
"""So long a process may take to be gone after it was killed."""
POLL_S = 0.05


class RunFolder:
    """The folder of one run, beneath ``parent``. It is made when it is claimed."""

    def __init__(self, run: str, parent: Path | None) -> None:
        self._parent = parent
        self._run = run
        self._locks: list[IO[str]] = []

    @property
    def path(self) -> Path:
        """The folder, which is perhaps not there yet."""
        return place(self._parent) / f"{RUNS}{self._run}"

    def claim(self, name: str) -> None:
        """Make the folder, and have what is called ``name`` in it for this process alone.

        An agent of the same run that still has it belongs to a connection that is no more, for a
        run has one runner at a time. It is ended, with its server.
        """
        if self._locks:
            return
        remove_old_runs(self._parent)
        self._locks.append(_shared_lock(self.path))
        self._locks.append(_own_lock(self.path / f"{name}.agent"))

    def touch(self) -> None:
        """Note that the folder is in use: from now on it is kept for some days."""
        with suppress(FileNotFoundError):
            os.utime(self.path / LOCK_FILE)


def _shared_lock(folder: Path) -> IO[str]:
    """Return the lock of a run's folder, held; another agent may be removing an old one."""
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            lock = (folder / LOCK_FILE).open("w")
            flock(lock, LOCK_SH)
            if (folder / LOCK_FILE).stat().st_ino == os.fstat(lock.fileno()).st_ino:
                return lock
            lock.close()


def _own_lock(path: Path) -> IO[str]:
    """Return the lock of a server's folder, held, with the mark of this process in it."""
    lock = path.open("a+")
    deadline_s = time.monotonic() + FREE_WITHIN_S
    while True:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline_s:
                raise RunError(
                    f"an agent of an earlier connection still has {path.stem}, and does not end"
                ) from None
            _end_holder(lock)
            time.sleep(POLL_S)
            continue
        lock.truncate(0)
        own = mark(os.getpid())
        assert own is not None
        lock.write(json.dumps(asdict(own)))
        lock.flush()
        return lock


def _end_holder(lock: IO[str]) -> None:
    lock.seek(0)
    with suppress(ValueError, TypeError):
        holder = ProcessMark(**json.loads(lock.read()))
        try:
            end_process(holder)
        except OSError as error:
            raise RunError(
                f"process {holder.process_id}, the agent of an earlier connection, cannot be ended "
                f"({error.strerror or error}); end it, and call the same again"
            ) from error


def remove_run(run: str, parent: Path | None) -> None:
    """Remove the folder of a run; ``RunError`` while an agent uses it."""
    folder = place(parent) / f"{RUNS}{run}"
    if folder.exists() and not _removed(folder, older_than_s=0.0):
        raise RunError(f"{folder} is in use; it is removed {KEPT_DAYS} days after its last use")


def remove_old_runs(parent: Path | None) -> None:
    """Remove the folders that no agent uses, and that none has used for days."""
    for folder in place(parent).glob(f"{RUNS}*"):
        _removed(folder, older_than_s=KEPT_DAYS * 86_400)


def _removed(folder: Path, older_than_s: float) -> bool:
    """Remove a folder that is old and that nobody uses; return whether that was so."""
    # Another agent may be faster.
    with suppress(OSError), (folder / LOCK_FILE).open() as lock:
        flock(lock, LOCK_EX | LOCK_NB)
        if time.time() - os.fstat(lock.fileno()).st_mtime >= older_than_s:
            remove_locked(folder)
            return True
    return False
