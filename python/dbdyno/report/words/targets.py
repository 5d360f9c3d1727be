"""What is known of a target, in words."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.targets import ROLE, OneValue, TargetFact, TargetFacts, parts_of
from dbdyno.analysis.units import bytes_in_words
from dbdyno.report.language import listed, message, say
from dbdyno.report.words.durability import promise
from dbdyno.report.words.evidence.figures import number

_LABELS: Mapping[str, str] = {
    "product": message("product"),
    "version": message("version"),
    "durability": message("durability"),
    "version_comment": message("version comment"),
    "build": message("build"),
    "loaded": message("loaded besides"),
    "character_set": message("character set"),
    "collation": message("collation"),
    "data_on": message("data on"),
    "transport": message("clients connect by"),
    "cpus": message("CPUs that it is bound to"),
    "memory_limit_bytes": message("memory limit"),
    "cpu_limit_cores": message("CPU limit"),
    "command_output": message("its own command says"),
}


def target_title(target: TargetFacts) -> str:
    """Return the heading of a target's facts."""
    name = target.get("target")
    return say("Target") if name is None else say("Target {name}", name=name)


def target_rows(target: TargetFacts) -> list[tuple[str, str]]:
    """Return what is known with its label; the target's own name is no row."""
    return [
        (_label(name), _value(name, value)) for name, value in target.items() if name != "target"
    ]


def _label(name: str) -> str:
    if name.startswith(ROLE):
        return say("role {role}", role=name.removeprefix(ROLE))
    return say(_LABELS[name]) if name in _LABELS else name


def _value(name: str, value: TargetFact) -> str:
    return listed(_part(name, part) for part in parts_of(value))


def _part(name: str, value: OneValue) -> str:
    if isinstance(value, str):
        return promise(value) if name == "durability" else value
    if name.endswith("_bytes"):
        return bytes_in_words(value)
    return say("{count} CPUs", count=number(value))
