"""``Findings`` in the terminal: one table of cells and verdicts, the other factors, the warnings.

Nothing depends on colour, and text from the experiment is never taken for markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from dbdyno.analysis.compare.model import Comparison, VerdictKind
from dbdyno.analysis.findings import CellSummary, Finding, Findings, Severity, Standing
from dbdyno.experiment.file.quantity import without_commands
from dbdyno.experiment.plan import Cell
from dbdyno.report import asked, conformance, figures, means, partial_service
from dbdyno.report.language import sentences, translated
from dbdyno.report.matrix import response_of
from dbdyno.report.percentiles import p99_ms
from dbdyno.report.sizes import terminal_sizes
from dbdyno.report.terminal_matrix import matrix_tables
from dbdyno.report.terminal_table import terminal_table
from dbdyno.report.told_figures import told_quantile_ms
from dbdyno.report.verdicts import by_cell, factors_compared, in_short, tallies, touched_in_words
from dbdyno.report.words.baselines import baselines_line
from dbdyno.report.words.checks.words import check_advice, check_consequence, check_message
from dbdyno.report.words.comparisons import (
    comparison_sentence,
    verdict_word,
)
from dbdyno.report.words.evidence.words import finding_evidence
from dbdyno.report.words.knees import knee_sentences
from dbdyno.report.words.limits import limits_line, not_ruled_out_line
from dbdyno.report.words.partial_matrix import no_verdict_sentences
from dbdyno.report.words.throughput import counted_many, measure_heading
from dbdyno.report.words.unlike import warnings_above

REASONS_SHOWN = 4

MEANS = "An interval of throughput takes the rounds for a random sample: drift makes it too narrow."

_VERDICT_STYLES = {VerdictKind.BETTER: "bold green", VerdictKind.WORSE: "bold red"}
_SEVERITY_STYLES = {Severity.INVALID: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


class _Layout(Enum):
    """What stands in one line of the table, the widest first."""

    FIGURES = auto()
    """Each figure in a column of its own."""
    ESTIMATES = auto()
    """An interval is below its figure, and so are percentiles and maximum."""
    LEVELS = auto()
    """All are below each other, and so are a cell's levels, with the names of their factors."""


def print_verdicts(findings: Findings, console: Console) -> None:
    """Print what an experiment came to: figures and verdicts first, then what qualifies them."""
    console.print(Text(without_commands(findings.experiment), style="bold"))
    for warning in warnings_above(findings):
        console.print(Text(warning, style="bold red"))
    if findings.question:
        # The result may be somebody else's, and be no text for a terminal.
        console.print(Text(without_commands(translated(findings.question))))
    console.print()
    for table in _tables(findings, console):
        console.print(table)
        console.print()
    if line := baselines_line(findings):
        console.print(Text(f"Baseline: {line}"))
    for line in (*knee_sentences(findings), *no_verdict_sentences(findings)):
        console.print(Text(line, style="bold"))
    for line in (*_in_question(findings), *_not_comparable(findings), *_other_factors(findings)):
        console.print(Text(line))
    if line := limits_line(findings.limits):
        console.print(Text(sentences([line, not_ruled_out_line(findings.limits)])))
    for line in (_usage(findings), *means.notes(findings), *asked.lines(findings)):
        console.print(Text(line))
    for line in partial_service.notes(findings.cells):
        console.print(Text(line))
    for line in conformance.lines(findings):
        console.print(Text(line))
    if sizes := terminal_sizes(findings):
        console.print()
        console.print(sizes)
    if findings.warnings:
        console.print()
        console.print(_warnings(findings))


def _in_question(findings: Findings) -> Iterator[str]:
    """Yield what the factor in question does, in short."""
    for factor, comparisons in factors_compared(findings)[:1]:
        yield from in_short(factor, comparisons, findings)


def _not_comparable(findings: Findings) -> Iterator[str]:
    """Yield why cells are not compared, which a word in the table does not tell."""
    reasons = [
        comparison_sentence(each, findings)
        for each in findings.comparisons
        if each.kind is VerdictKind.NOT_COMPARABLE
    ]
    yield from reasons[:REASONS_SHOWN]
    if len(reasons) > REASONS_SHOWN:
        yield f"{len(reasons) - REASONS_SHOWN} more that are not comparable: see the report."


def _tables(findings: Findings, console: Console) -> Sequence[Table]:
    """Return the tables of figures in the first form that fits, or else in the narrowest."""
    tables: Sequence[Table] = []
    for tables in _forms(findings):
        if all(_fits(table, console) for table in tables):
            break
    return tables


def _forms(findings: Findings) -> Iterator[Sequence[Table]]:
    """Yield the tables of figures in all their forms, each when it is asked for."""
    widest, *narrower = _Layout
    yield [_table(findings, widest)]
    if matrices := matrix_tables(findings):
        yield matrices
    for layout in narrower:
        yield [_table(findings, layout)]


def _fits(table: Table, console: Console) -> bool:
    unbounded = console.options.update(width=1000)
    return Measurement.get(console, unbounded, table).maximum <= console.width


