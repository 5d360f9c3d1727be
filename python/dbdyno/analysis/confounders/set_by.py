"""Which factors set an aspect of a trial themselves, by the paths that factors have.

The paths are those of ``experiment/design/factor_paths.py`` and ``varied_target.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from dbdyno.analysis.confounders.meaning import MEANINGS
from dbdyno.analysis.confounders.model import Aspect

_OTHER_PROGRAM = ("target", "target.basedir", "members.basedir", "target.url")
_OPTION_FILE = ("target.option_file", "members.option_file")
_OWN_COMMANDS = ("target.variables.*",)
"""A variable goes to commands and templates of one's own, which may set up a server by it."""

_SET_BY: Mapping[Aspect, tuple[str, ...]] = {
    Aspect.PRODUCT: (*_OTHER_PROGRAM, *_OWN_COMMANDS),
    Aspect.VERSION: (*_OTHER_PROGRAM, *_OWN_COMMANDS),
    Aspect.BUILD: (*_OTHER_PROGRAM, *_OWN_COMMANDS),
    # A URL may lead past a layer: that is no other address of the same thing.
    Aspect.FRONT: ("target", *_OWN_COMMANDS),
    # A setting of the server may be what a commit promises. The report says so all the same.
    Aspect.DURABILITY: ("server.*", *_OPTION_FILE, *_OWN_COMMANDS),
    Aspect.ISOLATION: (
        "session.isolation",
        "server.*isolation",
        *_OPTION_FILE,
        *_OWN_COMMANDS,
    ),
    Aspect.COLLATION: (
        "server.*collation*",
        "server.*character_set*",
        *_OPTION_FILE,
        *_OWN_COMMANDS,
    ),
    **dict.fromkeys(MEANINGS.keys() - {Aspect.COLLATION}, _OWN_COMMANDS),
    Aspect.TRANSPORT: ("target.transport", "members.transport", "target.url"),
    Aspect.PROTOCOL: ("load.protocol",),
    Aspect.DRIVER: ("target.url",),
    Aspect.DATASET: ("workload.*",),
    # A server that brings its own indexes, or lacks one, is no matter of course.
    Aspect.KEYS: ("workload.*",),
    Aspect.COLUMNS: ("workload.*",),
    Aspect.STORAGE: (
        *("workload.*", "server.*storage_engine", "server.*row_format"),
        *(*_OTHER_PROGRAM, *_OPTION_FILE, *_OWN_COMMANDS),
    ),
    Aspect.CPUS: (
        *("target.cpus", "target.numa", "members.cpus", "members.numa"),
        *_OWN_COMMANDS,
    ),
    Aspect.CPU_LIMIT: ("limits.cpus", "members.limits.cpus", *_OWN_COMMANDS),
    Aspect.MEMORY_LIMIT: ("limits.memory", "members.limits.memory", *_OWN_COMMANDS),
    Aspect.FILE_SYSTEM: _OWN_COMMANDS,
    Aspect.GENERATORS: ("generators", "generators.count"),
}
"""Patterns of paths; those of members without their role. No factor can set how a trial starts, or
in which condition caches are."""


def is_set_by(aspect: Aspect, path: str) -> bool:
    """Tell whether a factor with this path sets the aspect itself."""
    # Names of settings may have dashes, as in option files.
    return _is_one_of(_SET_BY.get(aspect, ()), _without_role(path).replace("-", "_"))


def is_for_own_commands(path: str) -> bool:
    """Tell whether a factor with this path is made by commands and templates of the user's own."""
    return _is_one_of(_OWN_COMMANDS, path)


def _is_one_of(patterns: Iterable[str], path: str) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def _without_role(path: str) -> str:
    """Return ``members.cpus`` of ``members.storage.cpus``."""
    first, _, rest = path.partition(".")
    return f"{first}.{rest.partition('.')[2]}" if first == "members" else path
