"""The command line as a shell sees it: output, exit status, and what is imported for it.

A test that is about the process starts one. The others call the command in this process, because
importing all that a command needs takes longer than what it does.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dbdyno.cli.exit_status import report_error
from dbdyno.errors import DbdynoError, InputError, RunError
from tests.live.run.launch import call

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "experiments" / "sqlite-journal-mode.yaml"
HEAVY = ("pydantic", "polars", "vl_convert", "scipy", "numpy", "ruamel", "dbdyno._native")


def dbdyno(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dbdyno", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)


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
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=180
    )
    imported = set(done.stderr.split())
    assert "dbdyno.cli.plan" in imported
    assert not imported & set(HEAVY)


def test_a_terminal_that_knows_ascii_alone_is_no_mistake() -> None:
    ascii_only = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "dbdyno", "plan", DEMO],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env=os.environ | ascii_only,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "rounds" in done.stdout


def test_version() -> None:
    assert dbdyno("--version").stdout == "dbdyno 0.1.0\n"


def test_unknown_command_is_a_wrong_call() -> None:
    done = dbdyno("plna")
    assert done.returncode == 2
    assert "'plan'" in done.stderr


def test_a_wrong_call_of_sysbench_has_sysbenchs_status() -> None:
    done = call(["sysbench", "oltp_read_write", "--thread=4", "run"])
    assert done.status == 1
    assert done.output == ""
    assert done.errors == "invalid option: --thread; did you mean --threads?\n"


def test_mistake_in_a_file_is_one_line_and_status_2(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(DEMO.read_text().replace("rounds: 4", "rounds: 0"))
    done = call(["plan", path])
    assert done.status == 2
    assert done.output == ""
    assert done.errors == f"{path}:15: procedure.rounds: must be 1 or more, not 0\n"


@pytest.mark.parametrize(("error", "status"), [(InputError, 2), (RunError, 1), (DbdynoError, 1)])
def test_errors_become_exit_statuses(
    error: type[DbdynoError], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_error(error("the disk is full")) == status
    assert capsys.readouterr().err == "the disk is full\n"


def test_plan_shows_matrix_order_and_time() -> None:
    done = call(["plan", DEMO])
    assert done.status == 0
    rows = [line.split() for line in done.output.splitlines()]
    assert ["journal_mode", "clients", "trials,", "in", "rounds", "1", "to", "4"] in rows
    assert ["wal", "8"] in [row[:2] for row in rows if len(row) == 6]
    assert "8 cells × 4 rounds = 32, interleaved" in done.output
    assert "1 × 10,000 rows" in done.output
    assert "about 1 min" in done.output
    assert "Needs:   about 8.0 MB of disk (tables:" in done.output
    assert "the levels of journal_mode run next to each other" in " ".join(done.output.split())


DEPLOYED = """\
experiment: deployed
question: Which?
workload: {sysbench: {}}
targets:
  theirs:
    url: sqlite:///it.db
    commands: {restart: deploy it, stop: destroy it}
  ours: {sqlite: {}, workload: {tables: 3}}
factors: {target: [theirs, ours], clients: [2, 8]}
session: {isolation: serializable}
"""


def test_plan_says_who_starts_servers_and_what_differs_on_them(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(DEPLOYED)
    said = " ".join(call(["plan", path]).output.split())
    assert "theirs: sqlite:///it.db, started by deploy, and ended by destroy" in said
    assert "ours: SQLite in the generator's process; tables: 3" in said
    assert "Sends: 1 generator; clients: 2, 8; isolation: serializable" in said


def test_plan_shows_every_level_and_trial_in_a_narrow_terminal(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    third = "  synchronous: {sets: server.synchronous, levels: [normal, full]}\n"
    text = DEMO.read_text().replace("rounds: 4", "rounds: 20")
    path.write_text(text.replace("factors:\n", f"factors:\n{third}"))
    lines = call(["plan", path], environment={"COLUMNS": "72"}).output.splitlines()
    assert max(map(len, lines)) <= 72
    words = [line.split() for line in lines]
    first = next(
        at for at, row in enumerate(words) if row[-5:] == ["in", "rounds", "1", "to", "20"]
    )
    assert words[first][:3] == ["synchronous", "journal_mode", "clients"]
    order = words[first + 2 : words.index([], first)]
    assert ["normal", "delete", "1"] in [row[:3] for row in order]
    # The levels of clients are small numbers too.
    numbers = [int(word) for row in order for word in row if word.isdigit()]
    assert sorted(n for n in numbers if n > 8) == list(range(9, 321))


TOO_MANY = [
    ("load: {clients: 100}", "load.clients"),
    ("factors: {clients: [1, 100]}", "factors.clients"),
]


@pytest.mark.parametrize(("clients", "field"), TOO_MANY)
@pytest.mark.parametrize("target", ["{sqlite: {}}", "{url: 'sqlite:///none.db'}"])
def test_more_sqlite_clients_than_the_system_allows_are_refused_in_words(
    target: str, clients: str, field: str, tmp_path: Path
) -> None:
    path = tmp_path / "experiment.yaml"
    workload = "workload: {sysbench: {script: oltp_point_select}}"
    path.write_text(
        f"experiment: many\nquestion: How many?\n{workload}\ntarget: {target}\n{clients}\n"
    )
    for command in ("plan", "run"):
        limited = ["prlimit", "--nofile=300:300", sys.executable, "-m", "dbdyno", command, path]
        done = subprocess.run(limited, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == (
            f"{path}:5: {field}: 100 clients on SQLite, each with a thread of its own, take about "
            "400 open files, and this system allows 300 (ulimit -n); use fewer than 75 clients, or "
            "raise that limit\n"
        )
    assert [entry.name for entry in tmp_path.iterdir()] == ["experiment.yaml"]


def test_clients_of_a_server_are_not_limited_by_what_sqlite_takes(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    workload = "workload: {sysbench: {script: oltp_point_select}}"
    target = "target: {url: 'mysql://root@localhost/db'}"
    path.write_text(
        f"experiment: many\nquestion: How many?\n{workload}\n{target}\nload: {{clients: 100000}}\n"
    )
    done = call(["plan", path])
    assert "Problem: " in done.output
    assert "SQLite" not in done.output + done.errors


def test_plan_as_json() -> None:
    plan = json.loads(call(["plan", DEMO, "--smoke", "--json"]).output)
    assert len(plan["trials"]) == 16
    assert plan["trials"][0]["generator_plan"]["duration_s"] == 1.0
