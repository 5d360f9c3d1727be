"""Reads the definitions of tables from a server's catalog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from dbdyno._native import Session
from dbdyno.database.secrets import shown_setting
from dbdyno.schema.dialect import DIALECTS, Dialect
from dbdyno.schema.model import Schema, TableDefinition
from dbdyno.size.asking import Connect, ask

Row = tuple[str | None, ...]


def read_schema(connect: Connect, database: str, tables: Sequence[str] | None) -> Schema:
    """Return the schema of some tables, or of all; ``database`` is mysql, postgresql or sqlite."""
    schema = ask(connect, lambda session: _read(session, database, tables))
    return Schema(database, reason=schema) if isinstance(schema, str) else schema


def _read(session: Session, database: str, tables: Sequence[str] | None) -> Schema:
    dialect = DIALECTS[database]
    ((foreign, unique),) = session.query(dialect.checks)
    return Schema(
        database,
        definitions=tuple(_grouped(_definitions(session, dialect, tables))),
        checks_foreign_keys=_switch(foreign),
        checks_unique_keys=_switch(unique),
    )


def _switch(value: str | None) -> bool | None:
    return None if value is None else value == "1"


def _definitions(
    session: Session, dialect: Dialect, tables: Sequence[str] | None
) -> Iterator[TableDefinition]:
    """Yield a definition for each table."""

    def answer(question: str) -> list[Row]:
        names = ", ".join("'" + name.replace("'", "''") + "'" for name in tables or ("",))
        condition = "1 = 1" if tables is None else "1 = 0"
        return session.query(question.format(all_tables=condition, names=names))

    columns = _texts_by_table((row[0], str(row[1])) for row in answer(dialect.columns))
    keys = _texts_by_table(_keys(answer(dialect.keys)))
    foreign_keys = _texts_by_table(_foreign_keys(answer(dialect.foreign_keys)))
    for name, storage in sorted(answer(dialect.tables), key=lambda row: str(row[0])):
        yield TableDefinition(
            (str(name),),
            # Some engines take a password among the options of a table.
            shown_setting("create_options", str(storage)),
            columns=tuple(columns[name]),
            keys=tuple(sorted(keys[name])),
            foreign_keys=tuple(sorted(foreign_keys[name])),
        )


def _texts_by_table(rows: Iterable[tuple[str | None, str]]) -> dict[str | None, list[str]]:
    texts: dict[str | None, list[str]] = defaultdict(list)
    for table, text in rows:
        texts[table].append(text)
    return texts


def _keys(rows: Iterable[Row]) -> Iterator[tuple[str | None, str]]:
    for (table, _, kind), parts in groupby(rows, lambda row: row[:3]):
        columns = ", ".join(str(row[3]) for row in parts)
        name, _, condition = str(kind).partition(" where ")
        yield table, f"{name} ({columns})" + (f" where {condition}" if condition else "")


def _foreign_keys(rows: Iterable[Row]) -> Iterator[tuple[str | None, str]]:
    for (table, _), parts in groupby(rows, lambda row: row[:2]):
        columns = list(parts)
        own = ", ".join(str(row[2]) for row in columns)
        others = ", ".join(str(row[4]) for row in columns)
        other, rule = columns[0][3], columns[0][5]
        text = f"({own}) references {other} ({others})"
        yield table, f"{text} on delete {rule}" if rule else text


def _grouped(definitions: Iterable[TableDefinition]) -> Iterator[TableDefinition]:
    """Yield each definition once, with all tables that have it: sysbench's are all alike."""
    tables: dict[TableDefinition, list[str]] = defaultdict(list)
    for each in definitions:
        tables[replace(each, tables=())].extend(each.tables)
    for definition, names in tables.items():
        yield replace(definition, tables=tuple(names))
