"""Facts of processors and memory."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field
from pydantic.dataclasses import dataclass


@dataclass(frozen=True)
class Cache:
    """One kind of cache: ``L1d``, ``L2``; so many of it, each of this size."""

    name: str
    size_bytes: int
    instances: int


@dataclass(frozen=True)
class NumaNode:
    """A node: its CPUs (``0-7,16-23``), its memory, and the distance to each node."""

    number: int
    cpus: str
    memory_total_bytes: int | None = None
    distances: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CpuFacts:
    """Processors: what they are, how they are laid out, and what drives their clock.

    ``cpu_flags`` are those that databases and load generators make use of. ``cpu_vulnerabilities``
    says of each what the kernel does against it.
    """

    cpu_model: str | None = None
    cpu_vendor: str | None = None
    cpu_architecture: str | None = None
    cpu_microcode: str | None = None
    cpu_count: int | None = None
    cpu_cores: int | None = None
    cpu_sockets: int | None = None
    cpu_threads_per_core: int | None = None
    cpu_usable_count: int | None = None
    cpu_frequency_max_mhz: float | None = None
    cpu_governor: str | None = None
    cpu_frequency_driver: str | None = None
    cpu_turbo: str | None = None
    cpu_idle_driver: str | None = None
    cpu_isolated: str | None = None
    cpu_tickless: str | None = None
    cpu_caches: tuple[Cache, ...] = ()
    cpu_flags: tuple[str, ...] = ()
    cpu_vulnerabilities: Mapping[str, str] = Field(default_factory=dict)
    numa_nodes: int | None = None
    numa: tuple[NumaNode, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MemoryFacts:
    """Memory, and how the kernel hands it out; ``memory_modules`` as the firmware tells them."""

    memory_total_bytes: int | None = None
    memory_available_bytes: int | None = None
    memory_modules: str | None = None
    swap_total_bytes: int | None = None
    swap_used_bytes: int | None = None
    swappiness: int | None = None
    transparent_huge_pages: str | None = None
    transparent_huge_pages_defrag: str | None = None
    huge_pages_total: int | None = None
    huge_pages_free: int | None = None
    huge_page_size_bytes: int | None = None
