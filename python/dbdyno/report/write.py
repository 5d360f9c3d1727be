"""Write reports into a result directory: each format in each language that was asked for."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from dbdyno.analysis.findings import Findings
from dbdyno.contained_files import make_folder, named_directory, write_file
from dbdyno.errors import InputError
from dbdyno.report.document.build import build_document
from dbdyno.report.document.model import Document
from dbdyno.report.language import LANGUAGES, in_language, language

DRAWING_ADDRESSES_BYTES = 256 << 30
"""Vega is carried out by V8, which reserves far more addresses than it uses memory."""

Files = Mapping[str, str | bytes]
"""What a format writes, by path relative to the result."""


def write_report(
    findings: Findings,
    directory: Path,
    formats: Sequence[str],
    languages: Sequence[str] = ("en",),
    *,
    is_summary: bool = False,
    label: str = "",
) -> list[Path]:
    """Write each format in each language and return the paths of the reports.

    They are ``report.FORMAT`` in English and ``report.LANGUAGE.FORMAT`` otherwise; a summary is
    ``summary`` in place of ``report``, and a ``label`` stands after either. A file that exists is
    replaced as a whole. InputError, before anything is written, for a format or a language that is
    not known, and for a format that needs what is not installed.
    """
    refuse_unwritable(formats, languages)
    generated_at = datetime.now(UTC)
    reports: dict[str, Files] = {}
    for name in dict.fromkeys(languages):
        document = build_document(findings, generated_at, language(name), is_summary=is_summary)
        parts = ("summary" if is_summary else "report", label, "" if name == "en" else name)
        stem = ".".join(filter(None, parts))
        with in_language(document.language):
            for each in dict.fromkeys(formats):
                reports[f"{stem}.{each}"] = _WRITERS[each](document, stem)
    return list(_write(named_directory(directory), reports))


def refuse_unwritable(formats: Sequence[str], languages: Sequence[str]) -> None:
    """Raise InputError where a report cannot be written here: better before an experiment."""
    _refuse_unknown("format", formats, list(_WRITERS))
    _refuse_unknown("language", languages, list(LANGUAGES))
    _refuse_few_addresses()
    if "pdf" in formats:
        from dbdyno.report.formats.pdf import require

        require([language(name).tag for name in languages])


def _refuse_few_addresses() -> None:
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < DRAWING_ADDRESSES_BYTES:
        raise InputError(
            f"this shell allows a program {allowed >> 20:,} MiB of addresses (ulimit -v), and what "
            f"draws charts reserves up to {DRAWING_ADDRESSES_BYTES >> 20:,}, though it uses few: "
            "allow more with ulimit -v unlimited, and limit memory by a control group instead"
        )


def _html(document: Document, stem: str) -> Files:
    from dbdyno.report.formats.html import write_html

    return {f"{stem}.html": write_html(document)}


def _markdown(document: Document, stem: str) -> Files:
    from dbdyno.report.formats.markdown import write_markdown

    folder = f"{stem}.figures"
    written = write_markdown(document, folder)
    drawings = {f"{folder}/{name}": svg for name, svg in written.drawings.items()}
    return {f"{stem}.md": written.text, **drawings}


def _pdf(document: Document, stem: str) -> Files:
    from dbdyno.report.formats.pdf import write_pdf

    return {f"{stem}.pdf": write_pdf(document)}


_WRITERS: Mapping[str, Callable[[Document, str], Files]] = {
    "html": _html,
    "md": _markdown,
    "pdf": _pdf,
}


def _refuse_unknown(kind: str, asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            raise InputError(f"report {kind} {name!r} is not known; known: {', '.join(known)}")


def _write(directory: Path, reports: Mapping[str, Files]) -> Iterator[Path]:
    for report, files in reports.items():
        for name, content in files.items():
            path = directory / name
            make_folder(path.parent)
            write_file(path, content)
        yield directory / report
