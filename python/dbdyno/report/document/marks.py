"""Messages with marks in them: a name as code, a link, words that stand out."""

from __future__ import annotations

from string import Formatter

from dbdyno.report.document.model import Part, Text
from dbdyno.report.language import current, template


def marked(text: str, /, **parts: Part) -> tuple[Part, ...]:
    """Return a message in the current language, with ``{name}`` replaced by a part of a text.

    The parts stand where the language has them. ``text`` is inside ``message``.
    """
    found: list[Part] = []
    for words, name, _, _ in Formatter().parse(template(text)):
        if words:
            found.append(words)
        if name is not None:
            found.append(parts[name])
    return tuple(found)


def joined(*texts: Text) -> tuple[Part, ...]:
    """Return sentences, with marks or without, as one paragraph; empty ones are left out."""
    parts: list[Part] = []
    for text in filter(None, texts):
        if parts and (between := current().between_sentences):
            parts.append(between)
        parts.extend((text,) if isinstance(text, str) else text)
    return tuple(parts)
