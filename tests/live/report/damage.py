"""Damages the files of a result, in ways that a seed chooses."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

Damage = Callable[[Path, random.Random], str]
"""Damages a file and says how."""

VALUES: tuple[Any, ...] = (
    None,
    "",
    "x",
    -1,
    0,
    1.5,
    1e308,
    True,
    [],
    {},
    [None],
    {"x": {}},
    "9" * 99,
)


def damage(path: Path, chance: random.Random) -> str:
    """Damage one file in one way."""
    ways: list[Damage] = [_cut, _empty, _remove, _flip, _fill, _make_folder]
    ways += {
        ".json": [_change_document] * 12,
        ".jsonl": [_change_lines] * 6,
        ".parquet": [_drop_column, _retype_column, _blank_column, _change_rows, _change_value] * 3,
        ".hlog": [_change_line] * 8,
    }.get(path.suffix, [])
    return chance.choice(ways)(path, chance)


def _cut(path: Path, chance: random.Random) -> str:
    content = path.read_bytes()
    length = chance.randrange(len(content) or 1)
    path.write_bytes(content[:length])
    return f"cut after {length} bytes"


def _empty(path: Path, _: random.Random) -> str:
    path.write_bytes(b"")
    return "empty"


def _remove(path: Path, _: random.Random) -> str:
    path.unlink()
    return "removed"


def _flip(path: Path, chance: random.Random) -> str:
    content = bytearray(path.read_bytes())
    places = [chance.randrange(len(content)) for _ in range(chance.choice((1, 3, 50)))]
    for place in places if content else ():
        content[place] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return f"bits flipped at {places}"


def _fill(path: Path, chance: random.Random) -> str:
    path.write_bytes(chance.randbytes(chance.choice((1, 100, 5000))))
    return "filled with noise"


def _make_folder(path: Path, _: random.Random) -> str:
    path.unlink()
    path.mkdir()
    return "a folder in its place"


def _change_document(path: Path, chance: random.Random) -> str:
    document, how = _changed(json.loads(path.read_bytes()), chance)
    path.write_text(json.dumps(document))
    return how


def _change_lines(path: Path, chance: random.Random) -> str:
    lines = path.read_text().splitlines()
    number = chance.randrange(len(lines))
    document, how = _changed(json.loads(lines[number]), chance)
    lines[number] = chance.choice((json.dumps(document), "{", "[1", "null", "\0"))
    path.write_text("\n".join(lines) + "\n")
    return f"line {number}: {how} or {lines[number][:20]}"


def _changed(document: Any, chance: random.Random) -> tuple[Any, str]:
    """Return a document with one value replaced, removed or added, at whatever depth."""
    way: list[Any] = []
    node = document
    while isinstance(node, dict | list) and node and (not way or chance.random() < 0.75):
        parent, key = node, chance.choice([*(node if isinstance(node, dict) else range(len(node)))])
        way.append(key)
        node = parent[key]
    if not way:
        return chance.choice(VALUES), "replaced as a whole"
    if chance.random() < 0.3:
        del parent[key]
        return document, f"{way} removed"
    parent[key] = chance.choice(VALUES)
    return document, f"{way} set to {parent[key]!r}"


def _drop_column(path: Path, chance: random.Random) -> str:
    table = pl.read_parquet(path)
    column = chance.choice(table.columns)
    _write(table.drop(column), path)
    return f"without column {column}"


def _retype_column(path: Path, chance: random.Random) -> str:
    table = pl.read_parquet(path)
    column, kind = (
        chance.choice(table.columns),
        chance.choice((pl.String(), pl.Float64(), pl.Int8())),
    )
    values = pl.col(column)
    if table.schema[column] == pl.Categorical:
        values = values.cast(pl.String)  # No other kind can be made of it.
    _write(table.with_columns(values.cast(kind, strict=False)), path)
    return f"column {column} as {kind}"


def _blank_column(path: Path, chance: random.Random) -> str:
    table = pl.read_parquet(path)
    column = chance.choice(table.columns)
    blank = pl.lit(None, table.schema[column]).alias(column)
    _write(table.with_columns(blank), path)
    return f"column {column} without values"


def _change_rows(path: Path, chance: random.Random) -> str:
    table = pl.read_parquet(path)
    count = chance.choice((0, 1, table.height // 2))
    _write(pl.concat([table, table]) if chance.random() < 0.2 else table.head(count), path)
    return f"{count} rows, or twice as many"


def _change_value(path: Path, chance: random.Random) -> str:
    table = pl.read_parquet(path)
    numbers = [name for name, kind in table.schema.items() if kind.is_numeric()]
    if not numbers:
        return "nothing"
    column = chance.choice(numbers)
    value = chance.choice((0, -1, 10**12, None))
    _write(
        table.with_columns(pl.lit(value).cast(table.schema[column], strict=False).alias(column)),
        path,
    )
    return f"column {column} all {value}"


def _write(table: pl.DataFrame, path: Path) -> None:
    content = io.BytesIO()
    table.write_parquet(content)
    path.write_bytes(content.getvalue())


def _change_line(path: Path, chance: random.Random) -> str:
    lines = path.read_text().splitlines()
    number = chance.randrange(len(lines))
    line = lines[number]
    parts = line.split(",")
    ways = (
        "",
        line[: len(line) // 2],
        "\n".join([line, line]),
        line[::-1],
        ",".join([*parts, "x"]),
    )
    lines[number] = chance.choice((*ways, line.replace("Tag=", "Tag=x"), line.replace("A", "B")))
    path.write_text("\n".join(lines) + "\n")
    return f"line {number} changed"


def copy(result: Path, target: Path) -> None:
    """Copy a result."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(result, target)
