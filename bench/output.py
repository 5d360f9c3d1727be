"""The figures as a table, and as JSON beside it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.figures import Figure

FACTS_SHOWN = ("cpu_model", "cpu_usable_count", "virtual_machine", "kernel", "distribution")


def print_table(
    console: Console, figures: Sequence[Figure], facts: Mapping[str, Any], conditions: Sequence[str]
) -> None:
    """Print all figures by section, and under what conditions they were measured."""
    table = Table(title="dbdyno's own benchmark", title_justify="left", box=None, pad_edge=False)
    table.add_column("figure", no_wrap=True)
    table.add_column("median", justify="right")
    table.add_column("spread", justify="right")
    table.add_column("target", justify="right")
    table.add_column("met")
    table.add_column("medians, ours first")
    section = ""
    for figure in figures:
        if figure.section != section:
            section = figure.section
            table.add_row(f"[bold]{section}[/]")
        table.add_row(*_cells(figure))
    console.print(table)
    for condition in (*conditions, *conditions_of_machine(facts)):
        console.print(condition, soft_wrap=True)


def conditions_of_machine(facts: Mapping[str, Any]) -> tuple[str, str]:
    """Return which machine it was, and how its programs shared it."""
    shown = "; ".join(str(facts[name]) for name in FACTS_SHOWN if facts.get(name) is not None)
    return f"machine: {shown}", f"scheduler: {_scheduler(facts)}"


def _scheduler(facts: Mapping[str, Any]) -> str:
    """Return what decides how programs share CPUs, and what system calls cost."""
    autogroup = facts.get("kernel_settings", {}).get("kernel.sched_autogroup_enabled")
    groups = {"0": "off", "1": "on"}.get(str(autogroup), "not known")
    return (
        f"groups of sessions (autogroup) {groups}; each program and the server have a session of "
        "their own, and so has each process of PostgreSQL; kernel parameters: "
        f"{facts.get('kernel_parameters') or 'none that change its speed'}"
    )


def write_json(
    path: Path, figures: Sequence[Figure], facts: Mapping[str, Any], conditions: Sequence[str]
) -> None:
    """Write everything that was found for programs to read."""
    document = {
        "figures": [figure.to_dict() for figure in figures],
        "conditions": list(conditions),
        "machine": dict(facts),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _cells(figure: Figure) -> tuple[str, ...]:
    spread, target = figure.spread, figure.target
    one = spread.least == spread.largest
    return (
        f"  {figure.name}",
        f"{number(spread.median)} {figure.unit}".strip(),
        "" if one else f"{number(spread.least)} to {number(spread.largest)}",
        "" if target is None else f"{target.bound} {target.value:g}",
        {True: "yes", False: "[bold]NO[/]", None: ""}[figure.met],
        figure.detail,
    )


def number(value: float) -> str:
    """Return a figure with three digits."""
    if math.isnan(value):
        return "–"
    return f"{value:.0f}" if value == int(value) else f"{value:.3g}"
