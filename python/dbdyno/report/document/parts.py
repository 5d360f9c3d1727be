"""The parts of a text, as a writer takes them one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from dbdyno.report.document.model import Link, Part, Text


def parts(text: Text) -> tuple[Part, ...]:
    """Return the parts of a text; one without marks is its only part."""
    return (text,) if isinstance(text, str) else text


def reachable(text: Text, sections: Collection[str]) -> Iterator[Part]:
    """Yield the parts of a text without links to sections that the document does not have."""
    for part in parts(text):
        if not isinstance(part, Link) or part.section in sections:
            yield part


def plain(text: Text, sections: Collection[str] = ()) -> str:
    """Return a text without its marks."""
    return "".join(
        part if isinstance(part, str) else part.text for part in reachable(text, sections)
    ).strip()
