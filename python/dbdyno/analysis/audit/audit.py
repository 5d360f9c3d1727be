"""All checks over all tables that are audited together."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.audit.aggregates import check_aggregates, check_percentiles
from dbdyno.analysis.audit.change_checks import check_changes, check_chosen_cells, check_rounding
from dbdyno.analysis.audit.conclusions import check_conclusions, refuse_unknown
from dbdyno.analysis.audit.confounding import check_confounding
from dbdyno.analysis.audit.durability import check_durability, check_durability_between
from dbdyno.analysis.audit.impossible import check_impossible
from dbdyno.analysis.audit.join import join_tables
from dbdyno.analysis.audit.matrix import check_copied, check_duplicates, check_missing
from dbdyno.analysis.audit.means import check_means
from dbdyno.analysis.audit.model import AuditFinding, Gravity, SetCheck, TableCheck
from dbdyno.analysis.audit.noise import check_noise, check_slower_response
from dbdyno.analysis.audit.sentences import check_sentences
from dbdyno.analysis.audit.sums import check_sums
from dbdyno.analysis.audit.unpaced import check_pacing
from dbdyno.analysis.audit.window import check_window
from dbdyno.results_table.model import ResultsTable

TABLE_CHECKS: tuple[TableCheck, ...] = (
    *(check_means, check_changes, check_sums, check_impossible, check_duplicates),
    *(check_aggregates, check_chosen_cells, check_conclusions, check_confounding),
    *(check_noise, check_slower_response, check_rounding, check_durability, check_missing),
    *(check_pacing, check_window, check_copied, check_percentiles, check_sentences),
)
SET_CHECKS: tuple[SetCheck, ...] = (check_durability_between,)


def audit(tables: Sequence[ResultsTable]) -> tuple[AuditFinding, ...]:
    """Return all that does not follow, the gravest first, by table in the order given.

    InputError where a description names what is not there.
    """
    joined = join_tables(tables)
    refuse_unknown(joined)
    found = [finding for each in joined for check in TABLE_CHECKS for finding in check(each)]
    found += [finding for check in SET_CHECKS for finding in check(joined)]
    order = list(Gravity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.gravity)))
