"""How far a check is, where nobody sees a terminal."""

from __future__ import annotations

import threading

import pytest

from dbdyno.cli import check_output
from dbdyno.cli.check_output import ProgressLines
from dbdyno.tpcc.conditions import CONDITIONS
from dbdyno.tpcc.tables import Run


class Shown:
    """Standard error that tells when something was written."""

    def __init__(self) -> None:
        self.text = ""
        self.has_line = threading.Event()

    def write(self, text: str) -> int:
        """Keep it."""
        self.text += text
        if text.endswith("\n"):
            self.has_line.set()
        return len(text)

    def flush(self) -> None:
        """Do nothing."""


def test_who_waits_is_told_what_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown()
    monkeypatch.setattr(check_output, "LINE_EVERY_S", 0.01)
    monkeypatch.setattr("sys.stderr", shown)
    with ProgressLines(500).showing() as note:
        note(CONDITIONS[3], Run(1, 100))
        shown.has_line.clear()
        assert shown.has_line.wait(30)
    first = "waiting for a snapshot of all tables"
    assert set(shown.text.splitlines()) <= {first, "condition 3, warehouse 100 of 500"}
    assert shown.text.endswith("condition 3, warehouse 100 of 500\n")


def test_who_does_not_wait_is_told_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines(500).showing() as note:
        note(CONDITIONS[3], Run(1, 100))
    assert capsys.readouterr().err == ""
