"""Arguments and options that several commands have."""

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
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Threads that send; without it, as many as are best beside the server.",
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Say how many threads send, how they wait, and why.")
]
Wait = Annotated[
    str,
    typer.Option(
        "--wait",
        metavar="WAY",
        help="How they wait for answers: auto, sleep, priority, nap, spin, or as in 50us.",
    ),
]
