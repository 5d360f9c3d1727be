"""What was run: in words, with the experiment file and how to run it again."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

from rich.console import Console

from dbdyno.analysis.setup import Checks, Reference, Retry, WorkloadSetup
from dbdyno.experiment.plan import Cell
from dbdyno.experiment.translated import text_in
from dbdyno.report.document.model import Details, Heading, Preformatted
from dbdyno.report.terminal import print_verdicts
from dbdyno.report.words.setup import GENERATOR, SMOKE_RUN, STAND_IN_RUN, setup_rows
from dbdyno.store.named_files import NamedFile
from tests.unit.report.written import render_html, sections_by_id

from .report_examples import SETUP, two_factors
from .report_page import read_page

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)


REFERENCE = Cell((("clients", "8"),))


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def rows(**changes: object) -> dict[str, str]:
    return {label: plain(text) for label, text in setup_rows(replace(SETUP, **changes))}  # type: ignore[arg-type]


def test_the_rest_between_trials_is_told_where_there_is_one() -> None:
    label = "rest between two trials"
    assert rows(pause_s=300.0)[label] == "300 s"
    assert label not in rows()


def test_all_that_was_asked_of_the_trials_is_told() -> None:
    assert rows() == {
        "workload": "sysbench oltp_read_write",
        "scale": "tables: 1; rows of each: 1,000 or 10,000",
        "distribution of keys": "zipfian (exponent 0.8)",
        "load": "clients: 1, 2, 4, 8, closed loop",
        "load made by": GENERATOR,
        "warm-up": "0.3 s",
        "window": "30 s",
        "interval": "1 s",
        "rounds": "3",
        "order of trials": "interleaved: every round runs every cell, in mirrored pairs of rounds",
        "each trial starts from": "snapshot: each trial begins with the server's files as they "
        "were after loading",
        "caches": "workload: what the start has left, and what the warm-up brings",
        "check of the tables": "consistency, after every trial",
        "retry": "at most 10 times, after 1 to 50 ms, on deadlock",
        "error budget": "1.0 %",
        "seed": "17; each later round has the next number",
    }


def test_texts_and_table_options_are_told_where_they_are_not_the_usual() -> None:
    usual = {"text": (None,), "wide_texts": (False,), "table_options": ("",)}
    found = rows(workloads=(WorkloadSetup("tpcc", usual),))
    assert not {"texts", "table options"} & found.keys()
    options = {
        "text": ("/home/me/words.txt",),
        "wide_texts": (True,),
        "table_options": ("ENGINE=ROCKSDB", ""),
    }
    found = rows(workloads=(WorkloadSetup("tpcc", options),))
    assert found["texts"] == "words of words.txt, as wide as Terark's"
    assert found["table options"] == "ENGINE=ROCKSDB or none"
    sysbench = WorkloadSetup("sysbench", {"create_table_options": ("COMPRESSED=1",)})
    assert rows(workloads=(sysbench,))["table options"] == "COMPRESSED=1"


def test_tpcc_has_its_scale_its_mix_and_its_waits() -> None:
    options = {
        "warehouses": (10,),
        "schema": ("benchmarksql",),
        "mix": ({"new_order": 45.0, "payment": 43.0},),
        "deck": (False,),
        "pacing": ({"keying": 1.0, "think": 0.5},),
    }
    found = rows(workloads=(WorkloadSetup("tpcc", options),))
    assert found["workload"] == "TPC-C, tables of benchmarksql"
    assert found["scale"] == "warehouses: 10"
    assert found["mix"] == "New-Order 45, Payment 43"
    assert found["keying and think times"] == "those of the specification × 1 and × 0.5"
    options |= {"deck": (True,), "pacing": ({"keying": 0.0, "think": 0.0},)}
    found = rows(workloads=(WorkloadSetup("tpcc", options),))
    assert found["mix"] == "a shuffled deck of 23 cards"
    assert found["keying and think times"] == "none"


def test_other_workloads_are_named() -> None:
    pgbench = {"scripts": ([{"builtin": "select-only"}, {"file": "a.sql"}],), "scale": (5,)}
    found = rows(workloads=(WorkloadSetup("pgbench", pgbench),))
    assert (found["workload"], found["scale"]) == ("pgbench: select-only, a.sql", "scale factor 5")
    own: dict[str, tuple[object, ...]] = {"transactions": ({"transfer": {}, "read": {}},)}
    found = rows(workloads=(WorkloadSetup("sql", own), WorkloadSetup("later", {})))
    assert found["workload"] == "later"
    assert rows(workloads=(WorkloadSetup("sql", own),))["workload"].endswith(": transfer, read")


def test_what_is_open_fixed_or_absent_is_told_as_such() -> None:
    found = rows(
        rates_per_s=(100.0, 2000.0),
        arrivals=("poisson",),
        warmups_s=((5.0, 60.0),),
        starts=("continue",),
        checks=Checks(3, 4, conditions=12),
        retries=(Retry(max_retries=0),),
        reference=Reference(REFERENCE, 4, every=5),
    )
    assert found["load"].endswith("100 transactions/s or 2,000 transactions/s, poisson arrivals")
    assert found["warm-up"] == "until throughput is steady, at most 60 s"
    assert found["check of the tables"] == (
        "consistency, after 3 of 4 trials, with 12 conditions of TPC-C"
    )
    assert found["retry"] == "none"
    assert found["seed"] == "17; each later trial has the next number"
    assert found["measured again"] == (
        "clients=8, at the start, after every 5 trials and at the end: 4 more trials, which show "
        "drift and are compared with no cell"
    )
    for trials, when in ((3, "at the start, in the middle and at"), (2, "at the start and at")):
        found_again = rows(reference=Reference(REFERENCE, trials))["measured again"]
        assert found_again.startswith(f"clients=8, {when} the end: {trials} more trials")
    assert "measured again" not in rows()
    assert rows(checks=Checks(0, 4))["check of the tables"] == "none"


def test_the_page_has_the_file_and_how_to_run_it_again() -> None:
    page = read_page(render_html(two_factors(), NOON))
    words = " ".join(page.text.split())
    assert ["workload", "sysbench oltp_read_write"] in page.tables["setup"]
    assert "Reproduce: dbdyno run experiment.yaml with the experiment file below" in words
    assert "dbdyno 0.1.0, seed 17. Paths in it are relative to the folder" in words
    assert f"SHA-256 of the file: {SETUP.experiment_sha256}" in words
    assert SETUP.experiment_text.strip() in words
    without = read_page(render_html(replace(two_factors(), setup=None), NOON))
    assert "Reproduce" not in without.text


def test_texts_that_the_file_names_stand_folded_below_it() -> None:
    files = (NamedFile("my.cnf", "ab12", "[mysqld]\nport = 1\n"), NamedFile("s.cnf", "cd34", None))
    findings = replace(two_factors(), setup=replace(SETUP, named_files=files))
    section = sections_by_id(findings)["setup"]
    assert section is not None
    folded = [each for each in section.blocks if isinstance(each, Details)][-1]
    assert folded.summary == "2 files that it names"
    assert [each.text for each in folded.blocks if isinstance(each, Heading)] == ["my.cnf", "s.cnf"]
    assert [each.text for each in folded.blocks if isinstance(each, Preformatted)] == [
        files[0].text
    ]
    words = " ".join(read_page(render_html(findings, NOON)).text.split())
    assert "s.cnf It may hold a secret, so that no copy was kept. SHA-256: cd34" in words


def test_a_smoke_run_is_said_first_and_has_no_verdict() -> None:
    findings = replace(two_factors(), is_smoke=True, compared=())
    words = " ".join(read_page(render_html(findings, NOON)).text.split())
    assert words.index(SMOKE_RUN) < words.index(text_in(findings.question))
    assert "No verdict: this was a smoke run." in words
    assert "Reproduce: dbdyno run experiment.yaml --smoke with" in words
    file = io.StringIO()
    print_verdicts(findings, Console(file=file, width=100))
    assert file.getvalue().splitlines()[1] == SMOKE_RUN
    for word in ("faster", "slower", "no difference shown"):
        assert word not in file.getvalue()
    assert SMOKE_RUN not in read_page(render_html(two_factors(), NOON)).text


def test_a_run_of_the_section_smoke_is_said_first_and_has_verdicts() -> None:
    findings = replace(two_factors(), is_stand_in=True)
    words = " ".join(read_page(render_html(findings, NOON)).text.split())
    assert words.index(STAND_IN_RUN) < words.index(text_in(findings.question))
    assert "faster" in words
    assert "Reproduce: dbdyno run experiment.yaml --smoke with" in words
