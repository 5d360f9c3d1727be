"""Files of properties as java.util.Properties reads them, and patterns with a date."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.benchmarksql.formatter import format_date
from dbdyno.peers.benchmarksql.properties import (
    format_properties,
    parse_properties,
    read_properties,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1\nb: 2\nc 3\n", {"a": "1", "b": "2", "c": "3"}),
        ("  a  =  1  \n", {"a": "1  "}),
        ("# no\n ! no\n\na=1 # yes\n", {"a": "1 # yes"}),
        ("a=b=c:d\n", {"a": "b=c:d"}),
        ("a=\nb\n", {"a": "", "b": ""}),
        ("a=1,\\\n   2,\\\n\t3\nb=4", {"a": "1,2,3", "b": "4"}),
        ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        ("a\\=b\\:c\\ d=1", {"a=b:c d": "1"}),
        (r"a=\t\u00e9\n\q\"", {"a": '\té\nq"'}),
        ("a=1\r\nb=2\rc=3", {"a": "1", "b": "2", "c": "3"}),
        ("a=1\na=2", {"a": "2"}),
        ("a=1\\\n# not a comment", {"a": "1# not a comment"}),
        ("//To run for minutes- a must be zero\na=1\n//b=2", {"a": "1"}),
        ("conn=jdbc:mysql://h:1/d?a=b&c=d", {"conn": "jdbc:mysql://h:1/d?a=b&c=d"}),
        ("a=1\\", {"a": "1"}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


def test_properties_are_written_as_they_are_read() -> None:
    properties = {"a b=c:d#!\\": " x  y\t\n\\=:#é€", "#b": "\\", "c": "=", "d": "  "}
    assert parse_properties(format_properties(properties)) == properties


def test_a_broken_escape_is_named_with_its_line() -> None:
    with pytest.raises(InputError, match=r"^props:2: \\u must be followed by four"):
        parse_properties("a=1\nb=\\u12", "props")


def test_a_file_is_latin_1(tmp_path: Path) -> None:
    path = tmp_path / "props"
    path.write_bytes("password=gr\xfc\xdfe".encode("latin-1"))
    assert read_properties(path) == {"password": "grüße"}
    with pytest.raises(InputError, match="none cannot be read"):
        read_properties(tmp_path / "none")


MOMENT = datetime.fromisoformat("2026-01-02T15:04:05.678+00:00")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("my_result_%tY-%tm-%td_%tH%tM%tS", "my_result_{:%Y-%m-%d_%H%M%S}"),
        ("r_%1$tF_%<tT", "r_{:%F_%H:%M:%S}"),
        ("100%%_%tj", "100%_{:%j}"),
        ("%tB %Tb", "{0:%B} JAN"),
        ("%tL-%tN-%tQ", "678-678000000-1767366245678"),
        ("plain", "plain"),
    ],
)
def test_a_date_is_written_as_javas_formatter_writes_it(pattern: str, expected: str) -> None:
    assert format_date(pattern, MOMENT) == expected.format(MOMENT.astimezone())


@pytest.mark.parametrize(("pattern", "named"), [("r_%d", "'%d'"), ("r_%tx", "'%tx'"), ("%", "'%'")])
def test_what_is_no_date_is_named(pattern: str, named: str) -> None:
    with pytest.raises(InputError, match=f"resultDirectory: {named} is no conversion"):
        format_date(pattern, MOMENT)
