"""What throughput is called: over a column, on an axis, in a sentence."""

from __future__ import annotations

from dbdyno.analysis.throughput import MeasureCode, ThroughputMeasure
from dbdyno.report.language import message, say

_HEADINGS = {
    MeasureCode.TRANSACTIONS: message("transactions/s"),
    MeasureCode.NOPM: message("NOPM"),
    MeasureCode.TPMC: message("tpmC"),
    MeasureCode.OPERATIONS: message("operations/s"),
    MeasureCode.STATEMENTS: message("statements/s"),
    MeasureCode.EVENTS: message("events/s"),
}
_WORDS = {
    MeasureCode.TRANSACTIONS: message("transactions per second"),
    MeasureCode.NOPM: message("New-Orders per minute (NOPM)"),
    MeasureCode.TPMC: message("New-Orders per minute (tpmC)"),
    MeasureCode.OPERATIONS: message("operations per second"),
    MeasureCode.STATEMENTS: message("statements per second"),
    MeasureCode.EVENTS: message("events per second"),
}


def measure_heading(measure: ThroughputMeasure) -> str:
    """Return what stands over a column: ``transactions/s``."""
    return measure.name or say(_HEADINGS[measure.code])


def measure_words(measure: ThroughputMeasure) -> str:
    """Return what stands on an axis, or behind a figure: ``transactions per second``."""
    return measure.name or say(_WORDS[measure.code])


def measure_title(measure: ThroughputMeasure) -> str:
    """Return the same as the beginning of a sentence: ``Transactions per second``."""
    return capitalized(measure_words(measure))


def counted_one(measure: ThroughputMeasure) -> str:
    """Return what is counted, one of them."""
    return say("transaction") if measure.kind is None else say("New-Order")


def counted_many(measure: ThroughputMeasure) -> str:
    """Return what is counted, several of them."""
    return say("transactions") if measure.kind is None else say("New-Orders")


def capitalized(text: str) -> str:
    """Begin with a capital letter and leave the rest as it is."""
    return text[:1].upper() + text[1:]
