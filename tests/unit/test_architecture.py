"""The first three invariants of ARCHITECTURE.md: who may know whom.

Two tables say what its map says, and the sources are held against them. For each rule there is a
small tree that breaks it, to show that the check can fail.
"""

import ast
import json
import subprocess
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PACKAGES: dict[str, set[str]] = {
    "__init__": set(),
    "__main__": {"cli"},
    "errors": set(),
    "variables": set(),
    "password": {"variables"},
    "interruption": set(),
    "locked_folder": set(),
    "times": {"protocol"},
    "described_table": set(),
    "resources": {"described_table"},
    "host_usage": set(),
    "time_left": {"experiment", "store"},
    "trial_evidence": set(),
    "contained_files": set(),
    "json_documents": set(),
    "source_notes": set(),
    "importer": {"trial_evidence", "source_notes", "database", "json_documents"},
    "results_table": {"experiment", "trial_evidence"},
    "published": {"experiment", "results_table", "store", "json_documents"},
    "table_builder": set(),
    "protocol": set(),
    "varied_together": set(),
    "experiment": {"protocol", "database", "varied_together"},
    "store": {
        "json_documents",
        *("processes", "experiment", "protocol", "times", "resources", "table_builder", "facts"),
        "described_table",
        "host_usage",
    },
    "control_groups": set(),
    "control_group_disks": {"control_groups"},
    "refusal": set(),
    "processes": set(),
    "database": set(),
    "facts": set(),
    "target": {
        *("experiment", "database", "facts", "agent", "remote"),
        *("control_groups", "control_group_disks"),
    },
    "generator": {"protocol", "database"},
    "agent": {"protocol", "generator", "facts", "watch", "locked_folder", "processes"},
    "remote": {"protocol", "generator", "agent", "facts", "locked_folder"},
    "dataset": {"experiment", "protocol", "target", "generator"},
    "watch": {
        *("control_groups", "control_group_disks", "resources", "facts", "database"),
        "host_usage",
    },
    "tpcc": set(),
    "tpcc.acid": {"database", "target", "tpcc"},
    "tpcc.durability": {
        *("database", "protocol", "target", "generator", "ledger", "run", "locked_folder"),
    },
    "size": {"protocol", "tpcc"},
    "schema": {"database", "size"},
    "ledger": {"protocol", "tpcc"},
    "run": {
        "processes",
        "database",
        *("experiment", "store", "target", "generator", "dataset", "watch", "interruption"),
        *("protocol", "tpcc", "size", "schema", "ledger", "resources", "remote", "facts"),
        *("host_usage", "published"),
    },
    "analysis": {
        *("trial_evidence", "source_notes"),
        *("database", "experiment", "protocol", "store", "times", "resources", "facts"),
        "varied_together",
        *("results_table", "published"),
    },
    "report": {
        *("experiment", "store", "analysis", "facts", "trial_evidence", "source_notes"),
        "resources",
    },
    "peers": set(),
    "peers.call": {
        *("database", "run"),
        *("experiment", "protocol", "store", "target", "generator", "watch", "ledger"),
        *("interruption", "times", "host_usage"),
    },
    "peers.sysbench": {
        "database",
        *("experiment", "protocol", "generator", "target", "interruption", "peers.call", "times"),
        "ledger",
    },
    "peers.tpcc": {
        "database",
        *("experiment", "protocol", "generator", "target", "analysis", "interruption"),
        *("peers.call", "report", "size", "times", "ledger"),
    },
    "peers.pgbench": {
        "database",
        "experiment",
        "protocol",
        "generator",
        "target",
        "peers.call",
        "times",
    },
    "peers.tpcc_mysql": {"database", "experiment", "protocol", "peers.call", "peers.tpcc"},
    "peers.go_tpc": {
        "database",
        *("experiment", "protocol", "target", "peers.call", "tpcc", "peers.tpcc", "interruption"),
        "times",
    },
    "peers.benchmarksql": {
        "database",
        "experiment",
        "protocol",
        "target",
        "peers.call",
        "peers.tpcc",
    },
    "doctor": {"database", "target", "watch", "facts"},
    "serve": {
        "json_documents",
        *("experiment", "protocol", "store", "analysis", "report", "times", "resources", "facts"),
        *("host_usage", "time_left", "interruption", "importer"),
    },
    "cli": {
        "control_groups",
        "database",
        *(
            "experiment",
            "protocol",
            "store",
            "target",
            "generator",
            "dataset",
            "watch",
            "run",
            "interruption",
        ),
        *("times", "resources", "analysis", "report", "ledger", "importer", "trial_evidence"),
        *("results_table", "published"),
        *("time_left", "serve"),
        *("tpcc", "tpcc.acid", "tpcc.durability"),
        *("doctor", "peers.call", "peers.sysbench", "peers.tpcc", "peers.tpcc_mysql"),
        *("peers.go_tpc", "peers.benchmarksql", "peers.pgbench"),
    },
}
"""What each part of the Python package may import, besides itself, errors and the like."""

