"""The command line as a shell sees it: output, exit status, and what is imported for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dbdyno.cli.exit_status import report_error
from dbdyno.errors import DbdynoError, InputError, RunError

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "experiments" / "sqlite-journal-mode.yaml"
HEAVY = ("pydantic", "polars", "altair", "scipy", "numpy", "ruamel", "dbdyno._native")


def dbdyno(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dbdyno", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_help_lists_commands() -> None:
    done = dbdyno("--help")
    assert done.returncode == 0
    assert "plan" in done.stdout
    assert "Show the matrix" in done.stdout


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "sys.argv = ['dbdyno', '--help']\n"
        "from dbdyno.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    print(*sys.modules, sep='\\n', file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    imported = set(done.stderr.split())
    assert "dbdyno.cli.plan" in imported
    assert not imported & set(HEAVY)


def test_version() -> None:
    assert dbdyno("--version").stdout == "dbdyno 0.1.0\n"


def test_unknown_command_is_a_wrong_call() -> None:
    done = dbdyno("plna")
    assert done.returncode == 2
    assert "'plan'" in done.stderr


def test_mistake_in_a_file_is_one_line_and_status_2(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(DEMO.read_text().replace("rounds: 3", "rounds: 0"))
    done = dbdyno("plan", str(path))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"{path}:15: procedure.rounds: must be 1 or more, not 0\n"


@pytest.mark.parametrize(("error", "status"), [(InputError, 2), (RunError, 1), (DbdynoError, 1)])
def test_errors_become_exit_statuses(
    error: type[DbdynoError], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_error(error("the disk is full")) == status
    assert capsys.readouterr().err == "the disk is full\n"


def test_plan_shows_matrix_order_and_time() -> None:
    done = dbdyno("plan", str(DEMO))
    assert done.returncode == 0
    assert "journal_mode=wal, clients=8" in done.stdout
    assert "8 cells × 3 rounds = 24, interleaved" in done.stdout
    assert "1 × 10,000 rows" in done.stdout
    assert "about 5" in done.stdout


def test_plan_as_json() -> None:
    plan = json.loads(dbdyno("plan", str(DEMO), "--smoke", "--json").stdout)
    assert len(plan["trials"]) == 16
    assert plan["trials"][0]["generator_plan"]["duration_s"] == 1.0
