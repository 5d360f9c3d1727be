"""The command line as a whole: which commands there are, and how they end.

A command's module is imported when the command is called or listed. What is heavy (pydantic,
polars, vl-convert, rich) it imports inside its function: ``dbdyno --help`` answers at once.
"""

from __future__ import annotations

import sys
from importlib import import_module
from io import TextIOWrapper
from keyword import iskeyword
from typing import TYPE_CHECKING, Annotated

import typer
from typer import TyperException
from typer.core import TyperCommand, TyperGroup

from dbdyno.cli.exit_status import ExitStatus, report_error
from dbdyno.cli.interpreter import lighten
from dbdyno.cli.surroundings import (
    is_output_lost,
    open_standard_streams,
    print_whatever_happens,
    refuse_damaged_zone,
)
from dbdyno.cli.title import hide_passwords
from dbdyno.errors import DbdynoError, RunError
from dbdyno.password import note_call, without_passwords

if TYPE_CHECKING:
    from typer._click.core import Context

COMMANDS = (
    *("demo", "plan", "run", "serve", "report", "compare", "history", "import", "audit"),
    *("check", "doctor"),
    *("tpcc", "sysbench", "pgbench", "benchmarksql", "tpcc-mysql", "go-tpc"),
)
"""In the order of the help: each one is the function of its own name in the module of that name,
or, where it has commands of its own, the ``app`` there. A word of Python has ``_`` behind it."""


NO_MEMORY = (
    "there is no memory left for dbdyno: end other programs, or allow it more (ulimit -v, its "
    "control group)"
)


class LazyCommands(TyperGroup):
    """The group of all commands, each made when it is first wanted."""

    def list_commands(self, ctx: object) -> list[str]:
        """Return the names of all commands, whether made yet or not."""
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | TyperGroup | None:
        """Return a command; None, with all commands made to be suggested, where there is none."""
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                self.commands[name] = _make_command(name)
        command = self.commands.get(cmd_name)
        return command if isinstance(command, TyperCommand | TyperGroup) else None

    def invoke(self, ctx: Context) -> object:
        """Call a command; what is said of a call that is wrong repeats no password of it."""
        try:
            return super().invoke(ctx)
        except TyperException as error:
            error.message = without_passwords(error.message)
            raise


def _make_command(name: str) -> TyperCommand | TyperGroup:
    function = name.replace("-", "_") + "_" * iskeyword(name)
    module = import_module(f"dbdyno.cli.{function}")
    single = getattr(module, "app", None)
    if single is None:
        single = typer.Typer(add_completion=False)
        settings = getattr(module, "CONTEXT_SETTINGS", None)
        single.command(name, context_settings=settings)(getattr(module, function))
    command = typer.main.get_command(single)
    assert isinstance(command, TyperCommand | TyperGroup)
    command.name = name
    return command


app = typer.Typer(
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from dbdyno import __version__

        print(f"dbdyno {__version__}")
        raise typer.Exit


@app.callback()
def dbdyno(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Measure a database: one experiment file in, a verdict that can be defended out."""


def main() -> None:
    """Run the command line and exit with its status."""
    open_standard_streams()
    lighten()
    hide_passwords(sys.argv[1:])
    note_call(sys.argv[1:])
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        # A terminal that knows ASCII alone shows a question mark; a file keeps what it is.
        is_terminal = sys.stdout.isatty()
        sys.stdout.reconfigure(errors="replace" if is_terminal else "backslashreplace")
    print_whatever_happens()
    status = _status_of_call()
    sys.exit(ExitStatus.FAILED if not status and is_output_lost() else status)


def _status_of_call() -> int | str | None:
    """Carry out the command, and return what ``sys.exit`` makes its status of."""
    try:
        refuse_damaged_zone()
        app(prog_name="dbdyno")
    except SystemExit as ended:
        return ended.code
    except DbdynoError as error:
        return report_error(error)
    except MemoryError:
        return report_error(RunError(NO_MEMORY))
    except ImportError as error:
        if "failed to map segment" not in str(error):
            raise
        return report_error(RunError(NO_MEMORY))
    return None
