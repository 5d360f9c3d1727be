"""Servers that make the load in one place of a report and carry it in another."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from dbdyno.analysis.audit.audit import audit
from dbdyno.analysis.audit.model import Code, Line
from dbdyno.results_table.deployments import placed_in
from dbdyno.results_table.raw import RawRow, RawTable
from dbdyno.results_table.read import read_tables

FIGURES = "| clients | tpmC |\n|---|---|\n| 1 | 100 |\n| 8 | 700 |\n"


def deployment(*rows: tuple[str, str, str]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (("used for", "number", "address"), *rows)]
    return "\n".join([lines[0], "|---|---|---|", *lines[1:], ""])


def roles(tmp_path: Path, *tables: str) -> list[Line]:
    file = tmp_path / "report.md"
    file.write_text("\n\nText.\n\n".join([*tables, FIGURES]), encoding="utf-8")
    found = audit(read_tables([file], None))
    own = [each for each in found if each.code is Code.MAY_BE_MIXED_UP]
    assert all(each.variant == "roles" for each in own)
    return [line for each in own for line in each.lines]


@pytest.mark.parametrize("maker", ["load generator", "Load machines", "压力机", "压测机"])
def test_a_server_with_both_roles_in_one_table(tmp_path: Path, maker: str) -> None:
    table = deployment(
        (maker, "2", "10.0.0.1"),
        ("^", "^", "10.0.0.7"),
        ("compute node", "2", "10.0.0.1"),
        ("^", "^", "10.0.0.2"),
    )
    (line,) = roles(tmp_path, table)
    assert line == Line(
        "two_roles",
        address="10.0.0.1",
        table=1,
        role=maker,
        line=3,
        other_role="compute node",
        other_line=5,
    )


def test_a_server_that_changes_sides_between_tables(tmp_path: Path) -> None:
    first = deployment(("load generator", "1", "10.0.0.1"), ("storage", "1", "10.0.0.2"))
    second = deployment(("load generator", "1", "10.0.0.3"), ("storage", "1", "10.0.0.1"))
    (line,) = roles(tmp_path, first, first, second)
    assert line == Line(
        "moved", address="10.0.0.1", tables="1, 2", role="storage", other_tables="3", line=20
    )


@pytest.mark.parametrize(
    "tables",
    [
        # The same sides everywhere, and other servers in other tables.
        (
            deployment(("load generator", "1", "10.0.0.1"), ("storage", "1", "10.0.0.2")),
            deployment(("load generator", "1", "10.0.0.1"), ("compute", "1", "10.0.0.3")),
        ),
        # Servers that change their roles, and never make the load.
        (
            deployment(("compute", "1", "10.0.0.2"), ("storage", "1", "10.0.0.2")),
            deployment(("storage", "1", "10.0.0.2")),
        ),
        # A list of machines says no role: left of the address is its number.
        (
            deployment(("load generator", "1", "10.0.0.1")),
            "| no. | address | CPU |\n|---|---|---|\n| 1 | 10.0.0.1 | Xeon |\n",
        ),
        # A version looks like no address, and a URL is no server of a deployment.
        (
            deployment(("load generator", "1", "8.0.30")),
            deployment(("storage", "1", "mysql://10.0.0.1:3306/db")),
        ),
    ],
)
def test_nothing_is_suspected(tmp_path: Path, tables: tuple[str, ...]) -> None:
    assert roles(tmp_path, *tables) == []


@pytest.mark.parametrize(
    "rows",
    [[("storage", "1", "10.0.0.1")] * 200_000, [("storage", *["10.0.0.1"] * 200_000)]],
    ids=["long", "wide"],
)
def test_each_cell_is_looked_at_once(rows: list[tuple[str, ...]]) -> None:
    lines = tuple(RawRow(number, cells) for number, cells in enumerate(rows))
    before_s = process_time()
    (placed,) = placed_in([RawTable(Path("report.md"), 1, "", (), lines)])
    assert process_time() - before_s < 20
    assert (placed.role, placed.address) == ("storage", "10.0.0.1")
