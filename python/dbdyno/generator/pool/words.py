"""First and last words of several generators, merged into those of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from dbdyno.protocol.events import (
    Change,
    Connected,
    End,
    Facts,
    HostEnd,
    Ledger,
    LostGenerator,
    StatementCount,
    Writes,
)

HASH_MODULUS = 1 << 64

Status = Literal["completed", "interrupted", "failed"]


def merge_connected(parts: Sequence[Connected]) -> Connected:
    """Return the one event that says that all are connected."""
    first = parts[0]
    return Connected(
        clients=sum(part.clients for part in parts),
        elapsed_s=max(part.elapsed_s for part in parts),
        server_version=first.server_version,
        session=first.session,
        pipelining=first.pipelining,
    )


def merge_ends(
    parts: Sequence[End], generators: int, lost: Sequence[LostGenerator], *, loss_fails: bool
) -> End:
    """Return how a trial ended; ``parts`` are of those generators that could say it."""
    status, reason = _merge_status(parts, generators)
    if lost and loss_fails:
        status, reason = "failed", lost[0].reason
    return End(
        status=status,
        reason=reason,
        elapsed_s=max(part.elapsed_s for part in parts),
        statements=_merge_statements(count for part in parts for count in part.statements),
        facts=_merge_facts(parts),
        kernel_timestamps=all(part.kernel_timestamps for part in parts),
        hosts=_merge_hosts(host for part in parts for host in part.hosts),
        ledger=_merge_ledgers([part.ledger for part in parts], is_whole=not lost),
        lost=tuple(lost),
    )


def _merge_status(parts: Sequence[End], generators: int) -> tuple[Status, str | None]:
    failed = [part for part in parts if part.status == "failed"]
    if failed:
        return "failed", f"generator {failed[0].generator_index + 1} of {generators}: " + (
            failed[0].reason or "it does not say why"
        )
    interrupted = [part for part in parts if part.status == "interrupted"]
    if interrupted:
        return "interrupted", interrupted[0].reason
    return "completed", None


def _merge_statements(counts: Iterable[StatementCount]) -> tuple[StatementCount, ...]:
    merged: dict[str, StatementCount] = {}
    for count in counts:
        known = merged.get(count.sql)
        merged[count.sql] = (
            count
            if known is None
            else replace(
                known,
                executions=known.executions + count.executions,
                rows=known.rows + count.rows,
                affected=known.affected + count.affected,
                without_rows=known.without_rows + count.without_rows,
            )
        )
    return tuple(merged.values())


def _merge_facts(parts: Sequence[End]) -> Facts:
    """Add facts up by name; shares are divided anew, and text is the same in all."""
    names = dict.fromkeys(name for part in parts for name in part.facts)
    return {
        name: _merge_fact(name, [part for part in parts if name in part.facts]) for name in names
    }


def _merge_fact(name: str, parts: Sequence[End]) -> int | float | str | None:
    values = [part.facts[name] for part in parts]
    merging = [part.merging for part in parts if part.merging is not None]
    shares = [each.shares[name] for each in merging if name in each.shares]
    if shares:
        part, whole = (sum(numbers) for numbers in zip(*shares, strict=True))
        return part / whole if whole else None
    if any(name in each.hashes for each in merging):
        total = sum(int(str(value), 16) for value in values) % HASH_MODULUS
        return f"{total:016x}"
    if all(isinstance(value, int) for value in values):
        return sum(int(value or 0) for value in values)
    return values[0]


def _merge_hosts(hosts: Iterable[HostEnd]) -> tuple[HostEnd, ...]:
    merged: dict[str, HostEnd] = {}
    for host in hosts:
        known = merged.get(host.host, HostEnd(host=host.host))
        merged[host.host] = HostEnd(
            host=host.host,
            connections=known.connections + host.connections,
            failed_attempts=known.failed_attempts + host.failed_attempts,
            last_failure=host.last_failure or known.last_failure,
            transactions=known.transactions + host.transactions,
            statements=known.statements + host.statements,
        )
    return tuple(merged.values())


def _merge_ledgers(parts: Sequence[Ledger | None], *, is_whole: bool) -> Ledger | None:
    """Return what all clients were told is committed.

    A generator that was lost has taken with it what its clients were told: nothing can be held
    against what is stored then. Which of two generators wrote a row last, neither knows: the last
    values of rows are certain of none.
    """
    told = [part for part in parts if part is not None]
    if not told or not is_whole:
        return None
    names = dict.fromkeys(name for part in told for name in part.changes)
    changes = {name: _merge_changes(name, [part.changes for part in told]) for name in names}
    writes = [part.writes for part in told if part.writes is not None]
    ambiguous = sum(len(each.rows) + each.ambiguous for each in writes)
    return Ledger(changes, Writes((), ambiguous) if writes else None)


def _merge_changes(name: str, parts: Sequence[Mapping[str, Change]]) -> Change:
    changes = [part[name] for part in parts if name in part]
    bounds = [change.unknown for change in changes if change.unknown is not None]
    is_bounded = len(bounds) == len(changes)
    low, high = (sum(bound) for bound in zip(*bounds, strict=True)) if bounds else (0, 0)
    return Change(
        sum(change.acknowledged for change in changes), (low, high) if is_bounded else None
    )
