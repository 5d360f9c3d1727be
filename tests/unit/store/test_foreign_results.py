"""A result that came from somebody else: no file outside of it is read or written through it."""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from dbdyno import contained_files
from dbdyno._native import parquet_size
from dbdyno.errors import InputError
from dbdyno.published.stored import read_published
from dbdyno.store.json_lines import JsonLinesWriter
from dbdyno.store.writer import ResultWriter
from tests.live.run.launch import Ended, call
from tests.unit.importer.logs import DATA
from tests.unit.store.result_builder import build_result, make_plan
from tests.unit.store.test_store_interruption import killed_result

REFUSED = "is a symbolic link, which is not followed"
READ = (
    *("format.json", "plan.json", "host.json", "journal.jsonl", "experiment.yaml"),
    *("trials", "trials/0001", "trials/0001/trial.json", "trials/0001/plan.json"),
    *("trials/0001/intervals.parquet", "trials/0001/window.hlog"),
)
WRITTEN = (
    *("report.html", ".report.html.unfinished", "report.md", ".report.md.unfinished"),
    *("report.figures", "report.figures/01.svg", "report.figures/.01.svg.unfinished"),
)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("built") / "result"
    build_result(directory, make_plan(rounds=2))
    return directory


@pytest.fixture
def result(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "result")


