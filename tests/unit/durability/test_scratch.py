"""Folders for one command: gone when it ends, and swept where it was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dbdyno.tpcc.durability.scratch import PREFIX, scratch_folder

LIMIT_S = 60.0

OWNER = """
import sys, time
from dbdyno.errors import DbdynoError
from dbdyno.tpcc.durability.scratch import scratch_folder

try:
    with scratch_folder() as folder:
        (folder / "data").mkdir()
        (folder / "data" / "file").write_text("much")
        print(folder, flush=True)
        # A signal that comes just before a sleep is looked at behind it.
        for _ in range(1200):
            time.sleep(0.05)
except DbdynoError as error:
    print(error, flush=True)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def own() -> tuple[subprocess.Popen[str], Path]:
    """Start a process that has a folder; return both."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    return owner, Path(owner.stdout.readline().strip())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing(temporary: Path, number: signal.Signals) -> None:
    owner, folder = own()
    assert (folder / "data" / "file").exists()
    owner.send_signal(number)
    said, _ = owner.communicate(timeout=LIMIT_S)
    assert said == f"stopped by {number.name}; nothing of it is kept\n"
    assert list(temporary.iterdir()) == []


def test_what_was_killed_is_swept_and_what_lives_is_not(temporary: Path) -> None:
    killed, left = own()
    killed.kill()
    killed.communicate(timeout=LIMIT_S)
    assert left.exists()
    living, kept = own()
    assert not left.exists()
    with scratch_folder() as folder:
        assert sorted(temporary.iterdir()) == sorted([folder, kept])
        assert folder.name.startswith(PREFIX)
    living.terminate()
    living.communicate(timeout=LIMIT_S)
    assert list(temporary.iterdir()) == []


def test_what_others_have_there_is_left_alone(temporary: Path) -> None:
    theirs = temporary / f"{PREFIX}theirs"
    theirs.mkdir()
    (temporary / f"{PREFIX}link").symlink_to(theirs)
    with scratch_folder():
        pass
    assert theirs.is_dir()
