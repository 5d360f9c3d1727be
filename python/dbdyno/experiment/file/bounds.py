"""Keeps a YAML text from growing without bounds: nested too deeply, or by aliases of aliases.

The text is looked at as a stream of events, which is given up at the first that goes too far:
nothing is built of it before.
"""

from __future__ import annotations

from collections.abc import Iterable

from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    ScalarEvent,
)

LARGEST_BYTES = 1_000_000
DEEPEST = 50
MOST_VALUES = 100_000


class TooLargeError(Exception):
    """A text goes beyond the bounds; ``line`` is where it does, from 1."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


def check_bounds(events: Iterable[Event]) -> None:
    """``TooLargeError`` where a text has too many values, each alias written out, or too deep."""
    sizes: dict[str, int] = {}
    open_collections: list[tuple[str | None, int]] = []
    values = 0
    for event in events:
        if isinstance(event, CollectionStartEvent):
            open_collections.append((event.anchor, values))
            values += 1
        elif isinstance(event, CollectionEndEvent):
            anchor, before = open_collections.pop()
            if anchor is not None:
                sizes[anchor] = values - before
        elif isinstance(event, AliasEvent):
            values += sizes.get(event.anchor, 1)
        elif isinstance(event, ScalarEvent):
            values += 1
            if event.anchor is not None:
                sizes[event.anchor] = 1
        line = event.start_mark.line + 1
        if len(open_collections) > DEEPEST:
            raise TooLargeError(line, f"is nested more than {DEEPEST} deep; an experiment is not")
        if values > MOST_VALUES:
            raise TooLargeError(
                line, f"comes to more than {MOST_VALUES:,} values, aliases (*name) written out"
            )
        if isinstance(event, AliasEvent) and any(
            anchor == event.anchor for anchor, _ in open_collections
        ):
            raise TooLargeError(line, f"*{event.anchor} stands within itself; write it out")
