"""Files that grow, are torn, cut short, replaced and removed while they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.serve import tail
from dbdyno.serve.tail import LineTail
from dbdyno.store.json_lines import JsonLinesWriter


def numbers(read: LineTail) -> list[object]:
    return [line["n"] for line in read.lines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def test_each_line_is_read_once(path: Path) -> None:
    read = LineTail(path)
    assert numbers(read) == []
    writer = JsonLinesWriter(path)
    writer.write({"n": 1})
    assert numbers(read) == [1]
    assert numbers(read) == []
    writer.write({"n": 2})
    writer.write({"n": 3})
    assert numbers(read) == [2, 3]
    assert read.beginnings == 1
    assert read.modified_unix_s > 0


def test_a_line_is_read_when_it_is_whole(path: Path) -> None:
    read = LineTail(path)
    path.write_text('{"n": 1}\n{"n"')
    assert numbers(read) == [1]
    with path.open("a") as file:
        file.write(": 2}\n")
    assert numbers(read) == [2]


def test_a_torn_line_that_its_writer_cuts_off_is_never_seen(path: Path) -> None:
    read = LineTail(path)
    path.write_text('{"n": 1}\n{"n": 2')
    assert numbers(read) == [1]
    writer = JsonLinesWriter(path)
    writer.write({"n": 3})
    assert numbers(read) == [3]
    assert read.beginnings == 1


def test_what_is_shorter_or_another_file_is_read_from_its_start(path: Path) -> None:
    read = LineTail(path)
    path.write_text('{"n": 1}\n{"n": 2}\n')
    assert numbers(read) == [1, 2]
    path.write_text('{"n": 3}\n')
    assert numbers(read) == [3]
    other = path.with_name("other")
    other.write_text('{"n": 4}\n{"n": 5}\n{"n": 6}\n')
    other.replace(path)
    assert numbers(read) == [4, 5, 6]
    assert read.beginnings == 3


def test_a_file_that_is_removed_is_read_to_its_end(path: Path) -> None:
    read = LineTail(path)
    writer = JsonLinesWriter(path)
    writer.write({"n": 1})
    assert numbers(read) == [1]
    writer.write({"n": 2})
    path.unlink()
    assert numbers(read) == [2]
    assert numbers(read) == []
    path.write_text('{"n": 9}\n')
    assert numbers(read) == [9]


def test_damaged_lines_and_long_ones(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "CHUNK_BYTES", 8)
    path.write_bytes(b'{"n": 1}\nno json\n[1]\n\xff\xfe\n{"n": 2, "long": "' + b"x" * 99 + b'"}\n')
    assert numbers(LineTail(path)) == [1, 2]


def test_a_file_that_is_let_go_of_is_gone_on_with(path: Path) -> None:
    read = LineTail(path)
    path.write_text('{"n": 1}\n')
    assert numbers(read) == [1]
    read.rest()
    with path.open("a") as file:
        file.write('{"n": 2}\n')
    assert numbers(read) == [2]
    assert read.beginnings == 1
    read.rest()
    path.write_text('{"n": 3}\n')
    assert numbers(read) == [3]
    assert read.beginnings == 2


def test_a_link_is_not_followed(path: Path) -> None:
    elsewhere = path.with_name("elsewhere")
    elsewhere.write_text('{"n": 1}\n')
    path.symlink_to(elsewhere)
    assert numbers(LineTail(path)) == []
