"""``Findings`` in the terminal: one table of cells and verdicts, the other factors, the warnings.

Nothing depends on colour, and text from the experiment is never taken for markup.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from dbdyno.analysis.findings import (
    CellSummary,
    Comparison,
    Findings,
    Severity,
    VerdictKind,
    Warning,
)
from dbdyno.report import figures
from dbdyno.report.verdicts import factors_compared, tallies
from dbdyno.store.layout import overall_key

REASONS_SHOWN = 4

_VERDICT_STYLES = {VerdictKind.FASTER: "bold green", VerdictKind.SLOWER: "bold red"}
_SEVERITY_STYLES = {Severity.INVALID: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def print_verdicts(findings: Findings, console: Console) -> None:
    """Print what an experiment came to: figures and verdicts first, then what qualifies them."""
    console.print(Text(findings.experiment, style="bold"))
    if findings.question:
        console.print(Text(findings.question))
    console.print()
    wide = _table(findings, is_wide=True)
    unbounded = console.options.update(width=1000)
    is_wide = Measurement.get(console, unbounded, wide).maximum <= console.width
    console.print(wide if is_wide else _table(findings, is_wide=False))
    console.print()
    for line in (*_not_comparable(findings), *_other_factors(findings)):
        console.print(Text(line))
    console.print(Text(_usage(findings)))
    if findings.warnings:
        console.print()
        console.print(_warnings(findings.warnings))


def _not_comparable(findings: Findings) -> Iterator[str]:
    """Yield why cells are not compared, which a word in the table does not tell."""
    reasons = [c.sentence for c in findings.comparisons if c.kind is VerdictKind.NOT_COMPARABLE]
    yield from reasons[:REASONS_SHOWN]
    if len(reasons) > REASONS_SHOWN:
        yield f"{len(reasons) - REASONS_SHOWN} more that are not comparable: see the report."


def _table(findings: Findings, is_wide: bool) -> Table:
    """Return a row for each cell, with its verdict in the factor that the question is about.

    Where the terminal is not wide enough, what would stand in two columns stands in two lines.
    """
    compared = factors_compared(findings)
    primary, comparisons = compared[0] if compared else ("", [])
    by_cell = {comparison.cell: comparison for comparison in comparisons}
    baselines = {comparison.baseline for comparison in comparisons}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    for name in _stacked([factor.name for factor in findings.factors] or ["cell"], is_wide):
        table.add_column(Text(name), overflow="fold")
    _add_figure_columns(table, is_wide, f"effect of\n{primary}" if comparisons else None)
    for cell in findings.cells:
        levels = [level for _, level in cell.cell.levels] or [cell.cell.label()]
        row = [Text(level) for level in _stacked(levels, is_wide)] + _figures(cell, is_wide)
        if comparisons:
            row += _verdict(by_cell.get(cell.cell), cell.cell in baselines, is_wide)
        table.add_row(*row)
    return table


def _stacked(names: list[str], is_wide: bool) -> list[str]:
    """Return the texts for one column each, or for one column with the first above the others."""
    if is_wide:
        return names
    return ["\n".join(filter(None, [names[0], ", ".join(names[1:])]))]


def _add_figure_columns(table: Table, is_wide: bool, effect: str | None) -> None:
    interval = ["95 % interval"] if is_wide else []
    for heading in ["transactions/s", *interval, "p95 ms", "p99 ms"]:
        table.add_column(heading, justify="right", no_wrap=True)
    if effect is None:
        return
    table.add_column(Text(effect), justify="right" if is_wide else "left", no_wrap=True)
    if is_wide:
        table.add_column("95 % interval", justify="right", no_wrap=True)
        table.add_column("verdict", no_wrap=True)


def _figures(cell: CellSummary, is_wide: bool) -> list[Text]:
    """Return throughput with its interval, and two percentiles of response time."""
    estimate = cell.throughput_per_s
    mean = figures.rate(estimate.mean)
    interval = figures.rate_interval(estimate.mean, estimate.low, estimate.high)
    response = cell.response.get(overall_key(list(cell.response))) if cell.response else None
    return [
        *_beside_or_below(Text(mean), Text(interval), is_wide),
        Text(figures.milliseconds(response.p95_ms if response else None)),
        Text(figures.milliseconds(response.p99_ms if response else None)),
    ]


def _beside_or_below(figure: Text, interval: Text, is_wide: bool) -> list[Text]:
    if is_wide:
        return [figure, interval]
    if interval.plain == figures.ABSENT:
        return [figure]
    return [Text("\n").join([figure, interval])]


def _verdict(comparison: Comparison | None, is_baseline: bool, is_wide: bool) -> list[Text]:
    """Return the effect, its interval and the verdict in words: three columns, or two lines."""
    if comparison is None:
        word = Text("baseline" if is_baseline else figures.ABSENT, style="dim")
        return [Text(""), Text(""), word] if is_wide else [word]
    effect, interval = figures.effect(
        comparison.effect_percent, comparison.low_percent, comparison.high_percent
    )
    word = Text(comparison.kind.value, style=_VERDICT_STYLES.get(comparison.kind, ""))
    if is_wide:
        return [Text(effect), Text(interval), word]
    if comparison.effect_percent is None:
        return [word]
    return [Text("\n").join([word, Text(f"{effect} {interval}")])]


def _other_factors(findings: Findings) -> Iterator[str]:
    """Yield a line for each pair of levels of the factors that the table has no verdict on."""
    for _, comparisons in factors_compared(findings)[1:]:
        yield from tallies(comparisons) or [comparison.sentence for comparison in comparisons]


def _usage(findings: Findings) -> str:
    used, planned = findings.trials_used, findings.trials_planned
    return f"{used} of {planned} trials used. Percentiles are of response time."


def _warnings(warnings: tuple[Warning, ...]) -> Table:
    """Return the warnings, the gravest first, each with its evidence and its advice."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for severity in Severity:
        for warning in warnings:
            if warning.severity is severity:
                word = Text(severity.value, style=_SEVERITY_STYLES[severity])
                table.add_row(word, _warning_text(warning))
    return table


def _warning_text(warning: Warning) -> Text:
    text = Text(warning.message, style="bold")
    if warning.trials:
        noun = "trial" if len(warning.trials) == 1 else "trials"
        text.append(f" ({noun} {figures.ranges(warning.trials)})", style="not bold")
    text.append(f"\n{warning.evidence}", style="not bold")
    text.append(f"\n{warning.advice}", style="not bold")
    return text
