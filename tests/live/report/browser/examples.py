"""The pages that the tests open: written once in a process, each in each language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.report.document.build import build_document
from dbdyno.report.document.model import Document
from dbdyno.report.formats.html import write_html
from dbdyno.report.formats.pdf import write_pdf
from dbdyno.report.language import in_language, language
from dbdyno.store.reader import read_result
from tests.live.report.browser.every_block import every_block
from tests.live.run.stage import Stage
from tests.unit.report import report_examples
from tests.unit.report.error_examples import with_errors

HOSTILE = (
    '<img src="http://attacker.invalid/x.png" onerror="document.title=\'run\'">',
    "</style></title><script>document.title='run'</script>",
    "${document.title='run'}{{ 6*7 }}{% x %}",
    "'\" onmouseover=\"document.title='run'",
    "javascript:document.title='run'//&amp;<!--]]>",
    "</svg><iframe src='//attacker.invalid'></iframe>",
)
"""Names that would load, run or change something where they were taken for markup."""

WRITTEN_AT = datetime(2026, 11, 25, 2, 44, tzinfo=UTC)


def hostile() -> Findings:
    """Return findings in which every name that a user chooses is hostile."""
    image, style, template, quotes, address, frame = HOSTILE
    factors = (
        FactorLevels(quotes, (image, style), "server.journal_mode"),
        FactorLevels(frame, ("1", "8"), "load.clients"),
    )
    cells = tuple(
        report_examples.summary(Cell(((quotes, mode), (frame, clients))), rate, int(clients))
        for mode, rate in ((image, 200.0), (style, 800.0))
        for clients in ("1", "8")
    )
    return replace(
        report_examples.two_factors(),
        experiment=address,
        question=f"{image} {template}?",
        factors=factors,
        cells=cells,
        compared=compare_cells(factors, cells, report_examples.RULES),
        differences=((style, f"{quotes}={style}", image, template),),
        usage={},
    )


def measured(directory: Path) -> Findings:
    """Return the findings of a small experiment that has run here, on SQLite."""
    stage = Stage(directory).write(rounds=2)
    ended = stage.run()
    assert ended.status == 0, ended
    return analyse(read_result(stage.result))


class Examples:
    """Documents and the files of them, by the name of an example and a language."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._measured: Findings | None = None
        self.document = cache(self._document)
        self.html = cache(self._html)
        self.page = cache(self._page)
        self.pdf = cache(self._pdf)

    def _findings(self, name: str) -> Findings:
        made: Mapping[str, Callable[[], Findings]] = {
            **report_examples.EXAMPLES,
            "hostile": hostile,
            "with_errors": with_errors,
        }
        if name != "measured":
            return made[name]()
        if self._measured is None:
            directory = self._directory / "measured"
            directory.mkdir()
            self._measured = measured(directory)
        return self._measured

    def _document(self, name: str, spoken: str, is_summary: bool) -> Document:
        if name == "every_block":
            return every_block(language(spoken))
        findings = self._findings(name)
        return build_document(findings, WRITTEN_AT, language(spoken), is_summary=is_summary)

    def _page(self, name: str, spoken: str) -> Path:
        """Return the page of an example."""
        return self.save(f"{name}.{spoken}.html", self.html(name, spoken))

    def _html(self, name: str, spoken: str) -> str:
        """Return the page as text, for tests that break it."""
        document = self.document(name, spoken, False)
        with in_language(document.language):
            return write_html(document)

    def _pdf(self, name: str, spoken: str, is_summary: bool) -> Path:
        """Return the PDF of an example."""
        document = self.document(name, spoken, is_summary)
        with in_language(document.language):
            content = write_pdf(document)
        kind = "summary" if is_summary else "report"
        path = self._directory / f"{name}.{spoken}.{kind}.pdf"
        path.write_bytes(content)
        return path

    def save(self, name: str, html: str) -> Path:
        """Write a page and return its path."""
        path = self._directory / name
        path.write_text(html, encoding="utf-8")
        return path
