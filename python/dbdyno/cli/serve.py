"""``dbdyno serve``: results and running experiments in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A result directory, or a folder of them.")
    ],
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="HOST",
            help="The address to listen at. One that other machines can reach asks for a token, "
            "which is part of the address that is printed.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="PORT", min=0, max=65535, help="The port; 0 takes any free one."
        ),
    ] = 8017,
    spoken: Annotated[
        str, typer.Option("--lang", metavar="LANGUAGE", help="The language of the pages: en, zh.")
    ] = "en",
) -> None:
    """Show results and running experiments in the browser; nothing is written."""
    from dbdyno.errors import InputError
    from dbdyno.report.language import LANGUAGES

    if spoken not in LANGUAGES:
        raise InputError(f"--lang {spoken!r} is not known; known: {', '.join(LANGUAGES)}")

    from dbdyno.serve.server import serve as serve_results

    serve_results(directory, host, port, spoken, lambda line: print(line, flush=True))
