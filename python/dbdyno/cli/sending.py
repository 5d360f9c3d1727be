"""How a generator sends, as options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

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
        help="How they wait for answers: auto, sleep, nap, spin, or as in 50us.",
    ),
]
