"""Section: what each generator did, where several made the load."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings, GeneratorSummary
from dbdyno.report.document import cells
from dbdyno.report.document.model import Block, Body, Cell, Paragraph, Role, Section, Table
from dbdyno.report.language import say


def section(findings: Findings) -> Section | None:
    """Return the section; None where one generator made the load."""
    if not any(each.generators for each in findings.cells):
        return None
    meaning = say(
        "What each generator did in the window, over all valid trials of a cell. Lag is how late "
        "its workers started what was due. Headroom is how many times its load the generator could "
        "have made (METHODOLOGY.md). Late and lost are numbers of trials: in a late one the "
        "generator sent no report for three intervals, in a lost one it never reported again."
    )
    title = say("Generators")
    blocks: list[Block] = [Paragraph(meaning, Role.MUTED), _table(findings)]
    return Section("generators", title, blocks, name=title)


def _table(findings: Findings) -> Table:
    headings = [
        say("generator"),
        say("share asked for"),
        say("transactions"),
        say("share"),
        say("CPUs"),
        say("busiest worker"),
        say("headroom"),
        say("lag p99, worst interval (ms)"),
        say("longest pause (ms)"),
        say("clock off by up to (ms)"),
        say("late"),
        say("lost"),
    ]
    bodies = [
        Body(cells.below_levels(each.cell, findings.factors, list(map(_row, each.generators))))
        for each in findings.cells
        if each.generators
    ]
    return Table(
        label=say("Generators"),
        caption=say("What each generator did"),
        columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
        bodies=bodies,
        id="generators-table",
    )


def _row(generator: GeneratorSummary) -> list[Cell]:
    headroom, clock_s = generator.headroom, generator.clock_bound_s
    return [
        cells.header(str(generator.number)),
        cells.share(generator.asked_share),
        cells.count(generator.transactions),
        cells.share(generator.share),
        Cell(f"{generator.cpu_cores:.2f}", value=generator.cpu_cores),
        cells.share(generator.busiest_worker_share),
        cells.NONE if headroom is None else Cell(f"{headroom:.1f}×", value=headroom),
        cells.milliseconds(generator.largest_lag_p99_ms),
        cells.milliseconds(1000 * generator.longest_pause_s),
        cells.milliseconds(None if clock_s is None else 1000 * clock_s),
        cells.count(generator.late),
        cells.count(generator.lost),
    ]
