"""The ``dbdyno`` command: one file a command."""

from dbdyno.cli.main import main as main

__all__ = ["main"]
