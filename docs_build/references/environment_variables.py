"""The environment variables, as ``dbdyno.variables`` declares them."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.variables import GIVEN, READ, Variable
from docs_build.markdown import code, page, plain, table


def environment_variables() -> str:
    """Return the page."""
    return page(
        "Environment variables",
        "Passwords belong into variables, and not into files or on command lines: a command line "
        "can be seen by other users of the machine.",
        "## Variables that dbdyno reads",
        _table("Read by", READ),
        "## Variables that dbdyno sets",
        "Commands that an experiment file names learn from them what they are called for. They "
        "inherit all others, but for those of passwords.",
        _table("Set for", GIVEN),
    )


def _table(readers: str, variables: Iterable[Variable]) -> str:
    rows = ((code(each.name), plain(each.reader), plain(each.meaning)) for each in variables)
    return table(("Variable", readers, "Meaning"), rows)
