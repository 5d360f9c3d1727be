"""What is compared, and promises unlike things about committed data."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from dbdyno.analysis.audit.cells import has_systems
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Kind

_DURABILITY = re.compile(
    r"durab|fsync|sync_?binlog|binlog|flush|synchronous|(disk|commit).?sync", re.I
)
_OPTION = re.compile(
    r"(innodb_)?flush_log_at_trx_commit|sync_binlog|(synchronous|durable)_\w+|fsync|full_page_writes",
    re.I,
)
"""Options of servers that stand in rows between those of figures."""
EVERYTHING = "all"
Settings = Mapping[str, str | bool | int]


def check_durability(joined: Joined) -> Iterator[AuditFinding]:
    """Yield subjects of one table with unlike durability."""
    by_subject = (
        _of_rows(joined)
        | _of_columns(joined)
        | {
            name: settings
            for name, settings in joined.data.description.facts.durability.items()
            if name != EVERYTHING
        }
    )
    lines = [
        line
        for (one, settings), (other, others) in combinations(by_subject.items(), 2)
        for line in _unlike(one, settings, other, others)
    ]
    if lines:
        yield AuditFinding(Code.UNLIKE_DURABILITY, joined.data.name, tuple(lines))


def is_durability(name: str) -> bool:
    """Tell whether a column is of what a commit promises, by its name."""
    return _DURABILITY.search(name) is not None


def _of_columns(joined: Joined) -> dict[str, Settings]:
    """Return the durability of each system by columns of the table that it has one level of."""
    if not has_systems(joined.data):
        return {}
    levels: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for each in joined.data.rounds:
        for name, level in each.levels:
            if each.subject and is_durability(name):
                levels[each.subject][name].add(level)
    return {
        subject: {name: next(iter(found)) for name, found in columns.items() if len(found) == 1}
        for subject, columns in levels.items()
    }


def _of_rows(joined: Joined) -> dict[str, Settings]:
    """Return the durability of each system by rows that are called as an option of a server."""
    settings: dict[str, dict[str, str]] = defaultdict(dict)
    for each in (*joined.data.figures, *joined.data.absent):
        for name in (*(level for _, level in each.levels), each.metric.name):
            if each.subject and each.number.text and _OPTION.fullmatch(name.strip()):
                settings[each.subject][name] = each.number.text
    return dict(settings)


def check_durability_between(tables: Sequence[Joined]) -> Iterator[AuditFinding]:
    """Yield files that have a throughput in common and unlike durability, each pair once."""
    seen: set[tuple[Path, Path]] = set()
    for one, other in combinations(tables, 2):
        files = (one.data.path, other.data.path)
        common = _throughputs(one) & _throughputs(other)
        if not common or files in seen:
            continue
        seen.add(files)
        lines = [
            line
            for subject, settings in one.data.description.facts.durability.items()
            for other_subject, others in other.data.description.facts.durability.items()
            for line in _unlike(
                _named(one, subject), settings, _named(other, other_subject), others
            )
        ]
        if lines:
            yield AuditFinding(
                Code.UNLIKE_DURABILITY,
                one.data.path.name,
                tuple(dict.fromkeys(lines)),
                (("other_table", other.data.path.name), ("metrics", tuple(sorted(common)))),
                variant="tables",
            )


def _named(joined: Joined, subject: str) -> str:
    return joined.data.path.name if subject == EVERYTHING else subject


def _throughputs(joined: Joined) -> set[str]:
    metrics = {each.metric for each in joined.data.figures}
    return {metric.name for metric in metrics if metric.kind is Kind.THROUGHPUT}


def _unlike(one: str, settings: Settings, other: str, others: Settings) -> Iterator[Line]:
    for name, value in settings.items():
        if name in others and _plain(value) != _plain(others[name]):
            yield Line(
                "durability",
                setting=name,
                subject=one,
                value=_plain(value),
                other=other,
                other_value=_plain(others[name]),
            )


def _plain(value: str | bool | int) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value).strip().lower()
