"""Words of published figures: whose they are, what is matched, what is wrong in them."""

from __future__ import annotations

from dbdyno.analysis.audit.model import AuditFinding
from dbdyno.analysis.published.model import NoRatios, PublishedTable, Ratio
from dbdyno.analysis.published.stated import Stated
from dbdyno.report import figures
from dbdyno.report.language import listed, message, say, say_count, sentences
from dbdyno.report.words.audit import headline

NO_RATIOS = {
    NoRatios.NO_MATCH: message(
        "The experiment file does not say which of the table's columns is a factor here, so no "
        "ratio of the table stands beside one of this experiment."
    ),
    NoRatios.STAND_INS: message(
        "What this smoke run compares is not what the table compares, so no ratio of the table "
        "stands beside one of this experiment."
    ),
    NoRatios.NO_LEVELS: message(
        "The table has no two cells with levels of this experiment, so no ratio of it stands "
        "beside one of this experiment."
    ),
    NoRatios.UNLIKE_MEASURES: message(
        "The table has no throughput that is counted as this experiment's is, so no ratio of it "
        "stands beside one of this experiment."
    ),
    NoRatios.SMOKE: message(
        "The figures of a smoke run mean nothing, so no ratio of the table stands beside them."
    ),
}


WHAT_STATED_IS = message(
    "Means and differences as the source writes them, each beside what all rounds of its cells "
    "give. A difference that rests on a wrong mean does not agree either."
)


def standing_of_figures(*, is_stand_in: bool) -> str:
    """Return what a reader must know before the first published figure."""
    standing = say(
        "The figures of this section were not measured by this experiment. Compare their ratios, "
        "and not the figures: hardware, versions, settings and data may differ. No verdict of this "
        "report rests on them."
    )
    stand_in = say(
        "The ratios of this experiment are of what the section smoke of its file names, and not "
        "of the servers and sizes that were published."
    )
    return sentences([standing, stand_in if is_stand_in else ""])


def fault_in_words(fault: AuditFinding) -> str:
    """Return in one line what an audit finds in a table."""
    return say_count(
        "{table}: {headline} [{code}, {count} place]",
        "{table}: {headline} [{code}, {count} places]",
        len(fault.lines),
        table=fault.table,
        headline=headline(fault),
        code=fault.code.value,
    )


def what_ratios_are(table: PublishedTable) -> str:
    """Return how to read ratios, and over which levels either of them is a mean."""
    columns, factors = table.unmatched_columns, table.unmatched_factors
    return sentences(
        [
            say(
                "Ratios are for orientation only. Below a ratio is its 95 % interval, where there "
                "are rounds. Below a level is what the table calls it."
            ),
            say(
                "The table also varies {columns}. Its ratios are geometric means over these "
                "levels, with the smallest and the largest of them.",
                columns=listed(columns),
            )
            if columns
            else "",
            say(
                "This experiment also varies {factors}. Its ratios are geometric means over these "
                "levels.",
                factors=listed(factors),
            )
            if factors
            else "",
        ]
    )


def ratio_in_words(ratio: float) -> str:
    """Write a ratio with three significant digits, and with two decimals at least."""
    return f"{ratio:,.{max(2, figures.decimals_of(ratio, 3))}f}"


def stated_of_what(stated: Stated) -> str:
    """Return whose mean is stated, or who is held against whom."""
    if stated.is_mean:
        return say("{subject}, mean", subject=stated.above)
    if not stated.below:
        return stated.above
    return say("{subject} against {other}", subject=stated.above, other=stated.below)


def given_in_words(stated: Stated) -> str | None:
    """Write what all figures give with as many decimals as the source has; None for nothing."""
    if stated.given is None:
        return None
    decimals = sum(map(str.isdecimal, stated.text.partition(".")[2]))
    return _with_unit(f"{stated.given:,.{decimals}f}", stated)


def stated_in_words(stated: Stated) -> str:
    """Write what is stated as the source does, with its unit if only the column has that."""
    return stated.text if stated.text.endswith("%") else _with_unit(stated.text, stated)


def _with_unit(number: str, stated: Stated) -> str:
    return f"{number}\N{NO-BREAK SPACE}{stated.unit}" if stated.unit else number


def below_ratio(ratio: Ratio) -> str:
    """Return the interval of a ratio, and its range where it is a mean of several."""
    interval = ""
    if ratio.low is not None and ratio.high is not None:
        interval = f"[{ratio_in_words(ratio.low)}, {ratio_in_words(ratio.high)}]"
    if ratio.combinations == 1:
        return interval
    between = say(
        "{least} to {most} in {count} combinations",
        least=ratio_in_words(ratio.least),
        most=ratio_in_words(ratio.most),
        count=ratio.combinations,
    )
    return listed(filter(None, (interval, between)))
