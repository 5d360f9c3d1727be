"""Puts lines of sorted files into one order, with no more memory than a line of each takes."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path

OPEN_FILES_MAX = 64
"""How many files are merged at once; more are merged in several passes."""


def merge_lines(
    files: Sequence[Path], folder: Path, open_files_max: int = OPEN_FILES_MAX
) -> Iterator[bytes]:
    """Yield the lines of all files in order; each file has its own in order.

    ``folder`` takes the files of passes in between. A file that such a pass has read is removed.
    """
    left = list(files)
    numbers = count()
    while len(left) > open_files_max:
        group, left = left[:open_files_max], left[open_files_max:]
        merged = folder / f"merged-{next(numbers)}"
        with merged.open("wb") as out:
            out.writelines(_merge(group))
        for file in group:
            file.unlink()
        left.append(merged)
    yield from _merge(left)


def _merge(files: Sequence[Path]) -> Iterator[bytes]:
    with ExitStack() as stack:
        yield from heapq.merge(*(stack.enter_context(file.open("rb")) for file in files))
