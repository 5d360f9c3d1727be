"""Folders of runs on a host: who has them, and when they go."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dbdyno.agent.place import KEPT_DAYS
from dbdyno.agent.runs import LOCK_FILE, RunFolder, remove_old_runs, remove_run
from dbdyno.errors import RunError

CLAIMS = """\
import sys, time
from pathlib import Path
from dbdyno.agent.runs import RunFolder
folder = RunFolder("run", Path(sys.argv[1]))
folder.claim(sys.argv[2])
print("claimed", flush=True)
time.sleep(600)
"""


@contextmanager
def holder(parent: Path, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that has a folder of the run; it is killed in the end."""
    with subprocess.Popen(
        [sys.executable, "-c", CLAIMS, parent, name], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"claimed\n"
            yield process
        finally:
            process.kill()


def make_old(folder: RunFolder, days: float) -> None:
    long_ago_s = time.time() - days * 86_400
    os.utime(folder.path / LOCK_FILE, (long_ago_s, long_ago_s))


def test_a_folder_stays_until_it_is_old_and_nobody_has_it(tmp_path: Path) -> None:
    folder = RunFolder("run", tmp_path)
    with holder(tmp_path, "storage"):
        make_old(folder, KEPT_DAYS + 1)
        remove_old_runs(tmp_path)
        assert folder.path.is_dir()
    make_old(folder, KEPT_DAYS - 1)
    remove_old_runs(tmp_path)
    assert folder.path.is_dir()
    make_old(folder, KEPT_DAYS + 1)
    remove_old_runs(tmp_path)
    assert not folder.path.exists()


def test_a_run_that_is_complete_removes_its_folder_alone(tmp_path: Path) -> None:
    other = RunFolder("other", tmp_path)
    other.claim("storage")
    with holder(tmp_path, "storage"), pytest.raises(RunError, match="servers-run is in use"):
        remove_run("run", tmp_path)
    remove_run("run", tmp_path)
    remove_run("run", tmp_path)
    assert not RunFolder("run", tmp_path).path.exists()
    assert other.path.is_dir()


def test_an_agent_of_an_earlier_connection_is_ended(tmp_path: Path) -> None:
    folder = RunFolder("run", tmp_path)
    with holder(tmp_path, "storage") as earlier, holder(tmp_path, "compute") as other:
        folder.claim("storage")
        assert earlier.wait(10) == -9
        assert other.poll() is None


def test_a_place_that_is_not_there_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"cannot use .*No such file or directory"):
        RunFolder("run", tmp_path / "missing").claim("storage")
