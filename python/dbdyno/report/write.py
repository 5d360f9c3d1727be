"""Write a report into a result directory, in the formats asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from dbdyno.analysis.findings import Findings
from dbdyno.errors import InputError
from dbdyno.report.html import render_html

_RENDERERS: dict[str, Callable[[Findings, datetime], str]] = {"html": render_html}


def write_report(findings: Findings, directory: Path, formats: Sequence[str]) -> list[Path]:
    """Write ``report.FORMAT`` for each format and return the paths.

    A file that exists is replaced as a whole. InputError, before anything is written, for a format
    that this release does not write.
    """
    for name in formats:
        if name not in _RENDERERS:
            known = ", ".join(_RENDERERS)
            raise InputError(
                f"report format {name!r} is not in this release, which writes: {known}; "
                "to get a PDF, print the HTML report from a browser"
            )
    generated_at = datetime.now(UTC)
    return [
        _replace(directory / f"report.{name}", _RENDERERS[name](findings, generated_at))
        for name in formats
    ]


def _replace(path: Path, text: str) -> Path:
    """Write a file under another name first, so that no reader ever sees half of it."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(path)
