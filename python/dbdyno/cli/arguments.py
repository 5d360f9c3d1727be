"""Arguments that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

DatabaseUrl = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="mysql://user@host/database, postgresql://… or sqlite:///file; "
        "the password is taken from DBDYNO_PASSWORD.",
    ),
]
WhichSchema = Annotated[
    str | None,
    typer.Option("--schema", metavar="NAME", help="Which tables, where there are several."),
]
