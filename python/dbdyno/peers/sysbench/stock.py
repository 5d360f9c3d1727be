"""Tells sysbench's own scripts in Lua from changed ones: dbdyno has its own of the same names.

A script is known by what it does: comments, blank lines and indentation do not count.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

COMMON = "oltp_common"
"""What all OLTP scripts read; sysbench looks for it in the working directory first."""

_COMMENT = re.compile(r"--\[\[.*?\]\]|--[^\n]*|^#![^\n]*", re.DOTALL)

DIGESTS = {
    "bulk_insert": "5bbb0395e84c30c0",
    "oltp_common": "6006dafd981fba18",
    "oltp_delete": "c89d66154c5b52f9",
    "oltp_insert": "f3bd2c5140d9be7f",
    "oltp_point_select": "bdf01f531fe8e129",
    "oltp_read_only": "8281d29785b9a2f3",
    "oltp_read_write": "c9832dac582ce6d1",
    "oltp_update_index": "595b39164aa26209",
    "oltp_update_non_index": "c61b1307b5933986",
    "oltp_write_only": "4dec650faaf6ad9c",
    "select_random_points": "1f5e893f20aba02b",
    "select_random_ranges": "9fab5da89304630a",
}
"""Of the scripts of sysbench 1.0.20, by their names."""


def is_stock(script: Path) -> bool:
    """Tell whether a file, and the one that it reads, are those that sysbench ships.

    ``OSError`` where one cannot be read.
    """
    if digest(script) != DIGESTS.get(script.stem):
        return False
    common = Path(f"{COMMON}.lua")
    return not common.exists() or digest(common) == DIGESTS[COMMON]


def digest(script: Path) -> str:
    """Return a short name of what a script does."""
    text = _COMMENT.sub("", script.read_text(encoding="utf-8", errors="replace"))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return hashlib.sha256("\n".join(filter(None, lines)).encode()).hexdigest()[:16]
