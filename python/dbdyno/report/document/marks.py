"""Texts with marks in them: a message whose placeholders are links, codes and strong words."""

from __future__ import annotations

from string import Formatter

from dbdyno.report.document.model import Part, Text
from dbdyno.report.language import current, translated


def marked(text: str, /, **values: Part) -> tuple[Part, ...]:
    """Return a ``message`` in the current language with marks in place of its placeholders.

    ``marked(message("See the {method}."), method=Link(say("method"), "tested"))``
    """
    parts: list[Part] = []
    for literal, name, _, _ in Formatter().parse(translated(text)):
        if literal:
            parts.append(literal)
        if name is not None:
            parts.append(values[name])
    return tuple(parts)


def joined(*texts: Text) -> tuple[Part, ...]:
    """Return sentences, with marks or without, as one paragraph; empty ones are left out."""
    parts: list[Part] = []
    for text in filter(None, texts):
        if parts and (between := current().between_sentences):
            parts.append(between)
        parts.extend((text,) if isinstance(text, str) else text)
    return tuple(parts)
