"""Makes settings on a running PostgreSQL server by a reload, and sees that they took."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from dbdyno._native import Session
from dbdyno.errors import NotTakenError, RunError
from dbdyno.target.postgresql.readback import adjusted_settings, shown_settings

RELOAD_LIMIT_S = 10.0
"""The server's processes read their settings between two statements."""
POLL_S = 0.05

_PENDING = "SELECT name FROM pg_settings WHERE pending_restart"


def alter_system(session: Session, settings: Mapping[str, str]) -> None:
    """Have the server keep settings in its own file, and read them; superusers may."""
    for name, value in settings.items():
        escaped = value.replace("'", "''")
        session.query(f"ALTER SYSTEM SET {name} = '{escaped}'")
    session.query("SELECT pg_reload_conf()")


def await_settings(
    connect: Callable[[], AbstractContextManager[Session]], settings: Mapping[str, str]
) -> None:
    """Wait until new sessions show settings; ``RunError`` for one that they do not show."""
    deadline_s = time.monotonic() + RELOAD_LIMIT_S
    while True:
        with connect() as session:
            shown = shown_settings(session)
            missing = adjusted_settings(settings, shown)
            pending = {name for (name,) in session.query(_PENDING)}
        if not missing:
            return
        waiting = sorted(name for name in missing if name.lower() in pending)
        if waiting:
            raise RunError(
                f"setting {waiting[0]}={settings[waiting[0]]} takes a restart of the server; "
                "remove apply: online"
            )
        if time.monotonic() > deadline_s:
            name, value = next(iter(missing.items()))
            found = shown.get(name.lower())
            raise NotTakenError(
                f"setting {name}={value} did not take on the running server: it shows "
                f"{'no such setting' if found is None else found.shown}"
            )
        time.sleep(POLL_S)
