"""Jinja2 templates of a cluster: what they know of its servers, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, TemplateError

from dbdyno.errors import InputError
from dbdyno.target.cluster.member import Place, Places, Values
from dbdyno.target.local.launching import DATABASE, USER


def check_template(path: Path) -> None:
    """Refuse a template that cannot be read."""
    _template(path)


def fill(path: Path, values: Values) -> str:
    """Return a template's text with what it knows; ``InputError`` where it wants something else."""
    try:
        return _template(path).render(values)
    except TemplateError as error:
        raise InputError(f"the template {path}: {error}") from error


def _template(path: Path) -> Template:
    """Return a template, which may import others of its folder; ``InputError`` where it cannot."""
    environment = Environment(
        loader=FileSystemLoader(path.parent),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    try:
        return environment.get_template(path.name)
    except (OSError, TemplateError) as error:
        raise InputError(f"the template {path} is wrong: {error}") from error


def values_of(places: Places, password: str, variables: Mapping[str, str]) -> Values:
    """Return what templates know.

    ``members`` has for each role its servers that are up, with name, host and port; ``count`` how
    many they are; the variables are there by their names.
    """
    return {
        **variables,
        "user": USER,
        "password": password,
        "database": DATABASE,
        "members": {role: list(map(entry, servers)) for role, servers in places.by_role.items()},
        "count": {role: len(servers) for role, servers in places.by_role.items()},
    }


def entry(place: Place) -> dict[str, object]:
    """Return what a template knows of one server."""
    return {"name": place.name, "host": place.host, "port": place.port}
