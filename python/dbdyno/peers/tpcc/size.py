"""How large the loaded tables are, and what that is in words."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.analysis.units import bytes_in_words
from dbdyno.database.session import open_session
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.size import DiskSize, LogicalSize, logical_size, size_on_disk, tables_of


@dataclass(frozen=True)
class Sizes:
    """Both sizes of the same tables; either may be unknown."""

    disk: DiskSize
    logical: LogicalSize

    @property
    def ratio(self) -> float | None:
        """How many logical bytes one byte on disk holds."""
        if not self.disk.size_bytes or self.logical.size_bytes is None:
            return None
        return self.logical.size_bytes / self.disk.size_bytes

    def to_dict(self) -> dict[str, object]:
        """Return plain values that can be written as JSON."""
        sizes = {"disk": self.disk.to_dict(), "logical": self.logical.to_dict()}
        return sizes | {"logical_per_disk": self.ratio}


def measure(request: TpccRequest) -> Sizes:
    """Ask for the sizes of the tables that a load has filled."""
    address = request.address
    asked = (
        lambda: open_session(address.url, address.password),
        address.kind,
        tables_of({"tpcc": request.workload}),
    )
    return Sizes(size_on_disk(*asked), logical_size(*asked))


def describe(sizes: Sizes) -> str:
    """Return ``79.3 MiB on disk, 67.6 MiB logically, ratio 0.85``, or why a size is not known."""
    is_estimate = sizes.logical.read_share < 1
    parts = [
        _part("on disk", sizes.disk.size_bytes, sizes.disk.reason),
        ("about " if is_estimate else "")
        + _part("logically", sizes.logical.size_bytes, sizes.logical.reason),
    ]
    if sizes.ratio is not None:
        parts.append(f"ratio {sizes.ratio:.2f}")
    note = f" ({sizes.disk.note})" if sizes.disk.note else ""
    return ", ".join(parts) + note


def _part(where: str, size_bytes: int | None, reason: str | None) -> str:
    if size_bytes is None:
        return f"size {where} not known ({reason})"
    return f"{bytes_in_words(size_bytes)} {where}"
