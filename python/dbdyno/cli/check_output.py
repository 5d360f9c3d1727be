"""What ``dbdyno check`` shows: a table of the conditions, below it what violates them; or JSON."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from dbdyno.report.terminal_table import terminal_table
from dbdyno.tpcc.check import ConditionResult, Progress
from dbdyno.tpcc.condition import Condition
from dbdyno.tpcc.schema import TpccSchema
from dbdyno.tpcc.tables import Run

SIZE = "size"
"""In place of a number, for what is no condition."""


LINE_EVERY_S = 10.0


class ProgressLines:
    """Tells every few seconds, in a line on standard error, what is looked at.

    What is over before is told nothing of: only who waits wants to know.
    """

    def __init__(self, present: int) -> None:
        self._present = present
        self._looked_at = "waiting for a snapshot of all tables"
        self._is_over = threading.Event()

    def show(self, condition: Condition, run: Run) -> None:
        """Take note of what is looked at from here on."""
        self._looked_at = _looked_at(condition, run, self._present)

    @contextmanager
    def showing(self) -> Iterator[Progress]:
        """Tell it while the block runs."""
        teller = threading.Thread(target=self._tell, daemon=True)
        teller.start()
        try:
            yield self.show
        finally:
            self._is_over.set()
            teller.join()

    def _tell(self) -> None:
        while not self._is_over.wait(LINE_EVERY_S):
            print(self._looked_at, file=sys.stderr, flush=True)


class CheckOutput:
    """The results of one check, on a terminal, in a pipe or as JSON."""

    def __init__(
        self, schema: TpccSchema, warehouses: Sequence[int], present: int, *, as_json: bool
    ) -> None:
        self._schema = schema
        self._warehouses = warehouses
        self._present = present
        self._as_json = as_json
        self._console = Console(highlight=False)

    @contextmanager
    def showing(self) -> Iterator[Progress]:
        """Show what is looked at while the block runs; where this is no terminal, line by line.

        A condition may take minutes, and through a layer hours.
        """
        if self._as_json or not self._console.is_terminal:
            with ProgressLines(self._present).showing() as note:
                yield note
            return
        with self._console.status("") as status:

            def show(condition: Condition, run: Run) -> None:
                status.update(_looked_at(condition, run, self._present))

            yield show

    def print(self, results: Sequence[ConditionResult]) -> None:
        """Print all results."""
        if self._as_json:
            self._print_json(results)
            return
        self._console.print(Text(self._heading()), soft_wrap=True)
        self._console.print()
        table = terminal_table("", "condition", "result", "s")
        for result in results:
            said = "ok" if result.holds else f"{result.violations:,} violate it"
            colour = "green" if result.holds else "red"
            table.add_row(
                _name(result), result.title, Text(said, style=colour), f"{result.elapsed_s:.2f}"
            )
        self._console.print(table)
        for result in results:
            if not result.holds:
                self._print_violations(result)
        self._console.print(Text(f"\n{_verdict(results)}"), soft_wrap=True)

    def _heading(self) -> str:
        schema, number = self._schema, len(self._warehouses)
        warehouses = "1 warehouse" if number == 1 else f"{number:,} warehouses"
        if number != self._present:
            listed = ", ".join(map(str, self._warehouses[:10])) + (", …" if number > 10 else "")
            warehouses += f" of {self._present:,} ({listed})"
        tables = f"tables of {schema.name} ({schema.names.orders}, …)"
        return f"TPC-C consistency: {tables}, {warehouses}"

    def _print_violations(self, result: ConditionResult) -> None:
        name = result.title if result.number is None else f"Condition {result.number}"
        title = f"\n{name}: {_count(result)}"
        self._console.print(Text(title, style="bold"), soft_wrap=True)
        table = terminal_table(*result.columns)
        for row in result.rows:
            table.add_row(*("NULL" if value is None else Text(value) for value in row))
        self._console.print(table)
        if result.explanation:
            self._console.print(Text(f"Known: {result.explanation}."), soft_wrap=True)

    def _print_json(self, results: Sequence[ConditionResult]) -> None:
        said = {
            "schema": self._schema.name,
            "tables": asdict(self._schema.names),
            "warehouses": list(self._warehouses),
            "holds": all(result.holds for result in results),
            "results": [asdict(result) | {"holds": result.holds} for result in results],
        }
        print(json.dumps(said, indent=2))


def _looked_at(condition: Condition, run: Run, present: int) -> str:
    name = condition.title if condition.number is None else condition.number
    return f"condition {name}, warehouse {run.last} of {present}"


def _name(result: ConditionResult) -> str:
    return SIZE if result.number is None else str(result.number)


def _count(result: ConditionResult) -> str:
    number, shown = result.violations, len(result.rows)
    rows = "1 row violates it" if number == 1 else f"{number:,} rows violate it"
    return rows if shown == number else f"{rows}, of which the first {shown}"


def _verdict(results: Sequence[ConditionResult]) -> str:
    failed = [result for result in results if not result.holds]
    if not failed:
        return "All hold." if len(results) > 1 else "It holds."
    names = ", ".join(_name(result) for result in failed if result.number is not None)
    sizes = sum(result.number is None for result in failed)
    said = [f"condition {names}"] if names else []
    said += [f"the size of {sizes} tables" if sizes > 1 else "the size of a table"] if sizes else []
    return f"Violated: {', '.join(said)}."
