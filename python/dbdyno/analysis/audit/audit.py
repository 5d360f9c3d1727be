"""All checks over all tables that are audited together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dbdyno.analysis.audit.aggregates import check_aggregates, check_percentiles
from dbdyno.analysis.audit.change_checks import check_changes, check_chosen_cells, check_rounding
from dbdyno.analysis.audit.conclusions import check_conclusions, refuse_unknown
from dbdyno.analysis.audit.confounding import check_confounding
from dbdyno.analysis.audit.durability import check_durability, check_durability_between
from dbdyno.analysis.audit.impossible import check_impossible
from dbdyno.analysis.audit.join import join_tables
from dbdyno.analysis.audit.matrix import check_copied, check_duplicates, check_missing
from dbdyno.analysis.audit.means import check_means
from dbdyno.analysis.audit.model import AuditFinding, Code, Gravity, SetCheck, TableCheck
from dbdyno.analysis.audit.noise import check_noise, check_slower_response
from dbdyno.analysis.audit.roles import check_roles
from dbdyno.analysis.audit.same_series import check_same_series
from dbdyno.analysis.audit.sentences import check_sentences
from dbdyno.analysis.audit.sums import check_sums
from dbdyno.analysis.audit.suspicions import check_directions, check_stray_curves
from dbdyno.analysis.audit.unpaced import check_pacing
from dbdyno.analysis.audit.window import check_window
from dbdyno.results_table.model import ResultsTable
from dbdyno.results_table.raw import TABLE_IN_FILE, name_of_tables

TABLE_CHECKS: tuple[TableCheck, ...] = (
    *(check_means, check_changes, check_sums, check_impossible, check_duplicates),
    *(check_aggregates, check_chosen_cells, check_conclusions, check_confounding),
    *(check_noise, check_slower_response, check_rounding, check_durability, check_missing),
    *(check_pacing, check_window, check_copied, check_percentiles, check_sentences),
    *(check_stray_curves, check_directions),
)
OF_SET_UP = frozenset({Code.UNPACED, Code.SHORT_WINDOW})
"""What holds for all tables of a report alike."""
SET_CHECKS: tuple[SetCheck, ...] = (check_durability_between, check_same_series, check_roles)


def audit(tables: Sequence[ResultsTable]) -> tuple[AuditFinding, ...]:
    """Return all that does not follow, the gravest first, by table in the order given.

    InputError where a description names what is not there.
    """
    joined = join_tables(tables)
    refuse_unknown(joined)
    found = [finding for each in joined for check in TABLE_CHECKS for finding in check(each)]
    found += [finding for check in SET_CHECKS for finding in check(joined)]
    order = list(Gravity)
    return tuple(sorted(_of_set_up(found), key=lambda finding: order.index(finding.gravity)))


def _of_set_up(found: Sequence[AuditFinding]) -> Iterator[AuditFinding]:
    """Yield the findings, those that are of a report's set-up once for all of its tables."""
    alike: dict[tuple[Code, str], list[AuditFinding]] = defaultdict(list)
    for each in found:
        name, _, number = each.table.partition(TABLE_IN_FILE)
        if each.code in OF_SET_UP and number:
            alike[each.code, name].append(each)
        else:
            yield each
    yield from (_together(name, members) for (_, name), members in alike.items())


def _together(name: str, members: Sequence[AuditFinding]) -> AuditFinding:
    """Return one finding of several tables: counts are added up, and lines said once.

    Of the highest rates of the tables the highest one is left.
    """
    if len(members) == 1:
        return members[0]
    numbers = [int(each.table.partition(TABLE_IN_FILE)[2]) for each in members]
    counts: Counter[str] = Counter()
    for each in members:
        counts.update(dict(each.figures))
    lines = tuple(dict.fromkeys(line for each in members for line in each.lines))
    if members[0].code is Code.UNPACED:
        lines = (max(lines, key=lambda line: float(str(dict(line.figures)["rate"]))),)
    table = name_of_tables(name, numbers)
    return replace(members[0], table=table, lines=lines, figures=tuple(counts.items()))
