"""The directory of an import: what is written is read again, and damage is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from dbdyno.errors import InputError, RunError
from dbdyno.importer.arrange import arrange
from dbdyno.importer.read import read_logs
from dbdyno.importer.redact import redacted
from dbdyno.importer.stored import read_import
from dbdyno.importer.storing import write_import
from dbdyno.trial_evidence import ResultEvidence

from .logs import DATA, PEERS

LOGS = [
    *(PEERS / f"go-tpc-{form}.txt" for form in ("plain", "table", "json")),
    *(PEERS / "tpcc-mysql.txt", DATA / "benchmarksql-5.0.log", DATA / "benchmarksql-result"),
    DATA / "hammerdb.log",
]


@pytest.fixture(scope="module")
def result() -> ResultEvidence:
    return arrange(read_logs(LOGS), name="mine", question="Which?")


@pytest.fixture
def directory(result: ResultEvidence, tmp_path: Path) -> Path:
    write_import(result, tmp_path / "out")
    return tmp_path / "out"


def contents(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def test_what_was_written_is_read_again(result: ResultEvidence, directory: Path) -> None:
    assert read_import(directory) == result


def test_the_same_logs_give_the_same_bytes(directory: Path, tmp_path: Path) -> None:
    write_import(arrange(read_logs(LOGS), name="mine", question="Which?"), tmp_path / "again")
    assert contents(tmp_path / "again") == contents(directory)


def test_an_import_is_replaced_as_a_whole(result: ResultEvidence, directory: Path) -> None:
    (directory / "report.html").touch()
    write_import(result, directory)
    assert not (directory / "report.html").exists()
    assert [path.name for path in directory.parent.iterdir()] == [directory.name]


def test_nothing_else_is_replaced(result: ResultEvidence, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match="exists and is no import"):
        write_import(result, tmp_path)
    with pytest.raises(InputError, match="exists and is no import"):
        write_import(result, tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").exists()


def test_logs_below_the_directory_are_not_replaced(directory: Path) -> None:
    again = arrange(read_logs([directory / "sources"]))
    with pytest.raises(InputError, match="would be replaced"):
        write_import(again, directory)


def test_a_directory_that_cannot_be_written(result: ResultEvidence, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot be written: Not a directory"):
        write_import(result, tmp_path / "file" / "out")


def test_copies_are_read_as_the_logs_were(result: ResultEvidence, directory: Path) -> None:
    copies = sorted((directory / "sources").iterdir())
    again = arrange(read_logs(copies))
    assert [each.throughput_per_s for each in again.trials] == [
        each.throughput_per_s for each in result.trials
    ]


def _edit(name: str, change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def edit(directory: Path) -> None:
        document = json.loads((directory / name).read_text())
        change(document)
        (directory / name).write_text(json.dumps(document))

    return edit


def _write(name: str, content: bytes) -> Callable[[Path], None]:
    def write(directory: Path) -> None:
        (directory / name).write_bytes(content)

    return write


def _remove(name: str) -> Callable[[Path], None]:
    return lambda directory: (directory / name).unlink()


def _table(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Callable[[Path], None]:
    def write(directory: Path) -> None:
        path = directory / "intervals.parquet"
        change(pl.read_parquet(path)).write_parquet(path)

    return write


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no format": (_remove("format.json"), "is no import: there is no format.json in it"),
    "another format": (
        _edit("format.json", lambda d: d.update(format="dbdyno-result")),
        'says format "dbdyno-result"; an import says "dbdyno-import"',
    ),
    "a later version": (
        _edit("format.json", lambda d: d.update(version=2)),
        "says version 2, written by dbdyno .*, which reads version 1",
    ),
    "no object": (_write("format.json", b"[]"), "format.json is damaged"),
    "no JSON": (_write("format.json", b"{"), "format.json is damaged"),
    "no import": (_remove("import.json"), "import.json cannot be read: No such file"),
    "half an import": (_write("import.json", b'{"name": "x"'), "import.json is damaged"),
    "no name": (_edit("import.json", lambda d: d.pop("name")), "import.json is damaged: name"),
    "no trials": (_edit("import.json", lambda d: d.update(trials=[])), "it has no trial"),
    "other factors": (
        _edit("import.json", lambda d: d["trials"][0].update(levels=[])),  # type: ignore[index]
        "its trials have levels of different factors",
    ),
    "no intervals": (_remove("intervals.parquet"), "intervals.parquet cannot be read"),
    "no Parquet": (_write("intervals.parquet", b"PAR1"), "intervals.parquet is damaged"),
    "a column less": (_table(lambda t: t.drop("mean_ms")), "its columns should be trial, start_s"),
    "another type": (
        _table(lambda t: t.with_columns(pl.col("trial").cast(pl.String))),
        "its columns should be",
    ),
    "no such trial": (
        _table(lambda t: t.with_columns(trial=pl.lit(99, pl.UInt32))),
        "a row belongs to no trial",
    ),
    "no time": (
        _table(lambda t: t.with_columns(start_s=pl.lit(None, pl.Float64))),
        "or tells no time",
    ),
    "half the percentiles": (
        _table(lambda t: t.with_columns(quantiles_ms=pl.lit([], pl.List(pl.Float64)))),
        "percentiles and their times differ in number",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_refused(name: str, directory: Path) -> None:
    damage, message = DAMAGES[name]
    damage(directory)
    with pytest.raises(InputError, match=message):
        read_import(directory)


SECRETS = """\
       [pass]: s3cret
