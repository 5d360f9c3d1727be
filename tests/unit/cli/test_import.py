"""``dbdyno import`` as a user calls it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dbdyno.importer.stored import read_import

from ..importer.logs import DATA, PEERS


def call(*arguments: str | Path, columns: int = 160) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dbdyno", "import", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"COLUMNS": str(columns), "PATH": "/usr/bin:/bin"},
    )


def test_a_table_and_every_note(tmp_path: Path) -> None:
    out = tmp_path / "mine"
    arguments = (f"tool=go:{PEERS}/go-tpc-*.txt", f"tool=perc:{PEERS}/tpcc-mysql.txt")
    done = call(*arguments, "--out", out, "--question", "Which?")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    (row,) = (line for line in lines if line.startswith("tpcc-mysql.txt  "))
    assert "tpcc-mysql" in row
    assert "tool=perc" in row
    assert "24,200" in row
    assert "avg_rt is left out" in done.stdout.replace("\n", " ")
    assert "New-Orders/min" in lines[0]
    assert "tpcc-mysql.txt: The log shows the password." in done.stdout
    result = read_import(out)
    assert (result.name, result.question, len(result.trials)) == ("mine", "Which?", 4)


def test_a_run_that_failed_is_kept_and_says_so(tmp_path: Path) -> None:
    done = call(*sorted(DATA.glob("sysbench*.log")), "--out", tmp_path / "out", "--name", "x")
    assert (done.returncode, done.stderr) == (1, "")
    assert "sysbench-1.0.20-fatal.log failed: mysql_stmt_prepare() failed; MySQL error" in (
        done.stdout
    )
    result = read_import(tmp_path / "out")
    assert (len(result.trials), result.name) == (5, "x")


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("hello\n")
    done = call(tmp_path / "a.log", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert "a.log is not recognised. Looked for:" in done.stderr
    assert not (tmp_path / "out").exists()
