"""A user who is not root, with an empty home, who may not write where dbdyno is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dbdyno
from tests.live.run.launch import Ended, Launched
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

PROJECT = Path(dbdyno.__file__).parents[2]
BECOME = """\
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift &&
exec unshare --user --map-user=1 --map-group=1 "$@"
"""
AS_OTHER = (
    *("unshare", "--user", "--map-root-user", "--mount"),
    *("sh", "-c", BECOME, "sh", str(PROJECT)),
)
"""What is root's stays readable, wherever the sources are, and nothing that root may is allowed."""
WHO = f"import os; print(os.geteuid(), os.access({str(PROJECT)!r}, os.W_OK))"


def as_other(directory: Path, *arguments: str | Path) -> Ended:
    launched = Launched(arguments, directory, wrapper=AS_OTHER)
    ended = launched.end()
    assert ended.status == 0, ended
    assert launched.written_elsewhere() == []
    return ended


def test_it_is_another_user_who_may_not_write_there() -> None:
    asked = subprocess.run(
        [*AS_OTHER, sys.executable, "-c", WHO], capture_output=True, text=True, check=True
    )
    assert asked.stdout == "1 False\n"


@pytest.mark.parametrize("target", ["sqlite", "mysql", "postgresql"])
def test_an_experiment_and_its_report(tmp_path: Path, target: str) -> None:
    stage = Stage(tmp_path).write(target=f"{{{target}: {{}}}}", factors="clients: [1]", rounds=1)
    running = stage.launch(wrapper=AS_OTHER)
    ended = running.end()
    assert ended.status == 0, ended
    assert running.written_elsewhere() == []
    assert stage.statuses() == {1: "completed"}
    as_other(tmp_path, "report", stage.result, "--format", "md")
    assert (stage.result / "report.md").exists()


def test_sysbench_on_a_file(tmp_path: Path) -> None:
    options = ["--db-driver=sqlite", f"--sqlite-db={tmp_path / 'own.db'}", "--table-size=100"]
    for command in ("prepare", "run", "cleanup"):
        ended = as_other(tmp_path, "sysbench", "oltp_read_write", *options, "--time=1", command)
        assert ended.errors == ""
