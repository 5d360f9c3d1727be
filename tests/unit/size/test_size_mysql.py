"""What a server of the MySQL family answers, by storage engine, and what is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import cast

import pytest

from dbdyno._native import Session
from dbdyno.size import DiskSize, size_on_disk

Rows = Sequence[tuple[str | None, ...]]


class Script:
    """A session whose answers are written down, each with a word of its question."""

    def __init__(self, answers: Mapping[str, Rows | str]) -> None:
        self._answers = answers

    def query(self, sql: str) -> Rows:
        """Return the answer to the first word that the question has; a text is an error."""
        for word, answer in self._answers.items():
            if word in sql:
                if isinstance(answer, str):
                    raise RuntimeError(answer)
                return answer
        raise AssertionError(sql)


def ask(answers: Mapping[str, Rows | str], tables: Sequence[str] | None = None) -> DiskSize:
    @contextmanager
    def connect() -> Iterator[Session]:
        yield cast(Session, Script(answers))

    return size_on_disk(connect, "mysql", tables)


def tables(*engines: tuple[str, str]) -> dict[str, Rows | str]:
    return {"data_length": [(name, engine, "7") for name, engine in engines]}


INNODB: dict[str, Rows | str] = {
    "INNODB_SYS_TABLESPACES'": [("INNODB_TABLESPACES",)],
    "DATABASE()": [("my-shop",)],
    "allocated_size": [
        ("innodb_system", "1000"),
        ("my@002dshop/t", "100"),
        ("my@002dshop/p#P#p0", "20"),
        ("my@002dshop/p#p#p1", "30"),
        ("my@002dshop/t@0024", "1"),
        ("other/t", "5000"),
    ],
}


def test_files_of_a_table_and_of_its_partitions_are_added_up() -> None:
    size = ask(tables(("t", "InnoDB"), ("p", "InnoDB"), ("t$", "InnoDB")) | INNODB)
    assert size.tables_bytes == {"t": 100, "p": 50, "t$": 1}
    assert size.size_bytes == 151
    assert size.source.startswith("INNODB_TABLESPACES")
    assert ask(tables(("t", "InnoDB"), ("p", "InnoDB")) | INNODB, ["p"]).size_bytes == 50


ROCKSDB: dict[str, Rows | str] = {
    "rocksdb_ddl": [("0", "256", "r", "default"), ("0", "257", "r", "default")],
    "index_file_map": [
        ("1.sst", "0", "256", "300"),
        ("1.sst", "0", "257", "100"),
        ("1.sst", "0", "999", "400"),
        ("2.sst", "0", "256", "10"),
        ("gone.sst", "0", "256", "10"),
        ("empty.sst", "0", "256", "0"),
    ],
    "sst_props": [("1.sst", "200"), ("2.sst", "8"), ("empty.sst", "3")],
    "cfstats": [("default", "0"), ("__system__", "1048576")],
}


def test_tables_of_myrocks_have_their_part_of_each_file() -> None:
    size = ask(tables(("r", "ROCKSDB")) | ROCKSDB)
    # Half of what is in the first file is the table's, and all of the second one.
    assert size.size_bytes == 100 + 8
    assert size.note is None
    full = ROCKSDB | {"cfstats": [("default", str(3 << 20)), ("__system__", "0")]}
    assert "up to 3.0 MiB of rows were in memory" in (
        ask(tables(("r", "ROCKSDB")) | full).note or ""
    )


def test_a_table_of_each_engine() -> None:
    all_engines = tables(("t", "InnoDB"), ("r", "ROCKSDB"), ("a", "Aria"))
    size = ask(all_engines | ROCKSDB | INNODB)
    assert size.tables_bytes == {"t": 100, "r": 108, "a": 7}
    assert size.size_bytes == 215


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (tables(("t", "InnoDB")) | INNODB | {"allocated_size": "Access denied"}, "Access denied"),
        (
            tables(("t", "InnoDB")) | INNODB | {"INNODB_SYS_TABLESPACES'": []},
            "the server has no list of InnoDB's tablespaces",
        ),
        (
            tables(("t", "InnoDB")) | INNODB | {"allocated_size": [("innodb_system", "1")]},
            "InnoDB's table t has no file of its own (innodb_file_per_table)",
        ),
        (
            tables(("t", "SPIDER")),
            "table t is in the storage engine spider, which does not tell what it takes on disk",
        ),
        (tables(("u", "InnoDB")), "there is no table t"),
        (
            tables(("t", "ROCKSDB")) | ROCKSDB,
            "MyRocks' list of indexes does not have table t",
        ),
        ({"data_length": "SELECT command\n denied"}, "SELECT command denied"),
    ],
)
def test_what_is_not_told_is_not_known_and_the_reason_is(
    answers: Mapping[str, Rows | str], reason: str
) -> None:
    assert ask(answers, ["t"]) == DiskSize(None, reason=reason)
