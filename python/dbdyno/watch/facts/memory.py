"""Looks up how much memory a machine has, of what kind, and how the kernel hands it out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import psutil

from dbdyno.facts.processor import MemoryFacts
from dbdyno.watch.facts.reading import answer, chosen, fields, number

_PAGES = Path("/sys/kernel/mm/transparent_hugepage")
_MEMORY_INFORMATION = Path("/proc/meminfo")
_NOT_TOLD = ("", "Unknown", "None", "No Module Installed", "0")


def memory_facts() -> MemoryFacts:
    """Return everything about memory; of what kind it is, only root is told."""
    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    pages = fields(_MEMORY_INFORMATION)
    return MemoryFacts(
        memory_total_bytes=memory.total,
        memory_available_bytes=memory.available,
        memory_modules=_modules(),
        swap_total_bytes=swap.total,
        swap_used_bytes=swap.used,
        swappiness=number(Path("/proc/sys/vm/swappiness")),
        transparent_huge_pages=chosen(_PAGES / "enabled"),
        transparent_huge_pages_defrag=chosen(_PAGES / "defrag"),
        huge_pages_total=_count(pages.get("HugePages_Total")),
        huge_pages_free=_count(pages.get("HugePages_Free")),
        huge_page_size_bytes=_kibibytes(pages.get("Hugepagesize")),
    )


def _count(text: str | None) -> int | None:
    return None if text is None else int(text)


def _kibibytes(text: str | None) -> int | None:
    return None if text is None else int(text.removesuffix("kB")) * 1024


def _modules() -> str | None:
    if read_firmware := answer("dmidecode", "--type", "memory", "--quiet"):
        return modules_in(read_firmware)
    return None


def modules_in(told: str) -> str | None:
    """Return what dmidecode tells of memory modules, like ones together: ``8 × 32 GB DDR4``."""
    modules: Counter[str] = Counter()
    for device in told.split("Memory Device")[1:]:
        lines = (line.partition(":") for line in device.splitlines())
        said = {name.strip(): value.strip() for name, _, value in lines}
        speed = said.get("Configured Memory Speed") or said.get("Configured Clock Speed")
        parts = (said.get("Size"), said.get("Type"), speed or said.get("Speed"))
        if said.get("Size", "") not in _NOT_TOLD:
            modules[" ".join(part for part in parts if part and part not in _NOT_TOLD)] += 1
    return ", ".join(f"{count} × {module}" for module, count in modules.items()) or None
