"""Section: what the terms mean."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.report.document.marks import marked
from dbdyno.report.document.model import Code, Details, Section, Terms
from dbdyno.report.language import say
from dbdyno.report.words.glossary import terms

_MARGIN = Code("report.margin")


def section(findings: Findings) -> Section:
    """Return the section; TPC-C's own terms are in a report on TPC-C only."""
    is_tpcc = any(each.conformance is not None for each in findings.cells)
    known = terms(is_tpcc=is_tpcc, is_told=findings.imported is not None)
    pairs = [(say(term), marked(meaning, margin=_MARGIN)) for term, meaning in known]
    title = say("Glossary")
    folded = Details(say("What the terms mean"), [Terms(pairs)])
    return Section("glossary", title, [folded], name=title)
