"""The page of figures: ``python -m bench.page RESULT.json ... [--page PAGE.md]``.

Writes what ``make bench`` found into a page, between two marks. No figure is copied by hand.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.output import conditions_of_machine, number
from dbdyno.errors import InputError

PAGE = Path("docs/cost.md")
BEGIN, END = "<!-- figures of make bench -->\n", "<!-- end of figures -->\n"

_COLUMNS = {
    "client CPU per statement over": "client CPU",
    "statements a second over": "statements/s",
    "server CPU per statement over": "server CPU",
    "clients at work of those asked for": "clients at work",
    "p95 of response times over": "p95",
}
"""How sections of a comparison begin, and the columns that they become."""
_COMPARISON = re.compile(r"(?:that under |ours and )?(sysbench|pgbench)(?:'s)?, (.+)")
_PERCENTILE = re.compile(r"p(\d+) (\S+) against (\S+)")

Record = Mapping[str, Any]


def main() -> int:
    """Write the figures of some results into a page."""
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=__doc__)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULT.json")
    parser.add_argument("--page", type=Path, default=PAGE)
    arguments = parser.parse_args()
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.results]
    text = arguments.page.read_text(encoding="utf-8")
    try:
        page = with_figures(text, documents)
    except InputError as error:
        parser.error(f"{arguments.page}: {error}")
    arguments.page.write_text(page, encoding="utf-8")
    return 0


def with_figures(text: str, documents: Sequence[Record]) -> str:
    """Return a page with the figures of some results in place of those it had."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise InputError(f"the page has no {BEGIN.strip()} … {END.strip()}")
    return "".join([before, begin, "\n", *_figures(documents), end, after])


def _figures(documents: Sequence[Record]) -> Iterator[str]:
    figures = [figure for each in documents for figure in each["figures"]]
    compared: dict[tuple[str, str], dict[str, dict[str, Record]]] = {}
    others: dict[str, list[Record]] = {}
    for figure in figures:
        found = _place(figure["section"])
        if found is None:
            others.setdefault(figure["section"], []).append(figure)
        else:
            column, comparison = found
            rows = compared.setdefault(comparison, {})
            rows.setdefault(figure["name"], {})[column] = figure
    for (peer, how), rows in compared.items():
        yield from _comparison(peer, how, rows)
    if others:
        columns = ("", "median", "least to largest", "goal", "ours first")
        yield f"## Other figures\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
    for section, entries in others.items():
        yield f"| *{section}* |{' |' * 4}\n"
        yield from map(_line, entries)
    yield "\n## Conditions\n\n"
    conditions = [line for each in documents for line in each["conditions"]]
    machine = [line for each in documents for line in conditions_of_machine(each["machine"])]
    yield from (f"- {line}\n" for line in dict.fromkeys([*conditions, *machine]))


def _place(section: str) -> tuple[str, tuple[str, str]] | None:
    """Return the column of a section, the peer, and how both reached the server."""
    for begin, column in _COLUMNS.items():
        rest = section.removeprefix(begin).lstrip(", ")
        if section.startswith(begin) and (found := _COMPARISON.fullmatch(rest)):
            return column, (found[1], found[2])
    return None


def _comparison(peer: str, how: str, rows: Mapping[str, Mapping[str, Record]]) -> Iterator[str]:
    where = "nothing pinned" if "nothing pinned" in how else "a CPU each"
    columns = [each for each in _COLUMNS.values() if any(each in row for row in rows.values())]
    yield f"## Beside {peer}, {where}\n\n"
    yield f"| | {' | '.join(columns)} | p50, p95, p99 (ms), {peer}'s below |\n"
    yield f"|---|{'---|' * len(columns)}---|\n"
    for name, row in rows.items():
        found = _PERCENTILE.findall(row["p95"]["detail"]) if "p95" in row else []
        times = (", ".join(number(float(each[side])) for each in found) for side in (1, 2))
        cells = [_cell(row.get(column)) for column in columns]
        yield f"| {name} | {' | '.join(cells)} | {'<br>'.join(times)} |\n"
    yield "\n"


def _cell(figure: Record | None) -> str:
    if figure is None:
        return ""
    spread = f"{number(figure['median'])} ({number(figure['least'])}–{number(figure['largest'])})"
    theirs = figure["detail"].partition(" against ")[2]
    if figure["unit"] == "" and theirs:
        spread += f", {number(float(theirs))}"
    return spread if figure["met"] is not False else f"**{spread}**, goal {figure['target']}"


def _line(figure: Record) -> str:
    one = figure["least"] == figure["largest"]
    spread = "" if one else f"{number(figure['least'])} to {number(figure['largest'])}"
    median = f"{number(figure['median'])} {figure['unit']}".strip()
    median = f"**{median}**" if figure["met"] is False else median
    target, detail = figure["target"] or "", figure["detail"]
    return f"| {figure['name']} | {median} | {spread} | {target} | {detail} |\n"


if __name__ == "__main__":
    sys.exit(main())
