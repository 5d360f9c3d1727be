"""The look of every table in the terminal: columns parted by blanks, one rule below the heading."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text


def terminal_table(*headings: str, is_spaced: bool = False) -> Table:
    """Return a table with columns for words; ``is_spaced`` parts its rows by blank lines."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, 2, 0, 0),
        leading=1 if is_spaced else 0,
    )
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    return table
