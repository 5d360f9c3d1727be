"""Settings that differ, in words."""

from __future__ import annotations

from dbdyno.report.language import say


def setting_value(value: str | None) -> str:
    """Return a setting's value as the server tells it; None where it has no such setting."""
    return say("(not known to this server)") if value is None else value
