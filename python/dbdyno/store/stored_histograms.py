"""Histograms that stay as they were stored until somebody looks at one.

Decoded, those of a trial take a hundred times as much memory; a result may have thousands of
trials, and a report looks at one after the other. Many checks look at the same ones of a trial, so
those that were decoded last are kept for a while.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from dbdyno._native import Histogram

KEPT_DECODED = 64
"""As many as a trial of TPC-C has, each of some 300 KB."""


@dataclass(frozen=True)
class StoredHistogram:
    """A histogram in HdrHistogram's text, and how many values lie beyond its range."""

    text: str
    overflow: int = 0

    def decode(self) -> Histogram:
        """Return the histogram, which is shared: nothing may be merged into it.

        ValueError where the text is none.
        """
        return _decoded(self.text, self.overflow)


@lru_cache(KEPT_DECODED)
def _decoded(text: str, overflow: int) -> Histogram:
    return Histogram.decode(text, overflow)


EMPTY = StoredHistogram(Histogram().encode())


class StoredHistograms(Mapping[tuple[str, str], Histogram]):
    """Histograms by transaction and measure."""

    def __init__(self, stored: Mapping[tuple[str, str], StoredHistogram]) -> None:
        self._stored = dict(stored)

    def __getitem__(self, key: tuple[str, str]) -> Histogram:
        return self._stored[key].decode()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)
