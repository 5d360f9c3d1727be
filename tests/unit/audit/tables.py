"""Tables as people publish them, written in the three formats, and what an audit finds in them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dbdyno.analysis.audit.audit import audit
from dbdyno.analysis.audit.model import AuditFinding
from dbdyno.results_table.read import read_tables

FORMATS = ("csv", "md", "html")


@dataclass(frozen=True)
class Sheet:
    """A table with its description; ``spans`` merges equal cells below each other in HTML and
    Markdown."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    description: str = ""
    name: str = "results"
    others: tuple[Sheet, ...] = field(default=())

    def changed(self, row: int, column: str, text: str) -> Sheet:
        """Return the table with one cell changed."""
        place = self.headings.index(column)
        cells = list(self.rows[row])
        cells[place] = text
        return replace(self, rows=(*self.rows[:row], tuple(cells), *self.rows[row + 1 :]))

    def described(self, text: str) -> Sheet:
        """Return the table with a description."""
        return replace(self, description=text)

    def write(self, folder: Path, form: str) -> list[Path]:
        """Write it and those that belong to it, and return the paths."""
        folder.mkdir(exist_ok=True)
        path = folder / f"{self.name}.{form}"
        path.write_text(WRITERS[form](self), encoding="utf-8")
        if self.description:
            (folder / f"{self.name}.audit.yaml").write_text(self.description)
        return [path, *(each for other in self.others for each in other.write(folder, form))]


def as_csv(sheet: Sheet) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([sheet.headings, *sheet.rows])
    return text.getvalue()


def as_markdown(sheet: Sheet) -> str:
    """Write a pipe table; a first cell that is the one above is ``^``."""
    lines = [sheet.headings, tuple("---" for _ in sheet.headings)]
    above: Sequence[str] = ()
    for row in sheet.rows:
        is_same = bool(above) and row[0] == above[0] != ""
        lines.append(("^", *row[1:]) if is_same else row)
        above = row
    return "# Results\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_html(sheet: Sheet) -> str:
    """Write a table of HTML; equal first cells below each other are one that spans them."""
    body, place = [], 0
    while place < len(sheet.rows):
        first = sheet.rows[place][0]
        end = place
        while end < len(sheet.rows) and sheet.rows[end][0] == first:
            end += 1
        for number in range(place, end):
            cells = "".join(f"<td>{cell}</td>" for cell in sheet.rows[number][1:])
            span = f'<td rowspan="{end - place}">{first}</td>' if number == place else ""
            body.append(f"<tr>{span}{cells}</tr>")
        place = end
    heads = "".join(f"<th>{name}</th>" for name in sheet.headings)
    return f"<html><body><table><tr>{heads}</tr>{''.join(body)}</table></body></html>"


WRITERS = {"csv": as_csv, "md": as_markdown, "html": as_html}


def findings(sheet: Sheet, folder: Path, form: str) -> list[AuditFinding]:
    """Write a table and audit it."""
    return list(audit(read_tables(sheet.write(folder, form), None)))


def codes(sheet: Sheet, folder: Path, form: str) -> list[str]:
    """Return the codes of all findings."""
    return sorted(each.code.value for each in findings(sheet, folder, form))
