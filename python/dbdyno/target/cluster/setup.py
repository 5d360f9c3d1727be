"""Set-up statements of a cluster: templates, what they know, and how they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, TemplateError

from dbdyno.errors import InputError, RunError
from dbdyno.password import MASK
from dbdyno.target.cluster.member import Values
from dbdyno.target.cluster.sql import SqlMember
from dbdyno.target.local.launching import DATABASE, USER



def _template(path: Path) -> Template:
    """Return a template, which may import others of its folder; ``InputError`` where it cannot."""
    environment = Environment(
        loader=FileSystemLoader(path.parent),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - SQL is no HTML.
        trim_blocks=True,
    )
    try:
        return environment.get_template(path.name)
    except (OSError, TemplateError) as error:
        raise InputError(f"the template {path} is wrong: {error}") from error


def values_of(
    members: Mapping[str, Sequence[SqlMember]], password: str, variables: Mapping[str, str]
) -> Values:
    """Return what templates know.

    ``members`` has for each role its servers with name, host and port; ``count`` how many they
    are; the variables are there by their names.
    """
    return {
        **variables,
        "user": USER,
        "password": password,
        "database": DATABASE,
        "members": {
            role: [_entry(member) for member in servers] for role, servers in members.items()
        },
        "count": {role: len(servers) for role, servers in members.items()},
    }


def _entry(member: SqlMember) -> dict[str, object]:
    host, _, port = member.address.rpartition(":")
    return {"name": member.name, "host": host, "port": int(port)}


def check_template(path: Path) -> None:
    """Refuse a template that cannot be read."""
    _template(path)


def run_setup(path: Path, member: SqlMember, values: Values) -> None:
    """Run a template's statements on a server; ``RunError`` names the server and the statement."""
    try:
        filled = _template(path).render(**values, me=_entry(member))
    except TemplateError as error:
        raise InputError(f"the template {path}: {error}") from error
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
                raise RunError(
                    message.replace(str(values["password"]), MASK)
                ) from error


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
