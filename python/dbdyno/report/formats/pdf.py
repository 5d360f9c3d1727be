"""A document as PDF: the same HTML and style sheet on A4.

WeasyPrint and the library Pango are needed for this alone; without them the other formats work.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Iterable

from dbdyno.errors import InputError
from dbdyno.report.document.model import Document
from dbdyno.report.formats.html import write_print_html

HOW_TO_INSTALL = (
    "a PDF needs WeasyPrint and the library Pango: pip install 'dbdyno[pdf]' and, on Debian, "
    "apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; or print report.html from "
    "a browser"
)


def require(language_tags: Iterable[str]) -> None:
    """Raise InputError where what a PDF needs is not installed."""
    try:
        import weasyprint  # noqa: F401 - loads Pango, too
    except (ImportError, OSError) as error:
        raise InputError(f"{HOW_TO_INSTALL} ({error})") from error
    for tag in language_tags:
        _refuse_missing_font(tag)


def write_pdf(document: Document) -> bytes:
    """Return a document as PDF, where ``require`` has refused nothing."""
    from weasyprint import HTML
    from weasyprint.urls import URLFetcher

    # It warns of each property of the screen's style sheet that print does not have.
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    # Without any protocol that is allowed, nothing is fetched, whatever a page may name.
    fetcher = URLFetcher(allowed_protocols=())
    pdf = HTML(string=write_print_html(document), url_fetcher=fetcher).write_pdf()
    assert isinstance(pdf, bytes), "without a target the document is returned"
    return pdf


def _refuse_missing_font(tag: str) -> None:
    """Refuse Chinese where no font has its characters: a page of empty boxes is no report."""
    if not tag.startswith("zh") or shutil.which("fc-list") is None:
        return
    found = subprocess.run(
        ["fc-list", ":lang=zh-cn", "family"], capture_output=True, text=True, check=False
    )
    if found.returncode == 0 and not found.stdout.strip():
        raise InputError(
            "a PDF in Chinese needs a font with Chinese characters, and none is installed; on "
            "Debian: apt install fonts-noto-cjk"
        )
