"""Section: what a transaction took, of what was watched, and against the baseline."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.cost.model import CellCosts, Cost, CostName
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.targets import parts_of
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Paragraph,
    Role,
    Section,
    Table,
    Tone,
)
from dbdyno.report.language import say
from dbdyno.report.words import costs


def section(findings: Findings) -> Section | None:
    """Return the section; None where nothing was watched."""
    if not findings.costs:
        return None
    blocks: list[Block] = [Paragraph(say(costs.MEANING), Role.MUTED)]
    if any("SQLite" in parts_of(target.get("product", "")) for target in findings.targets):
        blocks.append(Paragraph(say(costs.EMBEDDED), Role.MUTED))
    title = say("Cost per transaction")
    return Section("cost", title, [*blocks, _table(findings)], name=say("Cost"))


def _table(findings: Findings) -> Table:
    named = costs.cost_columns(findings)
    has_efficiency = any(each.transactions_per_cpu_s for each in findings.costs)
    columns = [
        *cells.level_columns(findings.factors),
        *(cells.number(heading) for _, heading in named),
    ]
    if has_efficiency:
        columns.append(cells.number(say("transactions per CPU second of the server")))
    rows = [
        [
            *cells.level_headers(each.cell, findings.factors),
            *_costs(each, [name for name, _ in named]),
            *([cells.estimate(each.transactions_per_cpu_s)] if has_efficiency else []),
        ]
        for each in findings.costs
    ]
    return Table(
        label=say("Cost per transaction"),
        caption=_caption(findings),
        columns=columns,
        bodies=[Body(rows)],
        id="costs",
    )


def _caption(findings: Findings) -> str:
    if findings.is_of_two_results:
        return say(
            "Cost per transaction, and below it as a multiple of the baseline's (= 1.00) with its "
            "95 % interval. Shaded and bold: the interval, each for itself, excludes 1."
        )
    return say(
        "Cost per transaction, and below it as a multiple of the baseline's (= 1.00) with its "
        "95 % interval, paired by round. Shaded and bold: the interval, each for itself, "
        "excludes 1."
    )


def _costs(cell: CellCosts, names: Sequence[CostName]) -> list[Cell]:
    return [_cost(cell, name, found) for name in names for found in [cell.costs.get(name)]]


def _cost(cell: CellCosts, name: CostName, cost: Cost | None) -> Cell:
    if cost is None:
        return cells.NONE
    if cell.baseline is None:
        below = "1.00" if cost.mean.mean else figures.ABSENT
    else:
        below = costs.ratio_in_words(cost.ratio)
    return Cell(
        costs.cost_in_words(cost, name),
        value=costs.cost_value(cost, name),
        below=below,
        tone=Tone.APART if cost.is_apart else Tone.NONE,
    )
