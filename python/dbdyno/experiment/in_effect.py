"""Which levels are not in effect: the server shows another value of the setting that they set.

A verdict under such a level's name would be about something else. What a server rounds to a value
of its own, such as a size to whole chunks, is in effect; so is what it shows in words of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dbdyno.experiment.plan import Cell, FactorLevels

ROUNDED_BY = 0.05
"""A number that a server changes by a larger share than this is another level."""
SERVER_PREFIX = "server."

_FACTORS = {
    **{"": 1.0, "B": 1.0},
    **dict(zip("KMGTPE", (2.0**power for power in range(10, 70, 10)), strict=True)),
    **dict(zip(("KB", "MB", "GB", "TB"), (2.0**power for power in (10, 20, 30, 40)), strict=True)),
    **{"US": 1e-6, "MS": 1e-3, "S": 1.0, "MIN": 60.0, "H": 3600.0, "D": 86400.0},
}
_QUANTITY = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*([A-Za-z]*)")
_SWITCHES = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}
_NUMBERS_AS_SWITCHES = {"1": True, "0": False}
_SHORT_UTF8 = re.compile(r"utf8mb[34]")


@dataclass(frozen=True)
class NotInEffect:
    """A level, what it asks of its setting, and what the server shows; None is nothing at all."""

    factor: str
    level: str
    setting: str
    asked: str
    shown: str | None


def levels_not_in_effect(
    factors: Iterable[FactorLevels],
    cell: Cell,
    adjusted: Mapping[str, str],
    settings: Mapping[str, str],
) -> Iterator[NotInEffect]:
    """Yield the levels of a cell that its server contradicts.

    ``adjusted`` has settings that were asked for and that the server shows otherwise, as asked;
    ``settings`` has all that the server shows.
    """
    for factor in factors:
        following = (each.setting for each in factor.follows)
        for setting in (*settings_named(factor.sets), *following):
            if setting in adjusted:
                asked, shown = adjusted[setting], settings.get(setting.lower())
                if contradicts(asked, shown):
                    yield NotInEffect(factor.name, cell.level(factor.name), setting, asked, shown)


def settings_named(path: str) -> tuple[str, ...]:
    """Return what the setting may be called that a factor with this path sets; none of others.

    Before the name there may be the role of a cluster's servers, and a name may have a dot itself.
    """
    if not path.startswith(SERVER_PREFIX):
        return ()
    name = path.removeprefix(SERVER_PREFIX)
    _, dot, without_role = name.partition(".")
    return (name, without_role) if dot else (name,)


def shown_setting(path: str, settings: Mapping[str, str]) -> tuple[str, str] | None:
    """Return name and value of what a server shows of the setting that a factor sets.

    An option that switches a setting off is shown under the setting's name alone.
    """
    for name in map(str.lower, settings_named(path)):
        for shown in (name, name.removeprefix("skip_"), name.removeprefix("disable_")):
            if shown in settings:
                return shown, settings[shown]
    return None


def contradicts(asked: str, shown: str | None) -> bool:
    """Tell whether a server that shows this value has another one than was asked for.

    Where the two are words of different kinds, such as 1 and AUTO, nobody can tell.
    """
    if shown is None:
        return True
    switches = _switch(asked), _switch(shown)
    if switches[1] is not None:
        switches = _NUMBERS_AS_SWITCHES.get(asked.strip(), switches[0]), switches[1]
    if None not in switches:
        return switches[0] != switches[1]
    quantities = _quantity(asked), _quantity(shown)
    if quantities[0] is not None and quantities[1] is not None:
        # Below 0 the server is asked to choose by itself.
        return quantities[0] >= 0 and (
            abs(quantities[0] - quantities[1]) > ROUNDED_BY * quantities[0]
        )
    if (*switches, *quantities) != (None,) * 4:
        return False
    return not _is_within(_plain(asked), _plain(shown))


def _is_within(asked: str, shown: str) -> bool:
    """Tell whether a server shows all that was asked for: of a list, or at the end of a path."""
    parts = {part.strip() for part in shown.split(",")}
    return {part.strip() for part in asked.split(",")} <= parts or shown.endswith(f"/{asked}")


def _plain(value: str) -> str:
    return _SHORT_UTF8.sub("utf8", value.strip().casefold())


def _switch(value: str) -> bool | None:
    return _SWITCHES.get(value.strip().casefold())


def _quantity(value: str) -> float | None:
    """Return a number in bytes, in seconds or as it is; None where it is none."""
    written = _QUANTITY.fullmatch(value.strip())
    factor = _FACTORS.get(written[2].upper()) if written else None
    return None if written is None or factor is None else float(written[1]) * factor
