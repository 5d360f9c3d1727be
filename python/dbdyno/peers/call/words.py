"""Durations and numbers in words."""

from __future__ import annotations


def clock(duration_s: float) -> str:
    """Return minutes and seconds, and hours where there are any: ``1:05``, ``2:00:00``."""
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def counted(number: int, what: str) -> str:
    """Return ``1 warehouse``, ``10 warehouses``."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