option p with value 's3cret'
password=s3cret
conn=jdbc:mysql://h/db?user=a&password=s3cret&useSSL=false
+ sysbench oltp --mysql-password=s3cret run
+ sysbench oltp --pgsql-password='s3cret' run
mysqlslap -uroot -ps3cret --concurrency=4
tpcc_start -h127.0.0.1 -P3306 -dtpcc -uroot -p s3cret -w10
./bin/go-tpc tpcc run -U root -p s3cret -T 8
diset tpcc mysql_pass s3cret
diset tpcc pg_superuserpass s3cret
mysql_pass = s3cret
Command line: -db x -p db.url=jdbc:mysql://h/d -p db.user=root -p db.passwd=s3cret -t
pgbench postgresql://me:s3cret@host/db
PGPASSWORD=s3cret pgbench -c 4
MYSQL_PWD=s3cret mysqlslap
    "password": "s3cret",
<password>s3cret</password>
password: s3cret
"""


@pytest.mark.parametrize("line", SECRETS.splitlines())
def test_passwords_are_taken_out_of_copies(line: str) -> None:
    assert "s3cret" not in redacted(line)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\b\b\b"])
def test_only_passwords_are_taken_out(end: str) -> None:
    lines = [f"status {n} of user@host" for n in range(1000)]
    text = end.join([*lines[:500], "password=s3cret", *lines[500:]])
    assert redacted(text) == text.replace("s3cret", "***")


@pytest.mark.parametrize(
    "line",
    [
        "mysqlslap: [Warning] Using a password on the command line interface can be insecure.",
        "[ 1s ] thds: 8 tps: 977.80 qps: 19647.96 (r/w/o: 13773.15/3911.21/1963.60)",
        "FATAL: Access denied for user 'sb'@'localhost' (using password: YES)",
        "     [server]: 127.0.0.1",
    ],
)
def test_what_is_no_password_stays(line: str) -> None:
    assert redacted(line) == line


def test_no_file_of_an_import_has_a_password(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    shutil.copytree(DATA / "benchmarksql-result", folder / "result")
    properties = folder / "result" / "run.properties"
    properties.write_text(properties.read_text().replace("password=sb", "password=s3cret"))
    tpcc = (PEERS / "tpcc-mysql.txt").read_text()
    tpcc = tpcc.replace("[pass]: sb", "[pass]: s3cret").replace(
        "option p with value 'sb'", "option p with value 's3cret'"
    )
    (folder / "tpcc.log").write_text(SECRETS + tpcc)
    shutil.copy(DATA / "hammerdb.log", folder)
    assert b"s3cret" in (folder / "hammerdb.log").read_bytes()
    result = arrange(read_logs([folder]))
    assert len(result.trials) == 3
    write_import(result, tmp_path / "out")
    for name, content in contents(tmp_path / "out").items():
        assert b"s3cret" not in content, name
