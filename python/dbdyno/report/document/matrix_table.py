"""A matrix of cells as a table: the figure, and below it the effect against the baseline.

The larger the effect, the stronger is the colour behind it. A sign, and bold type where a
difference is shown, say the same without colours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.findings import CellSummary
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Table, TableKind, Tone
from dbdyno.report.language import clauses, either, listed, say
from dbdyno.report.matrix import Matrix, MatrixCell, compared_with
from dbdyno.report.shading import key_of, shade_of

_TONES = {VerdictKind.BETTER: Tone.BETTER, VerdictKind.WORSE: Tone.WORSE}


def matrix_table(
    matrix: Matrix, label: str, what: str, write: Callable[[CellSummary], Cell]
) -> Table:
    """Return a matrix as a table. ``what`` is the figure that ``write`` makes of a cell."""
    return Table(
        label=label,
        caption=_caption(matrix, what),
        columns=[
            Column(matrix.down),
            *(cells.number(level) for level in matrix.columns),
        ],
        bodies=[
            Body(
                [
                    [
                        replace(cells.header(level), below=compared_with(members)),
                        *(_cell(each, matrix, write) for each in members),
                    ]
                    for level, members in matrix.rows
                ]
            )
        ],
        kind=TableKind.MATRIX,
        across=matrix.across,
        key=key_of(matrix) if matrix.compared else (),
    )


def _caption(matrix: Matrix, what: str) -> str:
    empty = "" if matrix.is_full else say("an empty place has no cell")
    return clauses([_figures_in_words(matrix, what), empty])


def _figures_in_words(matrix: Matrix, what: str) -> str:
    shown = listed(filter(None, [what, matrix.heading]))
    if not matrix.compared:
        return shown
    if not matrix.is_paired:
        return say(
            "{what}; below: the effect of {factor} against its baseline, in bold where a "
            "difference is shown",
            what=shown,
            factor=either(matrix.compared),
        )
    return say(
        "{what}; below: the effect of {factor} against its baseline, paired by round, in bold "
        "where a difference is shown",
        what=shown,
        factor=either(matrix.compared),
    )


def _cell(cell: MatrixCell | None, matrix: Matrix, write: Callable[[CellSummary], Cell]) -> Cell:
    if cell is None:
        return Cell("")
    figure = write(cell.summary)
    if not matrix.compared or figure == cells.NONE:
        return figure
    effect, _ = cell.effect
    tone = Tone.NONE if cell.comparison is None else _TONES.get(cell.comparison.kind, Tone.NONE)
    return replace(figure, below=effect, tone=tone, shade=shade_of(cell))
