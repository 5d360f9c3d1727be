"""Variables of a target that a factor varies: something must use them."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, TemplateError, meta

from dbdyno.contained_files import read_named_text
from dbdyno.errors import InputError
from dbdyno.experiment.design.varied_target import VARIABLES
from dbdyno.experiment.file.cluster import ClusterTarget
from dbdyno.experiment.file.commands import names_in
from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.file.target import Target, UrlTarget
from dbdyno.experiment.model import Experiment


def refuse_unused_variables(experiment: Experiment) -> None:
    """FieldError for a factor whose variable no command and no template of a target names."""
    for factor in experiment.factors:
        first, _, variable = factor.field.partition(".")
        if factor.subject != "target" or first != VARIABLES:
            continue
        for name, target in experiment.targets.items():
            if not _is_used(variable, target):
                raise FieldError(
                    ("factors", factor.name),
                    f"varies the variable {variable!r}, which no command and no template of the "
                    f"target {name!r} names, so that all its levels are the same; write "
                    f"{_how_to_name(variable, target)}, or remove the factor",
                )


def _how_to_name(variable: str, target: Target) -> str:
    """Return how a target's commands or templates name a variable."""
    if isinstance(target, ClusterTarget):
        return f"{{{{ {variable} }}}} in a template or {{{variable}}} in a command"
    return f"{{{variable}}} in one of its commands"


def _is_used(variable: str, target: Target) -> bool:
    if isinstance(target, UrlTarget):
        # They are in the environment of each command, too.
        return bool(target.commands.named())
    assert isinstance(target, ClusterTarget), "no other kind has variables"
    commands = [group.command for group in target.members.values() if group.command is not None]
    words = (word for each in commands for written in each.named().values() for word in written)
    templates = [
        *target.setup.values(),
        *(path for each in commands for path in each.files.values()),
    ]
    return variable in names_in(tuple(words)) or any(_names(path, variable) for path in templates)


def _names(path: Path, variable: str) -> bool:
    """Tell whether a template, or one that it imports, takes a name from outside.

    Where one cannot be read, that is told before the first trial; until then it may name anything.
    """
    environment = Environment(loader=FileSystemLoader(path.parent), autoescape=False)
    left, seen = [path.name], set()
    while left:
        name = left.pop()
        seen.add(name)
        try:
            tree = environment.parse(read_named_text(path.parent / name))
        except (OSError, InputError, UnicodeDecodeError, TemplateError):
            return True
        if variable in meta.find_undeclared_variables(tree):
            return True
        others = meta.find_referenced_templates(tree)
        left += [other for other in others if other is not None and other not in seen]
    return False
