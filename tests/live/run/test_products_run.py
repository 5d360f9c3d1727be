"""Two products in one experiment: what their settings mean is compared, on real servers."""

from __future__ import annotations

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.confounders.model import Aspect
from dbdyno.analysis.findings import Findings
from dbdyno.store.reader import read_result
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

EXPERIMENT = """\
experiment: products
question: Which of the two is faster?
workload: {{sysbench: {{script: oltp_point_select, tables: 1, table_size: 100}}}}
targets:
  maria: {{mysql: {{set: {maria}}}}}
  postgres: {{postgresql: {{set: {postgres}}}}}
factors: {{product: {{sets: target, levels: [maria, postgres]}}}}
session: {{isolation: read_committed}}
procedure: {{warmup: 0.1s, duration: 0.3s, interval: 0.1s, rounds: 1}}
"""


def measured(stage: Stage, maria: str, postgres: str) -> Findings:
    """Run both products with these settings."""
    stage.file.write_text(EXPERIMENT.format(maria=maria, postgres=postgres))
    ended = stage.run()
    assert ended.status == 0, ended.output + ended.errors
    return analyse(read_result(stage.result))


def test_products_that_mean_the_same_differ_in_what_cannot_be_set_alone(stage: Stage) -> None:
    findings = measured(
        stage,
        "{innodb_buffer_pool_size: 64M, collation_server: utf8mb4_bin, "
        "character_set_server: utf8mb4, innodb_doublewrite: 'ON'}",
        "{shared_buffers: 64MB}",
    )
    unexpected = {each.aspect for each in findings.confounders if not each.is_expected}
    # PostgreSQL's files are made without checksums.
    assert unexpected == {Aspect.CHECKSUMS}
    assert findings.differences == findings.default_differences == ()


def test_products_that_mean_other_things_have_one_line_for_each(stage: Stage) -> None:
    findings = measured(
        stage,
        "{innodb_buffer_pool_size: 64M, innodb_doublewrite: 'OFF', innodb_compression_default: "
        "'ON', log_bin: changes, innodb_flush_log_at_trx_commit: 2}",
        "{shared_buffers: 32MB}",
    )
    found = {
        each.aspect: (each.value, each.baseline_value)
        for each in findings.confounders
        if each.is_by_meaning
    }
    assert found == {
        Aspect.COLLATION: ("C, UTF8", "latin1_swedish_ci"),
        Aspect.CACHE_MEMORY: (str(32 << 20), str(64 << 20)),
        Aspect.CHECKSUMS: ("off", "on"),
        Aspect.TORN_PAGES: ("on", "off"),
        Aspect.COMPRESSION: ("", "tables"),
        Aspect.KEPT_LOG: ("off", "on"),
    }
    assert findings.differences == findings.default_differences == ()
    page = (stage.result / "report.html").read_text()
    above, _, below = page.partition('id="differences"')
    section, *_ = below.partition("</section>")
    assert "innodb_" not in section
    assert above.count("protection against torn pages (on against off)") == 1
