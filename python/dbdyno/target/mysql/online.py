"""Makes settings on a running server of the MySQL family, and sees that they took."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno._native import Session
from dbdyno.errors import NotTakenError, RunError
from dbdyno.target.mysql.description import effective_settings
from dbdyno.target.mysql.readback import number, same_value


def set_mysql_online(session: Session, settings: Mapping[str, str]) -> None:
    """Set global variables; ``RunError`` for one that the server then shows otherwise."""
    for name, value in settings.items():
        try:
            session.query(f"SET GLOBAL {name} = {_literal(value)}")
        except RuntimeError as error:
            raise RunError(
                f"setting {name}={value} cannot be made on the running server: {error}; "
                "without apply: online it is made by a restart"
            ) from error
    effective = effective_settings(session)
    for name, value in settings.items():
        shown = effective.get(name.lower())
        if shown is None or not same_value(value, shown):
            raise NotTakenError(
                f"setting {name}={value} did not take on the running server: it shows "
                f"{'no such setting' if shown is None else shown}"
            )


def _literal(value: str) -> str:
    """Return a value as a statement has it: units are an option file's alone."""
    size = number(value)
    if size is not None:
        return str(int(size)) if size.is_integer() else str(size)
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
