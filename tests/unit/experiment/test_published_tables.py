"""Published tables that an experiment file names: what is refused, with the exact message."""

# Each message stands on one line, as it is printed.
# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.cli.planning import read_and_plan
from dbdyno.errors import InputError
from dbdyno.published.given import read_given

HEAD = """\
experiment: e
question: Which?
workload: {sysbench: {script: oltp_point_select, table_size: 100}}
target: {sqlite: {}}
factors: {clients: [8, 16], pool: {sets: server.cache_size, levels: [-100, -200]}}
report:
  published:
"""
FILES = {
    "theirs.csv": "system,threads,pool_mib,tps\nA,8,1,100\nA,16,1,200\nB,8,2,130\nB,16,2,250\n",
    "theirs-claims.csv": "threads,claimed_tps_improvement_percent\n8,30\n",
    "empty.csv": "a,b\n",
    "theirs.txt": "system,tps\nA,1\n",
    "wrong.yaml": "columns: {sistem: subject}\n",
    "claims.yaml": "claims: [{says: faster, subject: C}]\n",
    "other/theirs.csv": "system,tps\nA,1\n",
}
SOURCE = "    - source: their report\n      files: [theirs.csv]\n"
MISTAKES = [
    ("    - {files: [theirs.csv]}", "8: report.published[0].source: is missing; add it, as in source: vendor's test report of 2024, 9 servers of 96 CPUs"),
    ("    - {source: x}", "8: report.published[0].files: is missing; add it, as in files: [figures.csv]"),
    ("    - {source: x, files: []}", "8: report.published[0].files: is empty; give at least one entry"),
    ("    - {source: '', files: [theirs.csv]}", "8: report.published[0].source: is empty; say it in words"),
    ("    - {source: 'mysql://u:secret@h/db', files: [theirs.csv]}", "8: report.published[0].source: holds a password; take it out"),
    ("    - source: x\n      files:\n        - theirs.csv\n        - gone.csv", "11: report.published[0].files[1]: there is no file {folder}/gone.csv; the path is relative to the experiment file"),
    ("    - {source: x, files: [other]}", "8: report.published[0].files[0]: {folder}/other is a folder; name the files in it"),
    ("    - {source: x, files: [theirs.txt]}", "8: report.published[0].files: {folder}/theirs.txt: is no table by its name; name a CSV, Markdown or HTML file whose columns are headed, or a folder of such files"),
    ("    - {source: x, files: [empty.csv]}", "8: report.published[0].files: {folder}/empty.csv: has no table with figures; name a CSV, Markdown or HTML file whose columns are headed, or a folder of such files"),
    ("    - {source: x, files: [theirs.csv, other/theirs.csv]}", "8: report.published[0].files[1]: has the name of {folder}/theirs.csv; rename one, or make it a source of its own"),
    ("    - {source: x, files: [theirs.csv], columns: gone.yaml}", "8: report.published[0].columns: there is no file {folder}/gone.yaml; the path is relative to the experiment file"),
    ("    - {source: x, files: [theirs.csv], columns: wrong.yaml}", "8: report.published[0].files: {folder}/wrong.yaml: the description names the column 'sistem'; did you mean 'system'?"),
    ("    - {source: x, files: [theirs.csv], columns: claims.yaml}", "8: report.published[0]: theirs.csv: a claim of the description names 'C'; known: A, B"),
    (SOURCE + "      match: {thread: clients}", "10: report.published[0].match.thread: no table has such a column; did you mean 'threads'?"),
    (SOURCE + "      match:\n        threads: client", "11: report.published[0].match.threads: 'client' is no factor; did you mean 'clients'?"),
    (SOURCE + "      match:\n        pool_mib: {factor: pool, levels: {1: -100, 2: -300}}", "11: report.published[0].match.pool_mib.levels.2: '-300' is no level of pool; did you mean '-200'?"),
    (SOURCE + "      match: {pool_mib: {factor: pool, levels: {3: -100}}}", "10: report.published[0].match.pool_mib.levels.3: the column has no such level; known: 1, 2"),
    (SOURCE + "      match: {pool_mib: {factor: pool, levels: {1: -100, 2: -100}}}", "10: report.published[0].match.pool_mib.levels.2: another level stands for '-100' already; keep one of them"),
    (SOURCE + "      match: {pool_mib: {factor: pool, levels: {1: -100, 2: -100}, at: {'2': {clients: 8}}}}", "10: report.published[0].match.pool_mib.at.2.clients: name the level of clients for all others in at, beside match"),
    (SOURCE + "      match: {pool_mib: {factor: pool, levels: {1: -100, 2: -100}, at: {'3': {clients: 8}}}}", "10: report.published[0].match.pool_mib.at.3: the column has no such level; known: 1, 2"),
    (SOURCE + "      match: {pool_mib: {factor: pool, levels: {1: -100, 2: -100}, at: {'2': {client: 8}}}}", "10: report.published[0].match.pool_mib.at.2.client: 'client' is no factor; did you mean 'clients'?"),
    (SOURCE + "      match: {pool_mib: {factor: pool, levels: {1: -100, 2: -100}, at: {'2': {clients: 9}}}}", "10: report.published[0].match.pool_mib.at.2.clients: '9' is no level of clients; known: 8, 16"),
    (SOURCE + "      match: {threads: clients, pool_mib: clients}", "10: report.published[0].match.pool_mib: threads stands for clients already; keep one of them"),
    (SOURCE + "      at: {client: 8}", "10: report.published[0].at.client: 'client' is no factor; did you mean 'clients'?"),
    (SOURCE + "      at: {clients: 9}", "10: report.published[0].at.clients: '9' is no level of clients; known: 8, 16"),
    (SOURCE + "      match: {threads: clients}\n      at: {clients: 8}", "11: report.published[0].at.clients: the column threads stands for it; remove one of the two"),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def written(folder: Path, published: str) -> Path:
    path = folder / "e.yaml"
    path.write_text(HEAD + published + "\n")
    return path


@pytest.mark.parametrize(("published", "message"), MISTAKES)
def test_mistakes_are_told_with_file_line_and_field(
    folder: Path, published: str, message: str
) -> None:
    path = written(folder, published)
    with pytest.raises(InputError) as refused:
        read_and_plan(path, smoke=False)
    assert str(refused.value) == f"{path}:{message.replace('{folder}', str(folder))}"


def test_levels_are_the_same_however_they_are_written(folder: Path) -> None:
    match = "      match: {pool_mib: {factor: pool, levels: {1.0: -100.0, '2': -200}}}"
    experiment, _ = read_and_plan(written(folder, SOURCE + match), smoke=False)
    (found,) = read_given(experiment)
    assert found.match["pool_mib"].levels == {"1": "-100", "2": "-200"}


def test_a_smoke_run_needs_none_of_the_levels(folder: Path) -> None:
    match = "      match: {threads: {factor: clients, levels: {8: 8, 16: 16}}}"
    experiment, _ = read_and_plan(written(folder, SOURCE + match), smoke=True)
    assert [level.label for level in experiment.factors[0].levels] == ["2", "4"]


def test_a_claim_may_stand_in_a_file_of_its_own(folder: Path) -> None:
    files = "    - {source: x, files: [theirs.csv, theirs-claims.csv]}"
    experiment, _ = read_and_plan(written(folder, files), smoke=False)
    (found,) = read_given(experiment)
    assert [len(table.claims) for table in found.tables] == [0, 1]


def test_what_stands_in_needs_none_of_the_levels_either(folder: Path) -> None:
    smoke = "smoke: {factors: {clients: [1, 2], pool: null}}"
    match = "      match: {pool_mib: {factor: pool, levels: {1: -100, 2: -200}}}\n"
    path = written(folder, SOURCE + match + smoke)
    experiment, _ = read_and_plan(path, smoke=True)
    assert [factor.name for factor in experiment.factors] == ["clients"]
    (found,) = read_given(experiment)
    assert found.match["pool_mib"].factor == "pool"


def test_a_mistake_in_the_section_smoke_has_its_own_line(folder: Path) -> None:
    smoke = "smoke:\n  report:\n    published: [{source: x, files: [gone.csv]}]"
    path = written(folder, SOURCE + smoke)
    with pytest.raises(
        InputError, match=r"e.yaml:12: .*published\[0\].files\[0\]: there is no file"
    ):
        read_and_plan(path, smoke=True)
