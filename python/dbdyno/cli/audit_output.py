"""What ``dbdyno audit`` prints: findings by gravity, each with its figures; or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from dbdyno.analysis.audit.join import unjoined
from dbdyno.analysis.audit.model import AuditFinding, Gravity
from dbdyno.experiment.file.quantity import without_commands
from dbdyno.report.words.audit import evidence_lines, gravity_in_words, headline, what_is_right
from dbdyno.results_table.model import ResultsTable

LINES_SHOWN = 12
"""So many lines of evidence are printed of one finding, unless all are wanted."""

_STYLES = {
    Gravity.WRONG: "bold red",
    Gravity.UNSUPPORTED: "bold yellow",
    Gravity.MISLEADING: "bold cyan",
}


def print_findings(
    tables: Sequence[ResultsTable], found: Sequence[AuditFinding], *, everything: bool
) -> None:
    """Print all findings, what could not be read, and what was looked at."""
    console = Console(highlight=False)
    for gravity in Gravity:
        of_gravity = [each for each in found if each.gravity is gravity]
        if of_gravity:
            console.print(_text(gravity_in_words(gravity), style=_STYLES[gravity]))
            console.print()
            for finding in of_gravity:
                _print_finding(console, finding, everything=everything)
    for line in (*_noted(tables), *_not_read(tables)):
        console.print(_text(line))
    console.print(_text(_summary(tables, found), style="bold"))


def _text(said: str, style: str = "") -> Text:
    """Return a line to print; names of files and cells may hold commands to a terminal."""
    return Text(without_commands(said), style=style)


def _print_finding(console: Console, finding: AuditFinding, *, everything: bool) -> None:
    console.print(_text(f"{finding.table}: {headline(finding)} [{finding.code}]", style="bold"))
    lines = evidence_lines(finding)
    shown = lines if everything else lines[:LINES_SHOWN]
    for line in shown:
        console.print(_text(f"  - {line}"))
    if len(lines) > len(shown):
        console.print(_text(f"  - and {len(lines) - len(shown)} more; --all prints them"))
    console.print(_text(f"  Right: {what_is_right(finding)}", style="italic"))
    console.print()


_FACTS = {
    "warehouses": "{value} warehouses",
    "window_s": "a window of {value} s",
    "warmup_s": "a warm-up of {value} s",
    "success_percent": "a success of {value} %",
}


def _noted(tables: Sequence[ResultsTable]) -> list[str]:
    """Return what texts beside the tables tell of their set-up, a line for each of theirs."""
    told: dict[tuple[str, str, int], list[str]] = {}
    for table in tables:
        for note in table.notes if table.figures else ():
            fact = _FACTS[note.fact].format(value=f"{note.value:g}")
            told.setdefault((table.name, note.file, note.line), []).append(fact)
    return [
        f"{name}: taken from {file}, line {line}: {', '.join(facts)}"
        for (name, file, line), facts in told.items()
    ]


def _not_read(tables: Sequence[ResultsTable]) -> list[str]:
    """Return what the audit had to pass over, a line each."""
    lines = [
        f"{place.table}: line {place.line}, {place.column}: is no number and was passed over"
        for table in tables
        for place in table.unread
    ]
    return lines + [
        f"{table.name}: its claims belong to no table of this call; name the file of their "
        "figures too, or give data: FILE in its description"
        for table in unjoined(tables)
    ]


def _summary(tables: Sequence[ResultsTable], found: Sequence[AuditFinding]) -> str:
    figures = sum(len(table.figures) for table in tables)
    claims = sum(len(table.claims) + len(table.stated) for table in tables)
    looked = f"{len(tables)} tables, {figures:,} figures, {claims:,} claims"
    if len(tables) == 1:
        looked = looked.replace("tables", "table")
    if not found:
        return f"Nothing was found ({looked})."
    return f"{len(found)} {'finding' if len(found) == 1 else 'findings'} ({looked})."


def print_json(tables: Sequence[ResultsTable], found: Sequence[AuditFinding]) -> None:
    """Print findings with their codes, figures and words, and what could not be read."""
    said = {
        "tables": [
            {
                "name": table.name,
                "path": str(table.path),
                "columns": {column.name: column.role.value for column in table.columns},
                "figures": len(table.figures),
                "claims": len(table.claims) + len(table.stated),
            }
            for table in tables
        ],
        "findings": [_finding(each) for each in found],
        "noted": _noted(tables),
        "not_read": _not_read(tables),
    }
    print(json.dumps(said, indent=2, ensure_ascii=False))


def _finding(finding: AuditFinding) -> dict[str, object]:
    return {
        "code": finding.code.value,
        "variant": finding.variant,
        "gravity": finding.gravity.value,
        "table": finding.table,
        "headline": headline(finding),
        "right": what_is_right(finding),
        "figures": dict(finding.figures),
        "evidence": [
            {"kind": line.kind, "text": text, **dict(line.figures)}
            for line, text in zip(finding.lines, evidence_lines(finding), strict=True)
        ],
    }
