"""The journal of a run: what happened when, one line an event, kept whatever happens next."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from dbdyno.store.json_lines import JsonLinesWriter


class Journal:
    """Appends events with their wall time to ``journal.jsonl``."""

    def __init__(self, path: Path) -> None:
        self._lines = JsonLinesWriter(path)

    def write(self, event: str, trial: int | None = None, **details: Any) -> None:  # noqa: ANN401
        """Append one event; ``trial`` is the number of the trial that it belongs to, if any."""
        record: dict[str, Any] = {"unix_s": round(time.time(), 3), "event": event}
        if trial is not None:
            record["trial"] = trial
        self._lines.write(record | details)

    def close(self) -> None:
        """Close the file."""
        self._lines.close()
