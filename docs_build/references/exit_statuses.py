"""The exit statuses of all commands, as ``dbdyno.cli.exit_status`` declares them."""

from __future__ import annotations

from dbdyno.cli.exit_status import OWN_MEANINGS, ExitStatus
from docs_build.markdown import code, page, plain, table


def exit_statuses() -> str:
    """Return the page."""
    general = table(
        ("Status", "Meaning"), ((code(int(status)), plain(status.meaning)) for status in ExitStatus)
    )
    own = table(
        ("Command", "Status", "Meaning"),
        (
            (code(f"dbdyno {command}"), code(status), plain(meaning))
            for command, meanings in OWN_MEANINGS.items()
            for status, meaning in meanings.items()
        ),
    )
    return page(
        "Exit statuses",
        "What a command says to the shell, and to the build server that called it.",
        general,
        "Ctrl-C ends a command with status 130, as any program, where nothing has begun yet that "
        "is to end in order.",
        "## What some commands mean by them",
        "Statuses that are not in this table mean what they mean everywhere.",
        own,
    )
