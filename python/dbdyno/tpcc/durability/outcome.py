"""What is told of a server that was killed under load."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.target.description import ServerDescription
from dbdyno.tpcc.durability.durability import DurabilityResult

LOST_SHOWN = 5

WHAT_IT_PROVES = (
    "SIGKILL ends the server's processes and not the system: the page cache survives. This shows "
    "whether what was acknowledged had been handed to the operating system, and whether recovery "
    "finds it; whether it had reached the disk, only a loss of power shows."
)


def lines(result: DurabilityResult, server: ServerDescription) -> Iterator[str]:
    """Yield what was found, for people."""
    yield f"{server.product} {server.version}; by its settings {server.durability.value}"
    yield f"acknowledged New-Orders: {result.acknowledged:,}"
    yield f"found after the crash:   {result.found:,}"
    yield f"lost:                    {len(result.lost):,}{_first(result)}"
    if result.unacknowledged:
        yield (
            f"{result.unacknowledged:,} more are there whose answers were on their way when the "
            "server was killed; that is no fault"
        )
    yield f"Held against what is stored: {result.ledger.sentence}"
    if not result.acknowledged:
        yield "Nothing was acknowledged, so nothing is proved: let it run longer"
    yield WHAT_IT_PROVES


def document(result: DurabilityResult, server: ServerDescription) -> dict[str, object]:
    """Return the same as plain values, with the keys of all orders that were lost."""
    return {
        "server": {
            "product": server.product,
            "version": server.version,
            "durability": server.durability.value,
        },
        "acknowledged": result.acknowledged,
        "found": result.found,
        "lost": [list(order) for order in result.lost],
        "unacknowledged": result.unacknowledged,
        "ledger": result.ledger.to_dict(),
        "what_it_proves": WHAT_IT_PROVES,
    }


def _first(result: DurabilityResult) -> str:
    if not result.lost:
        return ""
    keys = "; ".join(f"{w}, {d}, {o}" for w, d, o in result.lost[:LOST_SHOWN])
    more = "; …" if len(result.lost) > LOST_SHOWN else ""
    return f" (warehouse, district, order: {keys}{more})"
