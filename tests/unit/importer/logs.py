"""Where the logs of these tests are, and how one is read."""

from __future__ import annotations

from pathlib import Path

from dbdyno.importer.read import read_logs
from dbdyno.trial_evidence import SourceNote, TrialEvidence

DATA = Path(__file__).parents[2] / "data" / "imports"
"""Printed by the tools themselves; HammerDB's, mysqlslap's, YCSB's and BenchBase's are put together
from lines that these tools print."""
PEERS = DATA.parent / "peers"
"""More of the tools' own output, which tests of commands have, too."""


def read_one(name: str) -> TrialEvidence:
    """Return the only run of one of the logs."""
    folder = DATA if (DATA / name).exists() else PEERS
    (trial,) = read_logs([folder / name])
    return trial


def read_text(text: str | bytes, folder: Path, name: str = "run.log") -> tuple[TrialEvidence, ...]:
    """Return the runs in a text."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_logs([path])


def notes_of(trial: TrialEvidence) -> dict[str, dict[str, object]]:
    """Return the figures of each note by its code."""
    return {_code(note): dict(note.figures) for note in trial.notes}


def _code(note: SourceNote) -> str:
    return str(note.code)
