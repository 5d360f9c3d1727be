"""Words of an audit: a headline for each finding, a line for its evidence, what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.analysis.audit.model import AuditFinding, Code, FigureValue, Gravity, Line
from dbdyno.report.figures import ABSENT, decimals_of
from dbdyno.report.language import current, listed, message, say
from dbdyno.report.words.audit_lines import LINES, METRICS

GRAVITIES = {
    Gravity.WRONG: message("Wrong: figures that contradict each other"),
    Gravity.UNSUPPORTED: message("Unsupported: conclusions that do not follow from the figures"),
    Gravity.MISLEADING: message("Misleading: names and settings that a reader may misunderstand"),
    Gravity.DOUBTFUL: message("Suspicions: figures that may have been mixed up"),
}


@dataclass(frozen=True)
class AuditWords:
    """What is said of a code whenever it is found, and what would be right."""

    headline: str
    right: str


_NAME_THE_CELLS = message(
    "Name the cells for which the conclusion holds, and those for which it does not."
)

WORDS: Mapping[tuple[Code, str], AuditWords] = {
    (Code.ROUNDS_LEFT_OUT, ""): AuditWords(
        message("{means} of {checked} stated means leave rounds out without saying so."),
        message("Give the mean of all rounds, or say which rounds are left out, and why."),
    ),
    (Code.MEAN_UNFOUNDED, ""): AuditWords(
        message("A stated mean does not follow from its rounds."),
        message("Give the mean of the rounds that the table has."),
    ),
    (Code.CHANGE_WRONG, ""): AuditWords(
        message("A percentage or ratio does not follow from its two figures."),
        message("Compute it from the two figures, and name which of them is the baseline."),
    ),
    (Code.SUM_WRONG, ""): AuditWords(
        message("A total is not the sum of its parts."),
        message("Add the parts again, or name what else is in the total."),
    ),
    (Code.IMPOSSIBLE, ""): AuditWords(
        message("A figure cannot be right."),
        message("Look up the figure in the output of the run."),
    ),
    (Code.DUPLICATE, ""): AuditWords(
        message("The same cell is in the table more than once."),
        message("Keep one row for a cell, or number the rows as rounds."),
    ),
    (Code.SENTENCE_WRONG, ""): AuditWords(
        message("A sentence beside the table does not follow from its figures."),
        message("Compute it from the figures of the table, and say which cells it is of."),
    ),
    (Code.COPIED, ""): AuditWords(
        message("Two loads have the same figures to the last digit."),
        message("Look up both figures in the output of their runs: one may have been copied."),
    ),
    (Code.MAY_BE_MIXED_UP, ""): AuditWords(
        message("Figures look as if they stood in the wrong column."),
        message("Look them up in what was recorded; it may be right, and then say what differs."),
    ),
    (Code.MAY_BE_MIXED_UP, "roles"): AuditWords(
        message("A server makes the load in one place of the report, and carries it in another."),
        message("Look up what each server was for. Figures of other servers cannot be compared."),
    ),
    (Code.SAME_SERIES, ""): AuditWords(
        message("The same figures stand in another table with other settings."),
        message("Look up which of the two was measured; a conclusion from the other has no basis."),
    ),
    (Code.MEAN_OF_PERCENTILES, ""): AuditWords(
        message("A mean of percentiles is presented as a percentile."),
        message("Give the percentile of all response times together, or that of each row."),
    ),
    (Code.AGGREGATE_WRONG, ""): AuditWords(
        message("One figure for several cells does not follow from these cells."),
        message("Use the geometric mean of the ratios of all cells, with their range."),
    ),
    (Code.MEAN_OF_RATIOS, ""): AuditWords(
        message("A plain mean of percentages or ratios is presented as one improvement."),
        message(
            "Use the geometric mean of the ratios, and show the range: a plain mean depends on "
            "which of the two is the baseline."
        ),
    ),
    (Code.CHOSEN_CELLS, ""): AuditWords(
        message("The claimed ratios are of cells at {at} only, one of {levels} levels."),
        message("Give the ratio at each level, or the geometric mean over all of them."),
    ),
    (Code.CHOSEN_CELLS, "best"): AuditWords(
        message(
            "The claimed ratios are of cells at {at} only, one of {levels} levels, and each time "
            "against the better of {variants}."
        ),
        message("Give the ratio at each level and for each variant, or say how they were chosen."),
    ),
    (Code.HOLDS_IN_PART, "behind"): AuditWords(
        message("That {subject} is behind {than} holds in {holds} of {cells} cells."),
        _NAME_THE_CELLS,
    ),
    (Code.HOLDS_IN_PART, "slower"): AuditWords(
        message("That {subject} is slower than {than} holds in {holds} of {cells} cells."),
        _NAME_THE_CELLS,
    ),
    (Code.HOLDS_IN_PART, "ahead"): AuditWords(
        message("That {subject} is ahead of {than} holds in {holds} of {cells} cells."),
        _NAME_THE_CELLS,
    ),
    (Code.HOLDS_IN_PART, "faster"): AuditWords(
        message("That {subject} is faster than {than} holds in {holds} of {cells} cells."),
        _NAME_THE_CELLS,
    ),
    (Code.HOLDS_IN_PART, "alike"): AuditWords(
        message(
            "That {subject} and {than} differ by less than 5 % holds in {holds} of {cells} cells."
        ),
        _NAME_THE_CELLS,
    ),
    (Code.HOLDS_IN_PART, "falls"): AuditWords(
        message("That {subject} falls after its peak is shown in {holds} of {cells} curves."),
        message("Name the curves for which the conclusion holds, and measure each point again."),
    ),
    (Code.HOLDS_IN_PART, "falls_more"): AuditWords(
        message(
            "A fall after the peak is said of {subject} alone. That it falls more than {than} is "
            "shown in {holds} of {cells} curves."
        ),
        message("Give the fall of each system, and measure each point again."),
    ),
    (Code.HOLDS_IN_PART, "steadier"): AuditWords(
        message("That {subject} is steadier than {than} is shown in {holds} of {cells} cells."),
        _NAME_THE_CELLS,
    ),
    (Code.CONFOUNDED, ""): AuditWords(
        message(
            "These columns always change together, so the figures show no effect of one alone: "
            "{columns}."
        ),
        message("Run cells that differ in one column only."),
    ),
    (Code.CONFOUNDED, "parts"): AuditWords(
        message("Cases with several load generators differ from the others in other columns too."),
        message("Change the number of load generators alone, and keep everything else."),
    ),
    (Code.NO_REPETITION, ""): AuditWords(
        message("Each cell was run once, so a difference of a few percent may be chance."),
        message("Run at least 5 rounds of each cell, and give the interval of the difference."),
    ),
    (Code.WITHIN_NOISE, ""): AuditWords(
        message("A claimed difference cannot be told from the noise between rounds."),
        message("Say that no difference is shown, and give its interval."),
    ),
    (Code.SLOWER_RESPONSE, ""): AuditWords(
        message("Throughput rose, but {metrics} became longer."),
        message("Report throughput and response times of these cells together."),
    ),
    (Code.WITHIN_ROUNDING, ""): AuditWords(
        message("A claimed difference is smaller than the rounding of its two figures."),
        message("Give the figures with more digits."),
    ),
    (Code.UNLIKE_DURABILITY, ""): AuditWords(
        message("The compared systems have unlike durability settings."),
        message("Compare them with the same durability settings."),
    ),
    (Code.UNLIKE_DURABILITY, "tables"): AuditWords(
        message(
            "The {metrics} of this table and of {other_table} cannot be compared: their "
            "durability settings differ."
        ),
        message("Compare them with the same durability settings."),
    ),
    (Code.MISSING_CELLS, ""): AuditWords(
        message("Figures are missing that all similar cells have."),
        message("Add the missing figures, or say why there are none."),
    ),
    (Code.UNPACED, ""): AuditWords(
        message(
            "{above} of {figures} rates that are called tpmC are above what a run with keying and "
            "think times can reach."
        ),
        message("Call it New-Orders per minute without keying and think times (NOPM)."),
    ),
    (Code.SHORT_WINDOW, ""): AuditWords(
        message("A success of 100 % is stated, but the runs are short or have no warm-up."),
        message("Measure at least 5 minutes after a warm-up."),
    ),
}


def gravity_in_words(gravity: Gravity) -> str:
    """Return the heading of all findings of a gravity."""
    return say(GRAVITIES[gravity])


def headline(finding: AuditFinding) -> str:
    """Return in one sentence what was found."""
    words = WORDS[finding.code, finding.variant]
    values = _written(finding.figures)
    if best_of := values.pop("best_of", ""):
        values["than"] = say("the best of {variants}", variants=best_of)
    if values.get("subject") == "":
        values["subject"] = say("every system")
    return say(words.headline, **values)


def what_is_right(finding: AuditFinding) -> str:
    """Return what would be right."""
    return say(WORDS[finding.code, finding.variant].right)


def evidence_lines(finding: AuditFinding) -> list[str]:
    """Return the figures of a finding, a line each."""
    return [line_in_words(line) for line in finding.lines]


def line_in_words(line: Line) -> str:
    """Return one line of evidence."""
    words = LINES[line.kind]
    shown = _written(line.figures)
    text = words if isinstance(words, str) else words(dict(line.figures))
    said = say(text, **shown)
    # A table of one cell has no levels to name.
    return said.removeprefix(":").removeprefix("：").strip()


def _written(figures: tuple[tuple[str, FigureValue], ...]) -> dict[str, str]:
    unit = next((str(value) for name, value in figures if name == "unit"), "")
    return {name: _value(name, value, unit) for name, value in figures}


_IN_UNIT = ("right", "low", "high", "plain", "geometric")
"""Figures that are in the unit of their claim."""


def _value(name: str, value: FigureValue, unit: str) -> str:
    if isinstance(value, tuple):
        return listed(_value(name, each, "") for each in value)
    if value is None or isinstance(value, str):
        is_metric = name in ("metric", "other_metric")
        word = METRICS.get(value) if value is not None and is_metric else None
        return ABSENT if value is None else say(word) if word else value
    if name.endswith("change_percent") or (unit and name in _IN_UNIT):
        return f"{_percent(value, signed=True)}{current().percent_sign}"
    if name.endswith("_percent"):
        return f"{_percent(value)}{current().percent_sign}"
    if name == "p_value":
        return f"{value:.2g}"
    return str(value) if name in ("line", "lines", "other_line") else _plain(value)


def _plain(value: float) -> str:
    """Write a figure with four significant digits, or with two decimals where it is large."""
    decimals = 2 if abs(value) >= 100 else min(4, decimals_of(value, 4))
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "−")


def _percent(value: float, *, signed: bool = False) -> str:
    """Write a percentage with two decimals at most: claims have no more."""
    text = f"{value + 0.0:{'+' if signed else ''},.2f}"
    return text.rstrip("0").rstrip(".").replace("-", "−")
