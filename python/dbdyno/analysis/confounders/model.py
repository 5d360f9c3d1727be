"""What differs between compared cells besides the factor: codes and values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Aspect(StrEnum):
    """What two cells may differ in."""

    PRODUCT = "product"
    VERSION = "version"
    BUILD = "build"
    DURABILITY = "durability"
    ISOLATION = "isolation"
    COLLATION = "collation"
    TRANSPORT = "transport"
    """A socket, TCP, TCP with TLS."""
    PROTOCOL = "protocol"
    """Prepared statements, text, several statements in one round trip."""
    DATASET = "dataset"
    """The fingerprint of what was loaded."""
    START = "start"
    CACHES = "caches"
    CPUS = "cpus"
    """Of the server: those that it may use, and its limit."""
    MEMORY_LIMIT = "memory limit"
    FILE_SYSTEM = "file system"
    GENERATORS = "generators"


@dataclass(frozen=True)
class Confounder:
    """An aspect in which compared cells differ: an example, and in how many comparisons."""

    factor: str
    aspect: Aspect
    value: str
    baseline_value: str
    comparisons: int
    compared: int
    """All comparisons of the factor."""
    is_expected: bool
    """Whether the factor sets that itself."""
