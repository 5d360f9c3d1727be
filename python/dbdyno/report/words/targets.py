"""What is known of a target, in words: a label for each fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dbdyno.report.language import message, say

TARGET = "target"
"""The fact that names the target."""

_LABELS: Mapping[str, str] = {
    "product": message("product"),
    "version": message("version"),
    "durability": message("durability"),
    "version comment": message("version comment"),
    "build": message("build"),
    "loaded besides": message("loaded besides"),
    "character set": message("character set"),
    "collation": message("collation"),
    "data on": message("data on"),
    "memory limit": message("memory limit"),
    "CPU limit": message("CPU limit"),
}
_VALUES: Mapping[str, str] = {"CPU limit": message("{value} CPUs")}
"""How a value is written that is not told as it is."""


def target_title(facts: Mapping[str, str]) -> str:
    """Return the heading of a target's facts."""
    name = facts.get(TARGET)
    return say("Target") if name is None else say("Target {name}", name=name)


def target_facts(facts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield label and value of each fact but the target's name."""
    for name, value in facts.items():
        if name != TARGET:
            label = say(_LABELS[name]) if name in _LABELS else name
            yield label, say(_VALUES[name], value=value) if name in _VALUES else value