KNOWN_TO_ALL = {
    *("contained_files", "errors", "password", "refusal", "variables"),
}

CRATES: dict[str, set[str]] = {
    "eventloop": set(),
    "histogram": set(),
    "random": set(),
    "contract": {"eventloop"},
    "driver": {"contract", "eventloop"},
    "workload": {"contract", "random"},
    "engine": {"contract", "eventloop", "histogram", "random"},
    "loader": {"contract", "eventloop"},
    "trial": {
        *("contract", "driver", "engine", "eventloop", "histogram", "loader", "random", "workload"),
    },
    "bindings": {"trial", "histogram"},
}
"""What each crate may depend on, of our own crates."""

CRATES_FOR_TESTS: dict[str, set[str]] = {"histogram": {"random"}, "workload": {"eventloop"}}
"""What the tests of a crate may depend on besides."""

MEASURING = {
    *("run", "target", "dataset", "generator", "watch", "size", "ledger", "doctor", "cli"),
    *(part for part in PACKAGES if part.partition(".")[0] in ("tpcc", "peers")),
}
READING_RESULTS = ("store", "published", "serve", "report", "importer", "analysis")
"""Parts that open files of results, which may come from somebody else: by contained_files alone."""
OPENING = {
    *("open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "touch"),
    *("mkdir", "makedirs", "unlink", "rename", "rmtree", "copyfile", "copytree", "copy", "move"),
    *("scan_parquet", "symlink_to", "hardlink_to"),
}
OPENING_OTHERS = {
    *("report/language.py", "report/formats/html.py", "report/formats/standalone.py"),
    *("serve/app.py", "serve/liveness.py", "importer/log.py", "importer/read.py"),
}
"""These open files of dbdyno itself, of the kernel, and logs that a user has named."""
MEETING_ONLY_IN_TRIAL = ("engine", "loader", "workload", "driver")


def imports(file: Path, module: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line and the dotted name, in parts, of every import, wherever in the file it is."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            origin = module[: -node.level] if node.level else ()
            origin += tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                yield node.lineno, (*origin, alias.name)


def part_of(module: Sequence[str]) -> str:
    """Return the part of the package that a module belongs to: ``peers.call``, ``store``."""
    inner = ".".join(module[1:3])
    return inner if inner in PACKAGES else module[1]


def forbidden_imports(folder: Path) -> list[str]:
    """Return what the sources of the Python package in ``folder`` import against the table."""
    found = []
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder.parent)
        module = path.with_suffix("").parts
        importer = part_of(module)
        if importer not in PACKAGES:
            found.append(f"{path}: {importer} is not in the table")
            continue
        forbidden = PACKAGES.keys() - PACKAGES[importer] - KNOWN_TO_ALL - {importer}
        found += [
            f"{path}:{line}: {importer} imports {part_of(name)}"
            for line, name in imports(file, module)
            if name[0] == folder.name and len(name) > 1 and part_of(name) in forbidden
        ]
    return found


def forbidden_dependencies(workspace: Path) -> list[str]:
    """Return what the crates of a workspace depend on against the table."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"]
    done = subprocess.run(
        command, cwd=workspace, capture_output=True, text=True, check=True, timeout=180
    )
    found = []
    for crate in json.loads(done.stdout)["packages"]:
        name = crate["name"]
        if name not in CRATES:
            found.append(f"{name} is not in the table")
            continue
        for dependency in crate["dependencies"]:
            known = CRATES[name]
            if dependency["kind"] == "dev":
                known = known | CRATES_FOR_TESTS.get(name, set())
            is_ours = "path" in dependency
            is_python = dependency["name"].startswith("pyo3") and name != "bindings"
            if is_python or (is_ours and dependency["name"] not in known | {name}):
                found.append(f"{name} depends on {dependency['name']}")
    return found


def opened_files(file: Path) -> Iterator[str]:
    """Yield the line and the name of what a source calls that opens or changes files by itself."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            _, dot, name = called.rpartition(".")
            if (dot and name in OPENING and called != "ResultWriter.open") or called == "open":
                yield f"{file.name}:{node.lineno}: {name}"


def reachable(table: dict[str, set[str]], start: str) -> set[str]:
    """Return all that is known to ``start``, also through others."""
    known: set[str] = set()
    waiting = {start}
    while waiting:
        waiting = set().union(*(table[name] for name in waiting)) - known
        known |= waiting
    return known


def test_python_packages_import_what_the_map_allows() -> None:
    assert forbidden_imports(ROOT / "python" / "dbdyno") == []


def test_files_of_results_are_opened_in_one_place() -> None:
    package = ROOT / "python" / "dbdyno"
    opening = {
        str(file.relative_to(package)): found
        for part in READING_RESULTS
        for file in sorted((package / part).rglob("*.py"))
        if (found := list(opened_files(file)))
    }
    assert {file: opening[file] for file in opening.keys() - OPENING_OTHERS} == {}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f(path):\n    return path.read_bytes()", "read_bytes"),
        ("def f(path):\n    with open(path) as file: ...", "open"),
        ("import polars as pl\nx = pl.scan_parquet('x')", "scan_parquet"),
    ],
)
def test_a_file_that_is_opened_elsewhere_is_found(source: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(source)
    assert list(opened_files(tmp_path / "x.py")) == [f"x.py:2: {name}"]


def test_crates_depend_on_what_the_map_allows() -> None:
    assert forbidden_dependencies(ROOT) == []


@pytest.mark.parametrize("reader", ["analysis", "report"])
def test_a_stored_result_is_read_without_what_measures(reader: str) -> None:
    assert not reachable(PACKAGES, reader) & MEASURING


@pytest.mark.parametrize(("one", "other"), list(combinations(MEETING_ONLY_IN_TRIAL, 2)))
def test_engine_loader_workload_and_driver_do_not_know_each_other(one: str, other: str) -> None:
    assert one not in reachable(CRATES, other)
    assert other not in reachable(CRATES, one)
    assert one not in CRATES_FOR_TESTS.get(other, set())
    assert other not in CRATES_FOR_TESTS.get(one, set())


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("report/html.py", "import dbdyno.run.journal", ":1: report imports run"),
        ("report/html.py", "from dbdyno.cli.main import main", ":1: report imports cli"),
        ("report/html.py", "from dbdyno import errors, watch", ":1: report imports watch"),
        ("report/html.py", "from ..target import mysql", ":1: report imports target"),
        ("report/__init__.py", "from .. import dataset", ":1: report imports dataset"),
        (
            "analysis/summary.py",
            "def summarise() -> None:\n    from dbdyno.generator import start\n",
            ":2: analysis imports generator",
        ),
        (
            "analysis/summary.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dbdyno.run import Run\n",
            ":3: analysis imports run",
        ),
        (
            "target/mysql.py",
            "from dbdyno.store.model import StoredTrial",
            ":1: target imports store",
        ),
        ("errors.py", "import dbdyno.cli", ":1: errors imports cli"),
        ("peers/call/run.py", "import dbdyno.cli", ":1: peers.call imports cli"),
        ("peers/call/run.py", "from dbdyno.peers import tpcc", ":1: peers.call imports peers.tpcc"),
        ("tpcc/check.py", "from dbdyno.tpcc.acid import x", ":1: tpcc imports tpcc.acid"),
        ("peers/new/run.py", "import dbdyno.target", ":1: peers imports target"),
        ("extras/module.py", "", ": extras is not in the table"),
    ],
)
def test_a_forbidden_import_is_found(path: str, source: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "dbdyno" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    assert forbidden_imports(tmp_path / "dbdyno") == [f"dbdyno/{path}{expected}"]


def test_an_allowed_import_is_not_found(tmp_path: Path) -> None:
    file = tmp_path / "dbdyno" / "report" / "html.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "import dbdyno, json\n"
        "from dbdyno import __version__, errors\n"
        "from dbdyno.analysis.findings import Findings\n"
        "from . import charts\n"
        "from .charts import run\n"
    )
    assert forbidden_imports(tmp_path / "dbdyno") == []


@pytest.mark.parametrize(
    ("crate", "dependencies", "expected"),
    [
        ("engine", '[dependencies]\ndriver = {path = "../driver"}', ["engine depends on driver"]),
        (
            "engine",
            '[dev-dependencies]\ndriver = {path = "../driver"}',
            ["engine depends on driver"],
        ),
        (
            "workload",
            '[dependencies]\ndrive = {path = "../driver", package = "driver"}',
            ["workload depends on driver"],
        ),
        ("workload", '[dependencies]\npyo3 = "0.30"', ["workload depends on pyo3"]),
        ("bindings", '[dependencies]\npyo3 = "0.30"', []),
        ("extras", "", ["extras is not in the table"]),
    ],
)
def test_a_forbidden_dependency_is_found(
    crate: str, dependencies: str, expected: list[str], tmp_path: Path
) -> None:
    (tmp_path / "Cargo.toml").write_text('[workspace]\nresolver = "3"\nmembers = ["*"]\n')
    for name, tables in {"driver": "", crate: dependencies}.items():
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src" / "lib.rs").touch()
        (tmp_path / name / "Cargo.toml").write_text(f'[package]\nname = "{name}"\n{tables}\n')
    assert forbidden_dependencies(tmp_path) == expected
