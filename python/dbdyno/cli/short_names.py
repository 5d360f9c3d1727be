"""Names of paths that are as short as they can be and still tell each from the others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def short_names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each path: as much of its end as tells it from the others."""
    resolved = [path.resolve() for path in paths]
    distinct = set(resolved)
    depth = 1
    while len({path.parts[-depth:] for path in distinct}) < len(distinct):
        depth += 1
    return [_text("/".join(path.parts[-depth:])) for path in resolved]


def _text(name: str) -> str:
    """Return a name that can be written; bytes of it that are no text become question marks."""
    return os.fsencode(name).decode(errors="replace")
