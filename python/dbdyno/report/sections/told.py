"""Section: what logs and tables of others tell, trial by trial and cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dbdyno.analysis.compare.rules import question_factor
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.imported.model import FigureKind, Imported, ToldFigure
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell as CellLevels
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.model import (
    Block,
    Body,
    Bullets,
    Cell,
    Column,
    Figure,
    Layout,
    Paragraph,
    Role,
    Section,
    Strong,
    Table,
    Text,
)
from dbdyno.report.language import say
from dbdyno.report.partial_service import clients_note, has_fewer_clients, time_mark
from dbdyno.report.told_figures import drawn_figures, figure_name
from dbdyno.report.words.import_notes import note_in_words
from dbdyno.report.words.throughput import measure_heading
from dbdyno.trial_evidence import MeasuredFrom, Times, TrialEvidence


def section(findings: Findings) -> Section | None:
    """Return the section; None of trials that dbdyno has run itself."""
    imported = findings.imported
    if imported is None:
        return None
    meaning = say(
        "dbdyno did not measure these figures: it has read them. What a source does not tell is "
        "not here, and no check of dbdyno has looked at the server, the machine or the load."
    )
    blocks: list[Block] = [Paragraph(meaning, Role.MUTED)]
    if notes := list(dict.fromkeys(_notes(findings, imported))):
        blocks.append(Bullets(notes))
    blocks += drawn(findings)
    blocks += [_cells(findings, imported), _trials(findings, imported)]
    title = say("What the sources tell")
    return Section("told", title, blocks, name=say("Sources"))


def _notes(findings: Findings, imported: Imported) -> Iterator[Text]:
    """Yield what is to be known of the sources; what holds for several is said once."""
    for note in imported.notes:
        yield note_in_words(note)
    for trial in imported.trials:
        for note in trial.notes:
            yield note_in_words(note)
    clients = clients_note(findings.cells)
    if clients is not None and any(map(has_fewer_clients, findings.cells)):
        yield clients


def drawn(findings: Findings) -> Iterator[Figure]:
    """Yield a figure for each that the sources tell beside throughput."""
    for figure, drawings in drawn_figures(findings):
        if drawings:
            caption = (Strong(figure_name(figure)), "")
            yield Figure(caption, drawings, Layout.WIDE, legend_of(findings))


def other_figures(findings: Findings, imported: Imported) -> Table:
    """Return what sources tell of each cell beside throughput."""
    rows = [
        [*cells.level_headers(cell.cell, findings.factors), *_figures_of(cell, imported)]
        for cell in findings.cells
    ]
    headings = map(figure_name, imported.figures)
    return Table(
        label=say("Other figures of each cell"),
        caption=say("Other figures of each cell, geometric means over its trials"),
        columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
        bodies=[Body(rows)],
    )


def _figures_of(cell: CellSummary, imported: Imported) -> list[Cell]:
    return [_figure(cell, figure) for figure in imported.figures]


def _cells(findings: Findings, imported: Imported) -> Table:
    """Return all figures of each cell, and how its throughput stands to the baseline's."""
    baselines = _baselines(findings)
    rows = [
        [
            *cells.level_headers(cell.cell, findings.factors),
            cells.count(cell.throughput_per_s.count),
            cells.rate(_mean(cell, findings)),
            Cell(_difference(cell, baselines.get(cell.cell))),
            *_figures_of(cell, imported),
        ]
        for cell in findings.cells
    ]
    headings = [
        say("trials"),
        measure_heading(findings.measure),
        say("difference from the baseline"),
        *map(figure_name, imported.figures),
    ]
    return Table(
        label=say("Figures of each cell"),
        caption=_cells_caption(findings),
        columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
        bodies=[Body(rows)],
        id="told-cells",
    )


def _cells_caption(findings: Findings) -> str:
    if findings.compared:
        return say(
            "Figures of each cell, geometric means over its trials. The difference from the "
            "baseline is the plain ratio; whether it is more than chance, the verdicts say."
        )
    return say(
        "Figures of each cell, geometric means over its trials. The difference from the baseline "
        "is the plain ratio; nobody can tell whether it is more than chance."
    )


def _baselines(findings: Findings) -> dict[CellLevels, CellSummary]:
    """Return the cell that each cell is held against in the factor in question."""
    known = list(findings.by_cell)
    question = question_factor(findings.factors, known)
    pairs = compared_pairs(findings.factors, known)
    return {
        cell: findings.by_cell[baseline] for factor, cell, baseline in pairs if factor == question
    }


def _mean(cell: CellSummary, findings: Findings) -> float | None:
    found = findings.measure.estimate(cell.throughput_per_s)
    return found.mean if found.count else None


def _difference(cell: CellSummary, baseline: CellSummary | None) -> str:
    if baseline is None or not (cell.throughput_per_s.count and baseline.throughput_per_s.count):
        return figures.ABSENT
    ratio = cell.throughput_per_s.mean / baseline.throughput_per_s.mean
    return figures.effect(100 * (ratio - 1))[0]


def _figure(cell: CellSummary, figure: ToldFigure) -> Cell:
    estimate = figure.estimates.get(cell.cell)
    mean = None if estimate is None else estimate.mean
    written = cells.rate(mean)
    is_time = figure.kind in (FigureKind.QUANTILE, FigureKind.MEAN)
    return replace(written, text=time_mark(cell, mean) + written.text) if is_time else written


def _trials(findings: Findings, imported: Imported) -> Table:
    columns = [
        cells.number(say("trial")),
        *cells.level_columns(findings.factors),
        Column(say("source")),
        *map(
            cells.number,
            (
                say("clients"),
                say("measured, s"),
                measure_heading(findings.measure),
                say("mean, ms"),
                say("max, ms"),
                say("failed"),
                say("retries"),
            ),
        ),
        Column(say("times count from")),
    ]
    rows = [
        _trial_row(number, trial, findings) for number, trial in enumerate(imported.trials, start=1)
    ]
    return Table(
        label=say("Trials as their sources tell them"),
        caption=say("Trials as their sources tell them"),
        columns=columns,
        bodies=[Body(rows)],
        id="told-trials",
    )


def _trial_row(number: int, trial: TrialEvidence, findings: Findings) -> list[Cell]:
    source = " ".join(filter(None, (trial.source.tool, trial.source.tool_version)))
    times = trial.times or Times()
    rate = trial.throughput_per_s
    return [
        cells.header(str(number)),
        *(Cell(level) for _, level in trial.levels),
        Cell(f"{source}: {trial.source.path}"),
        _count(trial.clients),
        cells.rate(trial.measured_s),
        cells.rate(None if rate is None else findings.measure.of(rate)),
        cells.milliseconds(times.mean_ms),
        cells.milliseconds(times.max_ms),
        _count(trial.failed),
        _count(trial.retries),
        Cell(_measured_from(trial)),
    ]


def _count(value: int | None) -> Cell:
    return cells.NONE if value is None else cells.count(value)


def _measured_from(trial: TrialEvidence) -> str:
    if trial.times is None:
        return figures.ABSENT
    is_response = trial.times.measured_from is MeasuredFrom.SCHEDULED
    return (
        say("when it was due (response time)") if is_response else say("the start (service time)")
    )
