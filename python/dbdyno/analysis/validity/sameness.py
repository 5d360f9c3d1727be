"""What must not change from trial to trial of a cell: the server, its settings, and its host.

All trials are looked at. A change in the middle of a campaign, by an administrator, an upgrade or a
restart elsewhere, is as good as another cell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.analysis.differences import UNIMPORTANT, settings_of
from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.session_summary import isolation_of
from dbdyno.analysis.targets import SERVER_FACTS
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.warn import warn
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import Cell
from dbdyno.store.journal import JournalEvent, RunStarted, TrialStarted

CHANGES_QUOTED = 3
LIMIT_FACTS = ("control_group_memory_limit_bytes", "control_group_cpu_limit_cores")


Fact = tuple[EvidenceKind, str]


@dataclass(frozen=True)
class Change:
    """What changed within a cell, from what to what; and the last trial before, the first after.

    ``fact`` is whose it is, the server's or the host's, and its name.
    """

    fact: Fact
    before: str | None
    after: str | None
    last: int
    first: int

    def evidence(self) -> Evidence:
        """Return it as evidence."""
        kind, name = self.fact
        return Evidence(
            kind,
            fact=name,
            before=self.before,
            after=self.after,
            last_number=self.last,
            first_number=self.first,
        )


def server_changed(
    valid: Sequence[WindowTotals], host_of: Mapping[int, Mapping[str, Any]]
) -> Finding | None:
    """Compare each trial of a cell with the one before it; ``host_of`` has facts by trial."""
    changes = list(_changes(valid, host_of))
    if not changes:
        return None
    # What changed for all cells alike is one change, seen first where it came first.
    once = {(change.fact, change.before, change.after): change for change in reversed(changes)}
    told = sorted(once.values(), key=lambda change: (change.first, change.fact[1]))
    evidence = [change.evidence() for change in told[:CHANGES_QUOTED]]
    if len(told) > CHANGES_QUOTED:
        evidence.append(Evidence(EvidenceKind.MORE, count=len(told) - CHANGES_QUOTED))
    trials = sorted({change.first for change in changes})
    return warn(Code.SERVER_CHANGED, *evidence, trials=trials)


def _changes(
    valid: Sequence[WindowTotals], host_of: Mapping[int, Mapping[str, Any]]
) -> Iterable[Change]:
    by_cell: dict[Cell, list[WindowTotals]] = defaultdict(list)
    for measured in sorted(valid, key=lambda each: each.number):
        by_cell[measured.trial.planned.cell].append(measured)
    for trials in by_cell.values():
        facts = [_facts(measured, host_of.get(measured.number, {})) for measured in trials]
        for place in range(1, len(trials)):
            last, first = trials[place - 1].number, trials[place].number
            before, after = facts[place - 1], facts[place]
            if before == after:
                continue
            for fact in sorted(before.keys() | after.keys()):
                old, new = before.get(fact), after.get(fact)
                if old != new:
                    yield Change(fact, old, new, last, first)


def _facts(measured: WindowTotals, host: Mapping[str, Any]) -> dict[Fact, str | None]:
    """Return all that must stay as it is; what a server is named and where it lies may change."""
    server = measured.trial.server
    facts: dict[str, str | None] = {name: getattr(server, name) or None for name in SERVER_FACTS}
    facts["isolation"] = isolation_of(measured.trial)
    limits = {name: getattr(server.control_group, name) for name in LIMIT_FACTS}
    facts |= {name: str(value) for name, value in limits.items() if value is not None}
    settings = settings_of(measured.trial)
    facts |= {name: settings[name] for name in settings.keys() - UNIMPORTANT}
    of_server = {(EvidenceKind.SERVER_CHANGED, name): value for name, value in facts.items()}
    of_host = {(EvidenceKind.HOST_CHANGED, name): str(value) for name, value in host.items()}
    return of_server | of_host


def hosts_by_trial(journal: Iterable[JournalEvent]) -> dict[int, Mapping[str, Any]]:
    """Return the facts of the host that each trial ran on, as each run of dbdyno wrote them."""
    host: Mapping[str, Any] = {}
    hosts: dict[int, Mapping[str, Any]] = {}
    for line in journal:
        if isinstance(line, RunStarted):
            host = line.host
        elif isinstance(line, TrialStarted) and host:
            hosts[line.trial] = host
    return hosts
