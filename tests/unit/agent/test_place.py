"""What agents keep on their host: a killed one leaves a folder, and the next one removes it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dbdyno import __version__
from dbdyno.agent.invitation import Invitation, write_invitation
from dbdyno.agent.place import KEPT_DAYS, claim_load, place, scratch_folder
from dbdyno.errors import RunError

LIVES = """\
import sys, time
from dbdyno.agent.place import scratch_folder
with scratch_folder() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


INVITATION = Invitation(
    version=__version__,
    scheduler="tls://127.0.0.1:1",
    name="alone",
    authority="",
    certificate="",
    key="",
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the temporary directory be one of this test's own, for processes too."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@contextmanager
def agent() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start a process that has a folder, and return both; it is killed in the end."""
    with subprocess.Popen(
        [sys.executable, "-c", LIVES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_a_folder_goes_with_its_agent(temporary: Path) -> None:
    with scratch_folder() as folder:
        (folder / "file").touch()
        assert folder.is_relative_to(temporary)
    assert list(place().iterdir()) == []


def test_what_a_killed_agent_left_is_removed_and_what_a_living_one_has_stays() -> None:
    with agent() as (killed, left), agent() as (_, kept):
        (left / "worker").mkdir()
        killed.kill()
        killed.wait()
        assert left.exists()
        with scratch_folder():
            assert not left.exists()
            assert kept.exists()


def test_what_a_load_said_is_kept_for_a_while() -> None:
    old, young = claim_load("old"), claim_load("young")
    for path, days in ((old, KEPT_DAYS + 1), (young, KEPT_DAYS - 1)):
        long_ago_s = time.time() - days * 86_400
        os.utime(path, (long_ago_s, long_ago_s))
    with scratch_folder():
        assert [path.name for path in place().glob("*.jsonl")] == ["young.jsonl"]


def test_no_load_is_claimed_twice() -> None:
    claim_load("one")
    with pytest.raises(RunError, match="the load one was made before, and is not made twice"):
        claim_load("one")


def test_a_directory_that_others_can_open_or_own_is_refused(temporary: Path) -> None:
    directory = place()
    directory.chmod(0o755)
    with pytest.raises(RunError, match="should be a directory of this user"):
        place()
    directory.rmdir()
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    directory.symlink_to(elsewhere)
    with pytest.raises(RunError, match="should be a directory of this user"):
        claim_load("one")
    assert list(elsewhere.iterdir()) == []


def test_an_agent_that_is_refused_a_place_says_so_in_one_line() -> None:
    directory = place()
    directory.chmod(0o755)
    ended = subprocess.run(
        [sys.executable, "-m", "dbdyno.agent"],
        input=write_invitation(INVITATION),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    (line,) = ended.stderr.decode().splitlines()
    assert line.startswith(f"{directory} should be a directory of this user")
