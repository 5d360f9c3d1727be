"""What differs between compared cells besides the factor: codes and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

NONE = ""
"""The value where it is known that there is none: no limit, no CPUs named."""

ON, OFF = "on", "off"
TABLES, LOG = "tables", "log"
"""What may be compressed."""

LISTS_SEPARATOR = "\n"
"""Between the parts of a value that is a list."""


class Aspect(StrEnum):
    """What two cells may differ in."""

    PRODUCT = "product"
    VERSION = "version"
    BUILD = "build"
    FRONT = "front"
    """What answers clients, a layer or a server: the version in its greeting."""
    DURABILITY = "durability"
    ISOLATION = "isolation"
    COLLATION = "collation"
    CACHE_MEMORY = "cache memory"
    """In bytes: the buffer pool, or shared buffers."""
    CHECKSUMS = "checksums"
    """Of the pages of tables: on or off."""
    TORN_PAGES = "torn pages"
    """Whether a page that was written in part can be restored: on or off."""
    COMPRESSION = "compression"
    """A list of what is compressed: tables, the log."""
    KEPT_LOG = "kept log"
    """The binary log, or the archive of the write-ahead log: on or off."""
    TRANSPORT = "transport"
    """A socket, TCP, TCP with TLS."""
    PROTOCOL = "protocol"
    """Prepared statements, text, several statements in one round trip."""
    DRIVER = "driver"
    """The options of the driver that stand in the URL, those of the transport left out."""
    DATASET = "dataset"
    """The fingerprint of what was loaded."""
    KEYS = "keys"
    """Primary keys, indexes and foreign keys, with their columns."""
    COLUMNS = "columns"
    """The columns of the tables with their types, of servers of one kind."""
    STORAGE = "storage"
    """The storage engine of the tables, with row format and options."""
    START = "start"
    CACHES = "caches"
    CPUS = "cpus"
    """Those that the server is bound to."""
    CPU_LIMIT = "cpu limit"
    """CPU time that the server may take, as that of so many CPUs."""
    MEMORY_LIMIT = "memory limit"
    """In bytes."""
    FILE_SYSTEM = "file system"
    GENERATORS = "generators"
    HOST = "host"
    """The machine that dbdyno ran on: a list of those facts of it that differ."""


SCHEMA_ASPECTS = frozenset({Aspect.KEYS, Aspect.COLUMNS, Aspect.STORAGE})
"""Their values are lists, of which only the parts that differ are told."""


NOT_OF_UNLIKE_PRODUCTS = frozenset(
    {Aspect.VERSION, Aspect.BUILD, Aspect.FRONT, Aspect.COLUMNS, Aspect.STORAGE}
)
"""What is never the same in two products, and says no more than that they are two."""

BY_MEANING = (
    *(Aspect.CACHE_MEMORY, Aspect.DURABILITY, Aspect.ISOLATION, Aspect.COLLATION),
    *(Aspect.CHECKSUMS, Aspect.TORN_PAGES, Aspect.COMPRESSION, Aspect.KEPT_LOG),
)
"""What unlike products are compared by in place of their settings, in the order of a table."""


@dataclass(frozen=True)
class Confounder:
    """An aspect in which compared cells differ: an example, and in how many comparisons."""

    factor: str
    aspect: Aspect
    value: str
    """What the trial's record has, as text; ``NONE`` where it is known that there is none."""
    baseline_value: str
    comparisons: int
    compared: int
    """All comparisons of the factor."""
    is_expected: bool
    """Whether the factor sets that itself."""
    is_by_meaning: bool = False
    """Whether unlike products have it by settings of different names."""


@dataclass(frozen=True)
class LevelMeanings:
    """What the settings of a level mean that is compared with a level of another product.

    An aspect has the values of all trials, and none where it is not known.
    """

    factor: str
    level: str
    values: Mapping[Aspect, tuple[str, ...]]
