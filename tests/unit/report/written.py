"""A report as a page, and its sections, for tests of either."""

from __future__ import annotations

from datetime import datetime

from dbdyno.analysis.findings import Findings
from dbdyno.report.document.build import SECTIONS, build_document
from dbdyno.report.document.model import Section
from dbdyno.report.formats.html import write_html
from dbdyno.report.language import language


def render_html(findings: Findings, generated_at: datetime) -> str:
    """Return the whole report in English."""
    return write_html(build_document(findings, generated_at, language("en")))


def sections_by_id(findings: Findings) -> dict[str, Section | None]:
    """Return each section by the name of its module; None where there is none."""
    return {build.__module__.rpartition(".")[2]: build(findings) for build in SECTIONS}
