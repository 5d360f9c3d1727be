"""What the words of a kind of evidence may be, and how they are said with its figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from dbdyno.analysis.evidence import Evidence
from dbdyno.report.language import say, say_count
from dbdyno.report.words.evidence.figures import count_of, value_in_words, written

Words: TypeAlias = str | tuple[str, str] | Callable[[Evidence], str]
"""A message; one for a ``count`` of one and one for more; or what it takes more than that."""


def tell(evidence: Evidence, words: Words) -> str:
    """Return the words with the figures in them."""
    if callable(words):
        return words(evidence)
    shown = written(evidence)
    if isinstance(words, str):
        return say(words, **shown)
    del shown["count"]
    return say_count(*words, count=count_of(evidence), **shown)


def as_it_is(name: str) -> Callable[[Evidence], str]:
    """Return words that are a text from outside and nothing else."""
    return lambda evidence: str(evidence[name])


def by_sign(name: str, more: str, less: str) -> Callable[[Evidence], str]:
    """Return words for a change up and for one down, which tell its size without a sign."""

    def write(evidence: Evidence) -> str:
        change = evidence[name]
        assert isinstance(change, int | float), evidence
        size = value_in_words(name.replace("change_", ""), abs(change))
        return say(more if change > 0 else less, **written(evidence) | {name: size})

    return write
