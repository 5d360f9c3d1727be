"""Amounts in units that are easy to read. Light, so that commands may use it at once."""

from __future__ import annotations

_UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def bytes_in_words(size_bytes: float) -> str:
    """Return ``65.9 GiB``, ``1,023 KiB``, ``12 bytes``: three significant digits or more."""
    sign = "−" if size_bytes < 0 else ""
    for unit, name in _UNITS:
        value = abs(size_bytes) / unit
        if value >= 1:
            decimals = 2 if value < 10 else 1 if value < 100 else 0
            return f"{sign}{value:,.{decimals}f}\N{NO-BREAK SPACE}{name}"
    return f"{sign}{abs(size_bytes):.0f}\N{NO-BREAK SPACE}bytes"
