"""What every connection is set to and how long it lasts, as written in the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.protocol.trial_plan import SessionPlan

Isolation = Literal["read_uncommitted", "read_committed", "repeatable_read", "serializable"]


class Session(FileModel):
    """What every connection is set to, and how long it lasts."""

    isolation: Isolation | None = Field(
        default=None,
        description="Set on each connection and read back; without it, the server's default, which "
        "is read back too.",
    )
    autocommit: bool | None = Field(
        default=None,
        description="false: no BEGIN is sent, the first statement opens a transaction (PostgreSQL: "
        "BEGIN travels with it), and COMMIT ends it. Without it true, for TPC-C false as its other "
        "tools have it.",
    )
    reconnect: int = Field(
        default=0,
        ge=0,
        le=2**53,
        description="A new connection after so many transactions; 1 is one for each. Connecting is "
        "part of the response time. 0 keeps connections.",
        examples=[100],
    )

    def plan(self, *, usual_autocommit: bool) -> SessionPlan:
        """Return it as a trial plan has it."""
        return SessionPlan(
            isolation=self.isolation,
            autocommit=usual_autocommit if self.autocommit is None else self.autocommit,
            reconnect=self.reconnect,
        )


def refuse_in_sqlite(values: Iterable[tuple[Location, str, object]]) -> None:
    """Refuse what SQLite cannot do; ``values`` are all that the file asks for, and where it does.

    Each is a field by its path (``session.isolation``) with its value.
    """
    for location, path, value in values:
        reason = _reason(path, value)
        if reason is not None:
            raise FieldError(location, reason)


def _reason(path: str, value: object) -> str | None:
    if path == "load.protocol" and value == "multi":
        return "multi saves round trips, and SQLite has none; use prepared"
    if path == "session.autocommit" and value is False:
        return "SQLite commits what stands outside of BEGIN and COMMIT; leave autocommit on"
    if path == "session.isolation" and value not in {None, "serializable"}:
        return f"SQLite's transactions are serializable, never {value}; leave it out"
    return None


def asked_values(
    written: Mapping[str, FileModel], levels: Iterable[tuple[str, str, Iterable[object]]]
) -> Iterable[tuple[Location, str, object]]:
    """Yield what a file asks for in fields that may be refused: fixed, or a factor's level.

    ``levels`` are the factors, each with its name, its path and its values.
    """
    for section, model in written.items():
        for field, value in model.model_dump(by_alias=True).items():
            yield (section, field), f"{section}.{field}", value
    for name, path, values in levels:
        for value in values:
            yield ("factors", name), path, value
