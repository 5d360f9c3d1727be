"""What ``dbdyno audit`` prints: findings by gravity, each with its figures; or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from dbdyno.analysis.audit.checked import Checked, Reason, Unchecked, checked_claims
from dbdyno.analysis.audit.join import unjoined
from dbdyno.analysis.audit.model import AuditFinding, Gravity
from dbdyno.experiment.file.quantity import without_commands
from dbdyno.report.words.audit import evidence_lines, gravity_in_words, headline, what_is_right
from dbdyno.results_table.model import Kind, Place, ResultsTable
from dbdyno.results_table.raw import TABLE_IN_FILE

LINES_SHOWN = 12
"""So many lines of evidence are printed of one finding, unless all are wanted."""

_STYLES = {
    Gravity.WRONG: "bold red",
    Gravity.UNSUPPORTED: "bold yellow",
    Gravity.MISLEADING: "bold cyan",
    Gravity.DOUBTFUL: "bold magenta",
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
    checked = checked_claims(tables)
    unchecked = [_unchecked(each) for each in checked.unchecked]
    shown = unchecked if everything else unchecked[:LINES_SHOWN]
    for line in (*_noted(tables), *_not_read(tables), *shown):
        console.print(_text(line))
    if len(unchecked) > len(shown):
        console.print(_text(f"and {len(unchecked) - len(shown)} more claims; --all prints them"))
    console.print(_text(_summary(tables, found, checked), style="bold"))


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
    tables_of: dict[tuple[str, int, str], dict[str, None]] = {}
    for table in tables:
        for note in table.notes if table.figures else ():
            fact = _FACTS[note.fact].format(value=f"{note.value:g}")
            tables_of.setdefault((note.file, note.line, fact), {})[table.name] = None
    lines: dict[tuple[str, str, int], list[str]] = {}
    for (file, line, fact), names in tables_of.items():
        # What a report says of itself is of all its tables.
        own = all(name.partition(TABLE_IN_FILE)[0] == file for name in names)
        for name in [file] if own else names:
            lines.setdefault((name, file, line), []).append(fact)
    return [
        f"{name}: taken from {file}, line {line}: {', '.join(facts)}"
        for (name, file, line), facts in lines.items()
    ]


def _not_read(tables: Sequence[ResultsTable]) -> list[str]:
    """Return what the audit had to pass over of tables with results, a line each."""
    lines = [
        f"{place.table}: line {place.line}, {place.column}: is no number and was passed over"
        for place in _passed_over(tables)
    ]
    lines += [
        f"{table.name}: figures stand in columns without a heading, as where merged cells were "
        "lost; what the audit says of this table may be wrong"
        for table in tables
        if any(figure.place.column == "" for figure in table.figures)
    ]
    return lines + [
        f"{table.name}: its claims belong to no table of this call; name the file of their "
        "figures too, or give data: FILE in its description"
        for table in unjoined(tables)
    ]


def _passed_over(tables: Sequence[ResultsTable]) -> list[Place]:
    return [
        place
        for table in tables
        if table.claims or any(each.metric.kind is not Kind.OTHER for each in table.figures)
        for place in table.unread
    ]


_REASONS = {
    Reason.NO_FIGURES: "it is not known which table has its figures",
    Reason.NO_PAIR: "it is not clear which two figures it compares",
    Reason.NO_RATIO: "a figure that it compares is zero or below",
    Reason.NOTHING_FOLLOWS: "no figure of its column follows from two figures of the table",
    Reason.NO_CELLS: "it is one figure for several cells, which the table does not have",
    Reason.NO_ROUNDS: "it is a mean, and the table does not have its rounds",
}


def _unchecked(claim: Unchecked) -> str:
    place = claim.place
    reason = _REASONS[claim.reason]
    where = f"line {place.line}" + (f", {place.column}" if place.column else "")
    return f"{place.table}: {where}: {claim.text} not checked: {reason}"


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _summary(
    tables: Sequence[ResultsTable], found: Sequence[AuditFinding], checked: Checked
) -> str:
    """Return what was found and in what; of claims that were not checked nothing is said."""
    figures = sum(len(table.figures) for table in tables)
    looked = f"{_counted(len(tables), 'table')}, {_counted(figures, 'figure')}"
    looked += f", {checked.claims:,} claims"
    if passed_over := len(_passed_over(tables)):
        looked += f", {_counted(passed_over, 'cell')} passed over"
    missed = len(checked.unchecked)
    if checked.claims:
        looked += f": {checked.claims - missed:,} checked" + (f", {missed:,} not" if missed else "")
    if found:
        return f"{_counted(len(found), 'finding')} ({looked})."
    if missed and missed == checked.claims:
        return f"No claim could be checked ({looked})."
    if missed:
        return f"Not all claims could be checked ({looked}). The others follow from the figures."
    return f"Nothing was found ({looked})."


def print_json(tables: Sequence[ResultsTable], found: Sequence[AuditFinding]) -> None:
    """Print findings with their codes, figures and words, and what could not be read."""
    checked = checked_claims(tables)
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
        "claims": {
            "stated": checked.claims,
            "checked": checked.claims - len(checked.unchecked),
            "unchecked": [
                {**asdict(each.place), "text": each.text, "reason": each.reason.value}
                for each in checked.unchecked
            ],
        },
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
