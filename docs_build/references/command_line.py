"""The command line: every command with its arguments and options, as Typer knows them.

Commands that take another tool's options show the help that they print themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

import typer
from typer._click.core import Context, Parameter
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.testing import CliRunner

from dbdyno.cli.main import app
from docs_build.markdown import block, code, page, plain, table, target

Command = TyperCommand | TyperGroup

KINDS = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "path": "PATH"}
"""How values are called that have no name of their own."""


def command_line() -> str:
    """Return the page."""
    return page(
        "Command line",
        "`dbdyno COMMAND --help` says the same. What each command says to the shell in the end is "
        "in [Exit statuses](exit-statuses.md).",
        *(_command(name, command) for name, command in commands()),
    )


def commands() -> Iterator[tuple[str, Command]]:
    """Yield all commands with their names: ``compare``, ``tpcc load``."""
    everything = typer.main.get_command(app)
    assert isinstance(everything, TyperGroup)
    yield from _below(everything, "")


def _below(group: TyperGroup, path: str) -> Iterator[tuple[str, Command]]:
    context = Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert isinstance(command, TyperCommand | TyperGroup)
        yield f"{path}{name}", command
        if isinstance(command, TyperGroup):
            yield from _below(command, f"{path}{name} ")


def _command(name: str, command: Command) -> str:
    depth = "##" if " " not in name else "###"
    head = f"{target('command-' + name.replace(' ', '-'))}\n{depth} dbdyno {name}"
    own_help = command.context_settings.get("help_option_names") == []
    body = [block(_printed_help(name))] if own_help else list(_described(name, command))
    return "\n\n".join([head, *body])


def _printed_help(name: str) -> str:
    return CliRunner().invoke(app, [*name.split(), "--help"], catch_exceptions=False).output


def _described(name: str, command: Command) -> Iterator[str]:
    yield plain(command.help or "")
    if isinstance(command, TyperGroup):
        return
    context = Context(command)
    arguments = [each for each in command.params if isinstance(each, TyperArgument)]
    yield block(" ".join(["dbdyno", name, "[OPTIONS]", *map(_usage, arguments)]))
    rows = [_row(parameter, context) for parameter in command.params]
    if rows:
        yield table(("Argument or option", "Default", "Meaning"), rows)


def _usage(argument: TyperArgument) -> str:
    name = str(argument.metavar)
    return name if argument.required else f"[{name}]"


def _row(parameter: Parameter, context: Context) -> tuple[str, str, str]:
    assert isinstance(parameter, TyperArgument | TyperOption)
    meaning = plain(parameter.help or "")
    if isinstance(parameter, TyperArgument):
        return code(parameter.metavar), _default(parameter), meaning
    names = ", ".join(map(code, [*parameter.opts, *parameter.secondary_opts]))
    written = names if parameter.is_flag else f"{names} {code(_value(parameter, context))}"
    return written, _default(parameter), meaning


def _value(option: TyperOption, context: Context) -> str:
    if option.metavar:
        return option.metavar
    kind = option.display_type(context).strip("<>").removesuffix(" range")
    bounds = [
        f"{sign} {bound:g}"
        for sign, bound in (("≥", option.min), ("≤", option.max))
        if bound is not None
    ]
    return " ".join([KINDS.get(kind, kind), *bounds])


def _default(parameter: TyperArgument | TyperOption) -> str:
    if parameter.required:
        return "required"
    default = parameter.default
    if default is None or default is False or default in ("", ()) or not parameter.show_default:
        return ""
    return code("on" if default is True else default)
