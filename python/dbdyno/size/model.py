"""The two sizes of a database as values, and as they are stored with a trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class DiskSize:
    """What tables and their indexes take on disk, logs left out.

    ``size_bytes`` is None where it is not known, for the ``reason``. ``source`` names what was
    asked. ``note`` says what the figure leaves out on a server that keeps part of the rows
    elsewhere. ``tables_bytes`` has the tables of which each is known by itself. ``nodes`` is of how
    many servers it is the sum.
    """

    size_bytes: int | None
    source: str = ""
    reason: str | None = None
    note: str | None = None
    tables_bytes: Mapping[str, int] = field(default_factory=dict)
    nodes: int = 1

    def to_dict(self) -> dict[str, object]:
        """Return plain values that can be written as JSON."""
        return asdict(self)


def total_on_disk(sizes: Sequence[DiskSize]) -> DiskSize:
    """Return what all tables of several nodes take; unknown where it is unknown of one."""
    unknown = next((size for size in sizes if size.size_bytes is None), None)
    if unknown is not None:
        return unknown
    tables: Counter[str] = Counter()
    for size in sizes:
        tables.update(size.tables_bytes)
    return DiskSize(
        size_bytes=sum(size.size_bytes or 0 for size in sizes),
        source=f"{sizes[0].source} of {len(sizes)} nodes",
        note="; ".join(dict.fromkeys(size.note for size in sizes if size.note)) or None,
        tables_bytes=dict(tables),
        nodes=len(sizes),
    )


@dataclass(frozen=True)
class LogicalSize:
    """The sum of the bytes of all values in all rows, each as the server writes it as text.

    NULL has none, and neither have indexes, row headers and what parts the values in a dump.
    ``read_share`` is the share of the rows that were read; below 1 the sum is an estimate.
    """

    size_bytes: int | None
    rows: int = 0
    read_share: float = 1.0
    reason: str | None = None
    tables_bytes: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return plain values that can be written as JSON."""
        return asdict(self)
