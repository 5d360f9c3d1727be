"""Which scripts a call runs, with which variables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from dbdyno.errors import InputError
from dbdyno.experiment.workload.pgbench import LARGEST_SCALE, Builtin, Pgbench, Script, plan_of
from dbdyno.peers.pgbench.arguments import Arguments, wrong
from dbdyno.protocol.workload_plan import PgbenchPlan

TITLES = {
    "tpcb-like": "<builtin: TPC-B (sort of)>",
    "simple-update": "<builtin: simple update>",
    "select-only": "<builtin: select only>",
}
"""What pgbench calls its built-in scripts in its output."""

LONGEST_NUMBER = 19
"""Digits of a 64-bit integer with its sign."""

SHORT_FORMS = {"skip-some-updates": "simple-update", "select-only": "select-only"}


@dataclass(frozen=True)
class NamedScript:
    """A script and its name in the output."""

    title: str
    script: Script

    @property
    def name(self) -> str:
        """The built-in script's name, or the file's."""
        return self.script.builtin or self.script.file or self.title

    @property
    def weight(self) -> int:
        """How often it is chosen, relative to the others."""
        return self.script.weight


def read_scripts(arguments: Arguments) -> tuple[NamedScript, ...]:
    """Return the scripts in their order; those with weight 0 are left out, as pgbench does."""
    scripts = []
    for name, value in arguments.given:
        if name in SHORT_FORMS:
            scripts.append(_builtin(SHORT_FORMS[name], 1))
        elif name in {"builtin", "file"}:
            text, weight = _with_weight(value)
            if weight:
                scripts.append(_builtin(text, weight) if name == "builtin" else _file(text, weight))
    has_weights = any(name in {*SHORT_FORMS, "builtin", "file"} for name, _ in arguments.given)
    if has_weights and not scripts:
        raise InputError("all scripts have the weight 0; give one of them a weight of 1 or more")
    return tuple(scripts) or (_builtin("tpcb-like", 1),)


def _with_weight(value: str) -> tuple[str, int]:
    name, at, weight = value.rpartition("@")
    if not at:
        return value, 1
    if not (weight.isascii() and weight.isdecimal()):
        raise InputError(f"{value}: the weight {weight!r} is not a whole number")
    return name, int(weight)


def _builtin(text: str, weight: int) -> NamedScript:
    """Return a built-in script by the beginning of its name."""
    known = get_args(Builtin)
    found = [name for name in known if name == text] or [
        name for name in known if text and name.startswith(text)
    ]
    if len(found) != 1:
        if found:
            raise InputError(f"-b {text} is ambiguous: it matches {', '.join(found)}")
        raise InputError(f"-b {text}: no such built-in script; known: {', '.join(known)}")
    return NamedScript(TITLES[found[0]], Script(builtin=found[0], weight=weight))


def _file(text: str, weight: int) -> NamedScript:
    path = Path("/dev/stdin" if text == "-" else text)
    try:
        sql = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"-f {text}: it is not text in UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"-f {text}: it cannot be read: {error.strerror}") from error
    return NamedScript(text, Script(file=text, text=sql, weight=weight))


def read_variables(arguments: Arguments) -> dict[str, int | str]:
    """Return the variables of -D; a value that is written as a whole number is one."""
    variables: dict[str, int | str] = {}
    for written in arguments.values("define"):
        name, equals, value = written.partition("=")
        if not (name and equals):
            raise InputError(f"-D {written}: write -D NAME=VALUE")
        variables[name] = _constant(value)
    return variables


def _constant(value: str) -> int | str:
    """Return a whole number as one; all else stays as it is written, as in ``007`` and ``1.10``."""
    is_number = value.removeprefix("-").isdecimal() and len(value) <= LONGEST_NUMBER
    return int(value) if is_number and str(int(value)) == value else value


def read_scale(arguments: Arguments) -> int:
    """Return how many branches there are."""
    scale = arguments.integer("scale")
    if scale > LARGEST_SCALE:
        raise wrong("scale", str(scale), f"up to {LARGEST_SCALE}")
    return scale


def workload_plan(
    scripts: tuple[NamedScript, ...],
    scale: int,
    variables: dict[str, int | str],
    *,
    is_simple: bool = False,
) -> PgbenchPlan:
    """Return the workload as a trial plan has it."""
    pgbench = Pgbench(
        scripts=[named.script for named in scripts],
        scale=scale,
        variables=variables,
        variables_in_text=is_simple,
    )
    return plan_of(pgbench)


def builtin_list() -> str:
    """Return what ``-b list`` prints."""
    rows = "".join(f"{name:>13}: {title}{os.linesep}" for name, title in TITLES.items())
    return f"Available builtin scripts:{os.linesep}{rows}"
