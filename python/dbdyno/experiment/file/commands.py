"""Commands by which a server that dbdyno did not start is set, restarted and described.

They run without a shell: a command is split into words as a shell would, and then ``{name}`` in a
word is replaced by the value of a variable or of a setting. A value is therefore always a part of
one word, whatever characters it has. Who needs a shell writes ``sh -c '...' sh {name}``, or takes
the value from the environment.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from string import Formatter
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import Duration, describe
from dbdyno.refusal import refusal, suggest

_NAME = re.compile(r"[A-Za-z_]\w*")
ALL_SETTINGS = "settings"
"""A name that stands for all settings as ``name=value``, with a space between two."""


def parse_command(value: object) -> tuple[str, ...]:
    """Return the words of a command from a text or a list."""
    if isinstance(value, str):
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise refusal(f"{value!r} is no command: {error}") from None
    elif isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        words = list(value)
    else:
        raise refusal(f"a command must be text or a list of words, not {describe(value)}")
    if not words:
        raise refusal("is empty; write a program with its arguments")
    list(names_in(words))
    return tuple(words)


def names_in(words: Collection[str]) -> Iterator[str]:
    """Yield the names in braces; a refusal where braces hold something else."""
    for word in words:
        try:
            parts = list(Formatter().parse(word))
        except ValueError as error:
            raise refusal(f"{word!r}: {error}; write {{{{ for a brace") from None
        for _, name, form, conversion in parts:
            if name is None:
                continue
            if form or conversion or not _NAME.fullmatch(name):
                raise refusal(
                    f"{word!r}: what stands in braces is the name of a variable or a setting; "
                    "write {{ and }} for braces"
                )
            yield name


Command = Annotated[
    tuple[str, ...],
    BeforeValidator(parse_command),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
            ]
        }
    ),
]
"""The words of a command."""


def given(**commands: Command | None) -> dict[str, Command]:
    """Return those commands by their names that are there."""
    return {name: command for name, command in commands.items() if command is not None}


def check_names_in(command: str, known: Collection[str]) -> None:
    """Refuse a text that is no command, or has a name in braces that stands for nothing."""
    for name in names_in(parse_command(command)):
        if name not in known:
            raise refusal(f"names {{{name}}}, which stands for nothing; {suggest(name, known)}")


def values_of_settings(variables: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """Return what the commands of a server know: variables, settings, and all settings together."""
    written = " ".join(f"{name}={value}" for name, value in settings.items())
    return {**variables, **settings, ALL_SETTINGS: written}


def filled_in(command: Command, values: Mapping[str, str]) -> list[str]:
    """Return a command's words with the values of all names in it."""
    return [word.format_map(dict(values)) for word in command]


class Commands(FileModel):
    """How a server that is already up is set, restarted, stopped and described.

    Commands run on this machine, without a shell, in the folder of the experiment file. They know
    the variables and settings of the cell as {name}, and as environment variables: DBDYNO_NAME,
    DBDYNO_SETTINGS with a line name=value for each setting.
    """

    apply: Command | None = Field(
        default=None,
        description="Makes the settings of the cell, as in ansible-playbook set.yml.",
        examples=["ansible-playbook set.yml"],
    )
    restart: Command | None = Field(
        default=None,
        description="Restarts the server, or starts it; it is waited for until clients get in.",
        examples=["systemctl restart mysqld"],
    )
    stop: Command | None = Field(
        default=None,
        description="Ends the server after its trials.",
        examples=["systemctl stop mysqld"],
    )
    describe: Command | None = Field(
        default=None,
        description="Says what the server is; what it writes is stored with trials.",
        examples=["mysqld --version"],
    )
    timeout_s: Annotated[Duration, Field(gt=0)] = Field(
        default=600.0, alias="timeout", description="How long each command may take."
    )

    def named(self) -> dict[str, Command]:
        """Return the commands that are given, by what they do."""
        return given(apply=self.apply, restart=self.restart, stop=self.stop, describe=self.describe)

    def check_names(self, known: Collection[str]) -> None:
        """Refuse a name in braces that stands for nothing."""
        for what, command in self.named().items():
            for name in names_in(command):
                if name not in (*known, ALL_SETTINGS):
                    raise refusal(
                        f"{what} names {{{name}}}, which is no variable of the target and no "
                        f"setting of a factor; {suggest(name, [*known, ALL_SETTINGS])}"
                    )
