"""Section: what each generator did, where several made the load."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.deployment import GeneratorPlace
from dbdyno.analysis.findings import CellSummary, Findings, GeneratorSummary
from dbdyno.report.document import cells
from dbdyno.report.document.model import Block, Body, Cell, Column, Paragraph, Role, Section, Table
from dbdyno.report.language import listed, say
from dbdyno.report.words.sending import generator_host_in_words
from dbdyno.report.words.throughput import measure_heading


def section(findings: Findings) -> Section | None:
    """Return the section; None where one generator made the load."""
    if not any(each.generators for each in findings.cells):
        return None
    meaning = say(
        "What each generator did in the window, over all valid trials of a cell. Rates are of "
        "these trials together, so that those of the generators add up; a cell's throughput is the "
        "geometric mean of its rounds, which is lower where they scatter. Lag is how late its "
        "workers started what was due. Headroom is how many times its load the generator could "
        "have made (METHODOLOGY.md). Late and lost are numbers of trials: in a late one the "
        "generator sent no report for three intervals, in a lost one it never reported again."
    )
    title = say("Generators")
    blocks: list[Block] = [Paragraph(meaning, Role.MUTED), _table(findings)]
    return Section("generators", title, blocks, name=title)


def _table(findings: Findings) -> Table:
    has_new_orders = _has_new_orders(findings)
    places = [Column(say("runs on")), Column(say("connects to"))]
    headings = [
        say("share asked for"),
        *([measure_heading(findings.measure)] if has_new_orders else []),
        say("transactions/s"),
        say("transactions"),
        say("share"),
        say("CPUs of its workers"),
        say("busiest worker"),
        say("headroom"),
        say("lag p99, worst interval (ms)"),
        say("longest pause (ms)"),
        say("clock off by up to (ms)"),
        say("late"),
        say("lost"),
    ]
    bodies = [
        Body(cells.below_levels(each.cell, findings.factors, _rows(each, findings)))
        for each in findings.cells
        if each.generators
    ]
    return Table(
        label=say("Generators"),
        caption=say("What each generator did"),
        columns=[
            *cells.level_columns(findings.factors),
            cells.number(say("generator")),
            *(places if _have_places(findings) else ()),
            *map(cells.number, headings),
        ],
        bodies=bodies,
        id="generators-table",
    )


def _has_new_orders(findings: Findings) -> bool:
    """Tell whether throughput counts New-Orders, and each generator has told its own."""
    generators = [each for cell in findings.cells for each in cell.generators]
    known = all(each.new_orders is not None for each in generators)
    return findings.measure.kind is not None and known


def _rows(cell: CellSummary, findings: Findings) -> list[list[Cell]]:
    """Return a row for each generator, and one for all of them together."""
    has_places = _have_places(findings)
    rows = [
        [
            cells.header(str(each.number)),
            *(_place(each) if has_places else ()),
            cells.share(each.asked_share),
            *_rates(cell, findings, [each]),
            *_rest(each),
        ]
        for each in cell.generators
    ]
    blank = [cells.NONE] * len(_rest(cell.generators[0]))
    whole = sum(each.transactions for each in cell.generators)
    sums = [*_rates(cell, findings, cell.generators), cells.count(whole), *blank[1:]]
    places = [cells.NONE] * (2 if has_places else 0)
    return [*rows, [cells.header(say("all")), *places, cells.NONE, *sums]]


def _have_places(findings: Findings) -> bool:
    """Tell whether any generator had a host, CPUs or servers of its own."""
    every = [each for cell in findings.cells for each in cell.generators]
    return any(each.place != GeneratorPlace() for each in every)


def _place(generator: GeneratorSummary) -> list[Cell]:
    place = generator.place
    return [Cell(generator_host_in_words(place)), Cell(listed(place.to) or say("all"))]


def _rates(
    cell: CellSummary, findings: Findings, generators: Sequence[GeneratorSummary]
) -> list[Cell]:
    """Return what generators did together, in the measure of throughput and of all kinds."""
    if not cell.window_s:
        return [cells.NONE] * (2 if _has_new_orders(findings) else 1)
    rates = [cells.rate(sum(each.transactions for each in generators) / cell.window_s)]
    if _has_new_orders(findings):
        new_orders = sum(each.new_orders or 0 for each in generators)
        rates.insert(0, cells.rate(findings.measure.of(new_orders / cell.window_s)))
    return rates


def _rest(generator: GeneratorSummary) -> list[Cell]:
    headroom, clock_s = generator.headroom, generator.clock_bound_s
    return [
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
