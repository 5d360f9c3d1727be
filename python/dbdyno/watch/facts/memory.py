"""Looks up how much memory a machine has, of what kind, and how the kernel hands it out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dbdyno.control_groups import machine_memory_bytes
from dbdyno.facts.processor import MemoryFacts
from dbdyno.watch.facts.reading import answer, chosen, fields, number

_PAGES = Path("/sys/kernel/mm/transparent_hugepage")
_MEMORY_INFORMATION = Path("/proc/meminfo")
_NOT_TOLD = ("", "Unknown", "None", "No Module Installed", "0")


def memory_facts() -> MemoryFacts:
    """Return everything about memory; of what kind it is, only root is told."""
    told = fields(_MEMORY_INFORMATION)
    swap_total, swap_free = _kibibytes(told.get("SwapTotal")), _kibibytes(told.get("SwapFree"))
    return MemoryFacts(
        memory_total_bytes=machine_memory_bytes(),
        memory_available_bytes=_kibibytes(told.get("MemAvailable")),
        memory_modules=_modules(),
        swap_total_bytes=swap_total,
        swap_used_bytes=(
            None if swap_total is None or swap_free is None else swap_total - swap_free
        ),
        swappiness=number(Path("/proc/sys/vm/swappiness")),
        transparent_huge_pages=chosen(_PAGES / "enabled"),
        transparent_huge_pages_defrag=chosen(_PAGES / "defrag"),
        huge_pages_total=_count(told.get("HugePages_Total")),
        huge_pages_free=_count(told.get("HugePages_Free")),
        huge_page_size_bytes=_kibibytes(told.get("Hugepagesize")),
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
