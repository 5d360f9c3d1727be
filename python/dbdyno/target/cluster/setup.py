"""Set-up statements of a cluster: templates of SQL, and how they run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dbdyno.errors import RunError
from dbdyno.password import MASK
from dbdyno.target.cluster.member import Values
from dbdyno.target.cluster.sql import SqlMember
from dbdyno.target.cluster.templates import entry, fill


def run_setup(path: Path, member: SqlMember, values: Values) -> None:
    """Run a template's statements on a server; ``RunError`` names the server and the statement."""
    filled = fill(path, {**values, "me": entry(member.place)})
    with member.administer() as session:
        for statement in statements_in(filled):
            try:
                session.query(statement)
            except RuntimeError as error:
                first = " ".join(statement.split())[:120]
                message = (
                    f"server {member.name} refuses a statement of {path.name}, {first} …: {error}"
                )
                # Statements of a cluster hold its password.
                raise RunError(message.replace(str(values["password"]), MASK)) from error


def statements_in(text: str) -> Iterator[str]:
    """Yield the statements of a text: each ends with a semicolon at the end of a line."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith("--") and not lines:
            continue
        lines.append(line)
        if line.rstrip().endswith(";"):
            yield "\n".join(lines).rstrip().removesuffix(";")
            lines = []
    rest = "\n".join(lines).strip()
    if rest:
        yield rest
