"""Names of paths that are as short as they can be and still tell each from the others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dbdyno.experiment.file.quantity import without_commands


def short_names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each path: as much of its end as tells it from the others."""
    resolved = [path.resolve() for path in paths]
    distinct = set(resolved)
    depth = 1
    while len({path.parts[-depth:] for path in distinct}) < len(distinct):
        depth += 1
    return [_text("/".join(path.parts[-depth:])) for path in resolved]


def _text(name: str) -> str:
    """Return a name that can be written: what is no text or steers terminals becomes a sign."""
    return without_commands(os.fsencode(name).decode(errors="replace"))