def content(folder: Path) -> dict[str, bytes]:
    """Return all that is in a folder."""
    return {
        str(path.relative_to(folder)): b"" if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def moved_out(path: Path, elsewhere: Path) -> None:
    """Put a file or a folder elsewhere, with a link in its place."""
    elsewhere.mkdir()
    path.rename(elsewhere / path.name)
    path.symlink_to(elsewhere / path.name)


def report(result: Path, *arguments: str) -> Ended:
    return call(["report", str(result), *arguments], directory=result.parent)


@pytest.mark.parametrize("name", READ)
def test_what_a_link_leads_to_is_not_read(result: Path, name: str) -> None:
    elsewhere = result.parent / "elsewhere"
    moved_out(result / name, elsewhere)
    before = content(elsewhere)
    assert REFUSED in report(result).errors
    assert content(elsewhere) == before


@pytest.mark.parametrize("name", WRITTEN)
def test_a_report_is_not_written_through_a_link(result: Path, name: str) -> None:
    elsewhere = result.parent / "elsewhere"
    is_folder = name.endswith(".figures")
    (elsewhere / name if is_folder else (elsewhere / name).parent).mkdir(parents=True)
    if not is_folder:
        (elsewhere / name).write_text("precious")
    (result / name).parent.mkdir(exist_ok=True)
    (result / name).symlink_to(elsewhere / name)
    before = content(elsewhere)
    report(result, "--format", "html,md")
    assert content(elsewhere) == before
    assert (result / "report.html").is_file()


@pytest.mark.parametrize("name", ["compare", "history"])
def test_commands_that_take_several_results_follow_no_link(result: Path, name: str) -> None:
    other = shutil.copytree(result, result.parent / "other")
    moved_out(other / "trials/0001/trial.json", result.parent / "elsewhere")
    assert REFUSED in call([name, str(result), str(other)], directory=result.parent).errors


@pytest.mark.parametrize("name", ["experiment.yaml", "plan.json", "journal.jsonl", "trials"])
def test_a_run_does_not_go_on_through_a_link(result: Path, name: str) -> None:
    elsewhere = result.parent / "elsewhere"
    moved_out(result / name, elsewhere)
    before = content(elsewhere)
    with pytest.raises(InputError, match=REFUSED):
        ResultWriter.open(result).experiment_text() and ResultWriter.open(result).has_trials()
    assert content(elsewhere) == before


@pytest.mark.parametrize(
    "name", ["trial.json", "events.jsonl", "usage.jsonl", "histograms.hlog", "intervals.parquet"]
)
def test_what_a_killed_run_left_is_not_finished_through_a_link(tmp_path: Path, name: str) -> None:
    killed_result(tmp_path / "result")
    unfinished, elsewhere = tmp_path / "result/trials/.0001.unfinished", tmp_path / "elsewhere"
    (unfinished / name).touch()
    moved_out(unfinished / name, elsewhere)
    before = content(elsewhere)
    writer = ResultWriter.open(tmp_path / "result")
    assert [trial.number for trial in writer.pending()] == [1, 2]
    writer.close()
    assert content(elsewhere) == before


def test_an_import_is_not_written_through_a_link(result: Path) -> None:
    folder = result.parent
    (folder / "precious").mkdir()
    (folder / ".out.unfinished").symlink_to(folder / "precious")
    done = call(["import", str(DATA / "hammerdb.log"), "--out", "out"], directory=folder)
    assert content(folder / "precious") == {}
    assert done.status == 0, done.errors


@pytest.mark.parametrize("file", ["../../secret.csv", "/etc/hostname", "1/table.csv"])
def test_published_copies_lie_in_the_result(result: Path, file: str) -> None:
    (result / "published/1").mkdir(parents=True)
    (result.parent / "secret.csv").write_text("clients,tps\n1,100\n")
    (result / "published/1/table.csv").symlink_to(result.parent / "secret.csv")
    source: dict[str, object] = {"source": "x", "files": [file], "columns": None, "match": {}}
    (result / "published/sources.json").write_text(json.dumps([source]))
    with pytest.raises(InputError, match=r"symbolic link|no file beside it"):
        read_published(result)


@pytest.mark.parametrize("name", ["table.csv", "columns.yaml"])
def test_published_copies_are_regular_files(result: Path, name: str) -> None:
    (result / "published/1").mkdir(parents=True)
    (result / "published/1/table.csv").write_text("clients,tps\n1,100\n")
    (result / "published/1" / name).unlink(missing_ok=True)
    os.mkfifo(result / "published/1" / name)
    columns = "1/columns.yaml" if name == "columns.yaml" else None
    source: dict[str, object] = {"source": "x", "files": ["1/table.csv"]}
    source |= {"columns": columns, "match": {}}
    (result / "published/sources.json").write_text(json.dumps([source]))
    assert "should be a regular file" in report(result).errors


@pytest.mark.parametrize("name", ["host.json", "journal.jsonl", "trials/0001/resources.parquet"])
@pytest.mark.parametrize("kind", ["a pipe", "a huge file"])
def test_only_regular_files_of_bounded_size_are_read(result: Path, name: str, kind: str) -> None:
    (result / name).unlink(missing_ok=True)
    if kind == "a pipe":
        os.mkfifo(result / name)
    else:
        (result / name).touch()
        os.truncate(result / name, 1 << 40)
    said = report(result).errors
    assert "should be a regular file" in said or "1,099,511,627,776 bytes" in said


def test_a_small_table_of_many_rows_is_refused(result: Path) -> None:
    path = result / "trials/0001/errors.parquet"
    pl.DataFrame({"a": pl.repeat(1, 100_000_001, eager=True, dtype=pl.Int8)}).write_parquet(path)
    assert path.stat().st_size < 1_000_000
    assert "100,000,001 values" in report(result).errors


@pytest.mark.parametrize("texts", [["\0" * (9 << 20)], ["\0" * (1 << 20)] * 9])
def test_a_small_table_of_long_texts_is_refused_before_they_are_there(
    result: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contained_files, "LARGEST_COLUMN_BYTES", 8 << 20)
    path = result / "trials/0001/errors.parquet"
    table = pl.DataFrame({"sample": texts}).with_row_index("row")
    table.write_parquet(path, row_group_size=1)
    assert path.stat().st_size < 20_000
    errors = report(result).errors
    assert re.search(r"errors.parquet has 9,[\d,]+ decompressed bytes in its column sample", errors)


@pytest.mark.parametrize("name", ["intervals", "generator", "errors", "percentiles"])
def test_a_table_with_damaged_headers_is_refused_in_words(result: Path, name: str) -> None:
    path = result / f"trials/0001/{name}.parquet"
    whole = path.read_bytes()
    length = int.from_bytes(whole[-8:-4], "little")
    for place in range(len(whole) - 8 - length, len(whole), 7):
        for byte in (0, 0x1C, 0xFF):
            content = whole[:place] + bytes([byte]) + whole[place + 1 :]
            with suppress(ValueError):
                rows, columns = parquet_size(content)
                assert min([rows, *columns.values()]) >= 0


def test_the_directory_itself_may_be_a_link_of_the_user(result: Path) -> None:
    (result.parent / "linked").symlink_to(result)
    done = report(result.parent / "linked")
    assert done.status == 0, done.errors
    assert (result / "report.html").is_file()


def test_a_journal_is_not_cut_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("one line\nno end")
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "precious")
    with pytest.raises(InputError, match=REFUSED):
        JsonLinesWriter(tmp_path / "journal.jsonl")
    assert (tmp_path / "precious").read_text() == "one line\nno end"
