"""SQLite's database on disk: its file, and the write-ahead log beside it.

One file holds all tables, and so it is measured as a whole, whichever tables are meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dbdyno._native import Session
from dbdyno.size.model import DiskSize


def size_on_disk(session: Session, tables: Sequence[str] | None) -> DiskSize:
    """Return the size of all pages, used and free, and of the log that they go to first."""
    del tables
    page_count, page_size = (
        int(session.query(f"PRAGMA {name}")[0][0] or 0) for name in ("page_count", "page_size")
    )
    return DiskSize(page_count * page_size + _log_bytes(session), "the database file and its log")


def _log_bytes(session: Session) -> int:
    """Return the log's size; there is none in other journal modes, nor in memory."""
    files = {str(name): path for _, name, path in session.query("PRAGMA database_list")}
    log = Path(f"{files['main']}-wal")
    return log.stat().st_size if files["main"] and log.exists() else 0