def _table(findings: Findings, layout: _Layout) -> Table:
    """Return a row for each cell, with its verdict in the factor that the question is about."""
    compared = factors_compared(findings)
    primary, comparisons = compared[0] if compared else ("", [])
    compared_of = by_cell(comparisons)
    baselines = {comparison.baseline for comparison in comparisons}
    is_stacked = layout is _Layout.LEVELS
    names = [factor.name for factor in findings.factors]
    table = terminal_table(*(["cell"] if is_stacked or not names else names), is_spaced=is_stacked)
    effect = f"effect of\n{primary}" if comparisons else None
    _add_figure_columns(table, layout, measure_heading(findings.measure), effect)
    for cell in findings.cells:
        row = _levels(cell.cell, layout) + _figures(cell, layout, findings)
        if comparisons:
            row += _verdict(compared_of.get(cell.cell), cell.cell in baselines, layout)
        table.add_row(*row)
    return table


def _add_figure_columns(table: Table, layout: _Layout, throughput: str, effect: str | None) -> None:
    is_wide = layout is _Layout.FIGURES
    times = ["p95", "p99", "max"]
    wide = [throughput, "95 % interval", *(f"{name}\nms" for name in times)]
    stacked = [f"{throughput}\n95 % interval", "\n".join(f"{name} ms" for name in times)]
    for heading in wide if is_wide else stacked:
        table.add_column(heading, justify="right", no_wrap=True)
    if effect is None:
        return
    table.add_column(Text(effect), justify="right" if is_wide else "left", no_wrap=True)
    if is_wide:
        table.add_column("95 % interval", justify="right", no_wrap=True)
        table.add_column("verdict", no_wrap=True)


def _levels(cell: Cell, layout: _Layout) -> list[Text]:
    if layout is not _Layout.LEVELS:
        return [Text(level) for _, level in cell.levels] or [Text(cell.label())]
    return [Text("\n".join(f"{name}={level}" for name, level in cell.levels) or cell.label())]


def _figures(cell: CellSummary, layout: _Layout, findings: Findings) -> list[Text]:
    """Return throughput with its interval; two percentiles and the maximum of response time."""
    estimate = findings.measure.estimate(cell.throughput_per_s)
    mean = figures.rate(estimate.mean)
    interval = figures.rate_interval(estimate.mean, estimate.low, estimate.high)
    response = response_of(cell, findings)
    times = [response.p95_ms, p99_ms(response), response.max_ms] if response else [None]
    if findings.imported is not None:
        times = [told_quantile_ms(findings.imported, cell.cell, share) for share in (0.95, 0.99)]
    percentiles = [partial_service.time_mark(cell, ms) + figures.milliseconds(ms) for ms in times]
    if layout is _Layout.FIGURES:
        percentiles += [figures.ABSENT] * (3 - len(percentiles))
        return [Text(text) for text in (mean, interval, *percentiles)]
    return [_in_lines(mean, interval), Text("\n".join(percentiles))]


def _in_lines(*texts: str) -> Text:
    """Return texts below each other; what does not exist takes no line but the first."""
    return Text("\n".join([texts[0], *(text for text in texts[1:] if text != figures.ABSENT)]))


def _verdict(comparison: Comparison | None, is_baseline: bool, layout: _Layout) -> list[Text]:
    """Return the effect, its interval and the verdict in words: three columns, or lines."""
    is_wide = layout is _Layout.FIGURES
    if comparison is None:
        word = Text("baseline" if is_baseline else figures.ABSENT, style="dim")
        return [Text(""), Text(""), word] if is_wide else [word]
    found = comparison.effect
    effect, interval = (
        (figures.ABSENT, figures.ABSENT) if found is None else figures.effect_of(found)
    )
    word = Text(
        verdict_word(comparison.kind, comparison.metric),
        style=_VERDICT_STYLES.get(comparison.kind, ""),
    )
    if is_wide:
        return [Text(effect), Text(interval), word]
    if found is None:
        return [word]
    between = "\n" if layout is _Layout.LEVELS else " "
    return [Text("\n").join([word, Text(f"{effect}{between}{interval}")])]


def _other_factors(findings: Findings) -> Iterator[str]:
    """Yield a line for each pair of levels of the factors that the table has no verdict on."""
    for _, comparisons in factors_compared(findings)[1:]:
        yield from tallies(comparisons) or [
            comparison_sentence(comparison, findings) for comparison in comparisons
        ]


def _usage(findings: Findings) -> str:
    used, planned = findings.trials_used, findings.trials_planned
    standings = Counter(line.standing for line in findings.trials)
    counted = ", ".join(f"{standings[each]} {each}" for each in Standing if standings[each])
    if findings.imported is not None:
        return (
            f"{used} of {planned} trials used ({counted}). All figures are those of the sources. "
            f"{MEANS}"
        )
    whose = "" if findings.measure.kind is None else f"{counted_many(findings.measure)}' "
    return (
        f"{used} of {planned} trials used ({counted}). Percentiles are of {whose}response time, of "
        f"all trials merged. {MEANS}"
    )


def _warnings(findings: Findings) -> Table:
    """Return the warnings, the gravest first, each with its evidence and its advice."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for severity in Severity:
        for warning in findings.warnings:
            if warning.severity is severity:
                word = Text(severity.value, style=_SEVERITY_STYLES[severity])
                table.add_row(word, _warning_text(warning, len(findings.comparisons)))
    return table


def _warning_text(warning: Finding, comparisons: int) -> Text:
    text = Text(check_message(warning.code), style="bold")
    if warning.trials:
        noun = "trial" if len(warning.trials) == 1 else "trials"
        text.append(f" ({noun} {figures.ranges(warning.trials)})", style="not bold")
    touched = touched_in_words(warning, comparisons)
    consequence = sentences([check_consequence(warning.code), touched])
    for line in (finding_evidence(warning), consequence, check_advice(warning.code)):
        text.append(f"\n{line}" if line else "", style="not bold")
    return text
