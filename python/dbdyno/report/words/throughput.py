"""What throughput is called: over a column, on an axis, in a sentence."""

from __future__ import annotations

from dbdyno.analysis.throughput import TRANSACTIONS, MeasureCode, ThroughputMeasure
from dbdyno.report.language import message, say

_HEADINGS = {
    MeasureCode.TRANSACTIONS: message("transactions/s"),
    MeasureCode.QUERIES: message("queries/s"),
    MeasureCode.NOPM: message("NOPM"),
    MeasureCode.TPMC: message("tpmC"),
    MeasureCode.OPERATIONS: message("operations/s"),
    MeasureCode.STATEMENTS: message("statements/s"),
    MeasureCode.EVENTS: message("events/s"),
}
_WORDS = {
    MeasureCode.TRANSACTIONS: message("transactions per second"),
    MeasureCode.QUERIES: message("queries per second"),
    MeasureCode.NOPM: message("New-Orders per minute (NOPM)"),
    MeasureCode.TPMC: message("New-Orders per minute (tpmC)"),
    MeasureCode.OPERATIONS: message("operations per second"),
    MeasureCode.STATEMENTS: message("statements per second"),
    MeasureCode.EVENTS: message("events per second"),
}
_TRANSACTION, _TRANSACTIONS = message("transaction"), message("transactions")
_ONE = {
    MeasureCode.QUERIES: message("query"),
    MeasureCode.OPERATIONS: message("operation"),
    MeasureCode.STATEMENTS: message("statement"),
    MeasureCode.EVENTS: message("event"),
}
_MANY = {
    MeasureCode.QUERIES: message("queries"),
    MeasureCode.OPERATIONS: message("operations"),
    MeasureCode.STATEMENTS: message("statements"),
    MeasureCode.EVENTS: message("events"),
}


def measure_heading(measure: ThroughputMeasure) -> str:
    """Return what stands over a column: ``transactions/s``."""
    return measure.name or say(_HEADINGS[measure.code])


def rate_heading(measure: ThroughputMeasure) -> str:
    """Return what stands over a column of all that is counted, whatever its kind."""
    return measure_heading(TRANSACTIONS if measure.kind is not None else measure)


def measure_words(measure: ThroughputMeasure) -> str:
    """Return what stands on an axis, or behind a figure: ``transactions per second``."""
    return measure.name or say(_WORDS[measure.code])


def measure_title(measure: ThroughputMeasure) -> str:
    """Return the same as the beginning of a sentence: ``Transactions per second``."""
    return capitalized(measure_words(measure))


def counted_one(measure: ThroughputMeasure) -> str:
    """Return what is counted, one of them."""
    if measure.kind is not None:
        return say("New-Order")
    return say(_ONE.get(measure.code, _TRANSACTION))


def counted_many(measure: ThroughputMeasure) -> str:
    """Return what is counted, several of them."""
    if measure.kind is not None:
        return say("New-Orders")
    return say(_MANY.get(measure.code, _TRANSACTIONS))


def title_of_all() -> str:
    """Return what transactions of all kinds are called where New-Orders are counted."""
    return say("All transactions per minute (tpmTOTAL)")


def capitalized(text: str) -> str:
    """Begin with a capital letter and leave the rest as it is."""
    return text[:1].upper() + text[1:]
