"""What the hosts did among which clients were spread, in one trial or in all trials of a cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from dbdyno.analysis.differences import UNIMPORTANT, normalised
from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import HostSummary
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.protocol.events import HostEnd
from dbdyno.store.layout import Phase

UNEVEN_MIN = 0.1
"""So much more than an even share is worth a word."""


def transactions_by_host(measured: WindowTotals) -> dict[str, int]:
    """Return the transactions of a trial's window; nothing where there was one host."""
    window = _in_window(measured)
    if window is None:
        return {}
    sums = window.group_by("host", maintain_order=True).agg(pl.col("transactions").sum())
    return {host: int(count) for host, count in sums.iter_rows()}


def _in_window(measured: WindowTotals) -> pl.DataFrame | None:
    """Return the intervals of the window by host; servers of a cluster have their names."""
    hosts = measured.trial.hosts
    if hosts is None:
        return None
    names = pl.col("host").cast(pl.String).replace(_names(measured))
    return hosts.filter(phase=Phase.WINDOW).with_columns(host=names)


def _names(measured: WindowTotals) -> dict[str, str]:
    """Return the names of a cluster's servers by their addresses, which each start may change."""
    members = measured.trial.server.members
    return {each.address: each.name for each in members if each.address}


def summarise_hosts(trials: Sequence[WindowTotals]) -> tuple[HostSummary, ...]:
    """Return what each host did in all trials together, in the order of the URL."""
    by_trial = [(measured, transactions_by_host(measured)) for measured in trials]
    names = list(dict.fromkeys(host for _, counts in by_trial for host in counts))
    total = sum(sum(counts.values()) for _, counts in by_trial)
    summaries = []
    for name in names:
        ends = [end for measured, _ in by_trial for end in _ends(measured, name)]
        clients = [level for measured, _ in by_trial for level in _clients(measured, name)]
        transactions = sum(counts.get(name, 0) for _, counts in by_trial)
        summaries.append(
            HostSummary(
                host=name,
                transactions=transactions,
                share=transactions / total if total else 0.0,
                connections=sum(end.connections for end in ends),
                failed_attempts=sum(end.failed_attempts for end in ends),
                fewest_clients=min(clients, default=0),
                most_clients=max(clients, default=0),
            )
        )
    return tuple(summaries)


def uneven(measured: WindowTotals) -> Clauses | None:
    """Find a host that did notably more than an even share of a window's transactions.

    Where clients cannot be spread evenly, some hosts have one more than others.
    """
    counts = transactions_by_host(measured)
    total = sum(counts.values())
    clients = measured.trial.generator_plan.clients
    even_share = math.ceil(clients / max(len(counts), 1)) / clients
    if not total or max(counts.values()) <= (1 + UNEVEN_MIN) * total * even_share:
        return None
    return tuple(
        Evidence(EvidenceKind.HOST_SHARE, host=host, transactions_share=count / total)
        for host, count in counts.items()
    )


def unreachable(measured: WindowTotals) -> Clauses:
    """Count attempts to connect that failed, after which other hosts were tried."""
    return tuple(
        Evidence(
            EvidenceKind.HOST_REFUSED,
            failed=host.failed_attempts,
            host=host.host,
            last_failure=host.last_failure,
        )
        for host in _all_ends(measured)
        if host.failed_attempts
    )


def unlike(measured: WindowTotals) -> Clauses:
    """Name the settings and versions in which the hosts differ, and hosts that did not answer."""
    server = measured.trial.server
    silent = (
        Evidence(EvidenceKind.HOST_SILENT, host=host["host"], error=host["error"])
        for host in server.hosts
        if "error" in host
    )
    differences = (
        Evidence(
            EvidenceKind.HOSTS_DIFFER,
            setting=name,
            hosts=tuple(values),
            values=tuple(values.values()),
        )
        for name, values in server.host_differences.items()
        if normalised(name) not in UNIMPORTANT
    )
    return *silent, *differences


def _all_ends(measured: WindowTotals) -> Iterable[HostEnd]:
    """Return what each host's connections came to; servers of a cluster have their names."""
    end, names = measured.trial.end, _names(measured)
    ends = () if end is None else end.hosts
    return [replace(each, host=names.get(each.host, each.host)) for each in ends]


def _ends(measured: WindowTotals, name: str) -> Iterable[HostEnd]:
    return (host for host in _all_ends(measured) if host.host == name)


def _clients(measured: WindowTotals, name: str) -> list[int]:
    window = _in_window(measured)
    return [] if window is None else window.filter(host=name)["live_clients"].to_list()
