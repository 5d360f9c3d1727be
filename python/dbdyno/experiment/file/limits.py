"""What a private server may take of its machine: memory, CPU time, its disk, nodes of memory."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import NUMBERS_IN_TEXT, is_number, parse_numbers
from dbdyno.experiment.plan import ServerLimits
from dbdyno.refusal import refusal

LEAST_MEMORY_BYTES = 1 << 20
LEAST_CPUS = 0.01
"""The kernel gives CPU time in pieces of a millisecond, out of every tenth of a second."""
MOST_CPUS = 4096.0
_CPU_DECIMALS = 4
MOST_REQUESTS = (1 << 32) - 2
"""The kernel has 32 bits for them, and takes the largest number for no limit."""
LARGEST_NODE = 1023

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b|i)?", re.IGNORECASE)


def parse_memory(value: object) -> object:
    """Return bytes from ``8G``, ``200M`` or ``1.5 GiB``; units are powers of 1024."""
    return _parse_bytes(value, "an amount of memory")


def parse_disk(value: object) -> object:
    """Return bytes of disk, written like those of memory."""
    return _parse_bytes(value, "an amount of disk")


def parse_byte_rate(value: object) -> object:
    """Return bytes a second, written like those of memory."""
    return _parse_bytes(value, "an amount of bytes a second")


def _parse_bytes(value: object, what: str) -> object:
    written = _MEMORY.fullmatch(str(value).strip()) if _is_written(value) else None
    if written is None:
        raise refusal(f"{value!r} is not {what}; write 8G or 200M")
    size_bytes = int(float(written[1]) * 1024 ** _POWERS[written[2].lower()])
    if size_bytes < LEAST_MEMORY_BYTES:
        raise refusal(f"{value!r} is less than 1M; write a number and a unit, as in 8G or 200M")
    return size_bytes


def show_bytes(size_bytes: float) -> str:
    """Return an amount as people write it: 512.0 MiB, 1.50 GiB."""
    gibibytes = size_bytes / 2**30
    return f"{gibibytes:,.2f} GiB" if gibibytes >= 1 else f"{size_bytes / 2**20:.1f} MiB"


def _is_written(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def parse_cpu_count(value: object) -> object:
    """Return how many CPUs' time from ``2`` or ``1.5``, as finely as systemd takes it."""
    if not is_number(value) or not LEAST_CPUS <= float(str(value)) <= MOST_CPUS:
        raise refusal(f"{value!r} is not a number of CPUs; write 2 or 0.5 (0.01 is the least)")
    return round(float(str(value)), _CPU_DECIMALS)


def parse_requests(value: object) -> object:
    """Return how many requests a second from ``200``."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not 1 <= int(str(value)) <= MOST_REQUESTS:
        raise refusal(
            f"{value!r} is not a number of requests a second; write a whole number, as in 200"
        )
    return value


def parse_nodes(value: object) -> object:
    """Return the numbers of NUMA nodes in order from ``0``, ``"0-1"`` or ``"0,2"``."""
    nodes = parse_numbers(value, LARGEST_NODE)
    if nodes is None:
        raise refusal(f"{value!r} is not a set of NUMA nodes; write 0, 0-1 or 0,2")
    return nodes


_WRITTEN_BYTES = WithJsonSchema(
    {
        "anyOf": [
            {"type": "integer", "minimum": LEAST_MEMORY_BYTES},
            {"type": "string", "pattern": r"^\d+(\.\d+)?\s*[kmgtKMGT]?([iI]?[bB]|[iI])?$"},
        ]
    }
)

Memory = Annotated[int, BeforeValidator(parse_memory), _WRITTEN_BYTES]
"""Bytes."""

Disk = Annotated[int, BeforeValidator(parse_disk), _WRITTEN_BYTES]
"""Bytes."""

CpuCount = Annotated[
    float,
    BeforeValidator(parse_cpu_count),
    WithJsonSchema({"type": "number", "minimum": LEAST_CPUS, "maximum": MOST_CPUS}),
]

RequestRate = Annotated[
    int,
    BeforeValidator(parse_requests),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MOST_REQUESTS}),
]
"""Requests a second."""

ByteRate = Annotated[int, BeforeValidator(parse_byte_rate), _WRITTEN_BYTES]
"""Bytes a second."""

Nodes = Annotated[
    tuple[int, ...],
    BeforeValidator(parse_nodes),
    NUMBERS_IN_TEXT,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {"type": "string", "pattern": r"^\d+(-\d+)?(,\s*\d+(-\d+)?)*$"},
            ]
        }
    ),
]
"""Numbers of NUMA nodes in ascending order."""


class ResourceLimits(FileModel):
    """What a private server may take at the most. The kernel holds it to that."""

    memory_bytes: Memory | None = Field(
        default=None,
        alias="memory",
        description="The most memory, as in 8G, with the page cache of the files that it reads. "
        "Swap is not used. The kernel kills a server that needs more.",
    )
    cpus: CpuCount | None = Field(
        default=None,
        description="CPU time, as that of so many CPUs, as in 1.5; it may run on any of those "
        "that it is bound to.",
        examples=[1.5],
    )
    reads_per_s: RequestRate | None = Field(
        default=None,
        description="Read requests a second to the disk that holds the server's files, as in 500.",
        examples=[3000],
    )
    writes_per_s: RequestRate | None = Field(
        default=None,
        description="Write requests a second to that disk; a flush of its cache is one.",
        examples=[3000],
    )
    read_bytes_per_s: ByteRate | None = Field(
        default=None, description="Bytes read a second from that disk, as in 50M.", examples=["50M"]
    )
    write_bytes_per_s: ByteRate | None = Field(
        default=None,
        description="Bytes written a second to that disk, as in 50M.",
        examples=["50M"],
    )

    def planned(self) -> ServerLimits:
        """Return the limits as they stand in a plan."""
        return ServerLimits(
            self.memory_bytes,
            self.cpus,
            reads_per_s=self.reads_per_s,
            writes_per_s=self.writes_per_s,
            read_bytes_per_s=self.read_bytes_per_s,
            write_bytes_per_s=self.write_bytes_per_s,
        )
