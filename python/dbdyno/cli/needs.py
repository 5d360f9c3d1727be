"""What an experiment needs, in words: disk, memory, connections and generators."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dbdyno.run.needs import DatasetNeed, Needs

MOST_LISTED = 4
"""More sizes of tables are counted and not listed."""


def describe_needs(needs: Needs, *, machine_memory_bytes: int) -> str:
    """Return what is needed at the most; ``machine_memory_bytes`` is what this machine has."""
    parts = [_disk(needs), *_elsewhere(needs), *_memory(needs, machine_memory_bytes)]
    parts += [_connections(needs), _generators(needs)]
    return "; ".join(parts)


def about_bytes(count: float) -> str:
    """Return an amount of disk to two digits or three: ``182 GB``, ``3.4 MB``."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:,.{0 if count >= 10 * size else 1}f} {unit}"
    return f"{count / 1e3:,.0f} kB"


def _disk(needs: Needs) -> str:
    here = [each for each in needs.datasets if each.is_here]
    if not here:
        return f"about {about_bytes(needs.disk_bytes)} of disk for the result"
    return (
        f"about {about_bytes(needs.disk_bytes)} of disk (tables: {_tables(here)}; with snapshots "
        f"and copies {about_bytes(needs.tables_bytes)}; result {about_bytes(needs.result_bytes)})"
    )


def _elsewhere(needs: Needs) -> Iterator[str]:
    there = [each for each in needs.datasets if not each.is_here]
    if there:
        yield f"about {_tables(there)} of tables where the servers are"


def _tables(datasets: list[DatasetNeed]) -> str:
    """Return the sizes by target; those of many are counted."""
    counts = Counter(
        (about_bytes(each.data_bytes), each.target, each.is_compressed) for each in datasets
    )
    if len(counts) > MOST_LISTED:
        sizes = sorted(each.data_bytes for each in datasets)
        span = " to ".join(dict.fromkeys(about_bytes(size) for size in (sizes[0], sizes[-1])))
        return f"{len(datasets)} sets of {span}"
    return ", ".join(
        f"{f'{count} × ' if count > 1 else ''}{size} for {target}"
        f"{' before compression' if is_compressed else ''}"
        for (size, target, is_compressed), count in counts.items()
    )


def _memory(needs: Needs, machine_bytes: int) -> Iterator[str]:
    from dbdyno.experiment.file.limits import show_bytes

    for host, size_bytes in needs.memory_bytes.items():
        amount = f"{show_bytes(size_bytes)} of memory for the servers"
        if host:
            yield f"{amount} on {host}"
            continue
        here = show_bytes(machine_bytes)
        is_more = size_bytes > machine_bytes
        has = f"more than the {here} of this machine" if is_more else f"this machine has {here}"
        yield f"{amount} (at {needs.memory_cell}; {has})"


def _connections(needs: Needs) -> str:
    spread = needs.connections_of_server < needs.connections
    to_one = f", {needs.connections_of_server:,} to one server" if spread else ""
    return f"{_counted(needs.connections, 'connection')}{to_one}"


def _generators(needs: Needs) -> str:
    """Return how many there are; where they run is told with the load that they send."""
    workers = _counted(needs.workers, "worker")
    in_all = " in all" if needs.generators > 1 else ""
    return f"{_counted(needs.generators, 'generator')} with {workers}{in_all}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
