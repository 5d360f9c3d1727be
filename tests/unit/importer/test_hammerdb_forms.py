"""Forms of HammerDB's output: loops over numbers of virtual users, and the jobs that it keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from .logs import notes_of, read_text


def test_hammerdb_in_a_loop_with_tpm_first(tmp_path: Path) -> None:
    text = (
        "Vuser 1:Beginning rampup time of 1 minutes\nVuser 1:{0} Active Virtual Users configured\n"
    )
    text += "Vuser 1:TEST RESULT : System achieved 500 PostgreSQL TPM at {1} NOPM\n"
    text += "Vuser 3:FINISHED FAILED\n"
    one, two = read_text(text.format(1, 60) + text.format(2, 120), tmp_path)
    assert [(each.clients, each.throughput_per_s) for each in (one, two)] == [(1, 1), (2, 2)]
    assert notes_of(two)["failed_virtual_users"] == {"failed": 1}


HAMMERDB_RESULT = "Vuser 1:TEST RESULT : System achieved {nopm} NOPM from 90000 MySQL TPM\n"
HAMMERDB_USERS = {
    "reported": "Vuser 1:{users} Active Virtual Users configured\n",
    "set": "hammerdb>vuset vu {users}\n",
    "set and reported": "vuset vu {users}\nVuser 1:{users} Active Virtual Users configured\n",
    "created": "{created} Virtual Users Created with Monitor VU\nVuser 1:RUNNING\n",
    "created without a monitor": "{users} Virtual Users Created\nVuser 1:RUNNING\n",
}


@pytest.mark.parametrize("form", HAMMERDB_USERS)
def test_results_of_hammerdb_are_of_the_users_before_them(form: str, tmp_path: Path) -> None:
    """No line of a ramp-up stands between the runs."""
    text = "".join(
        HAMMERDB_USERS[form].format(users=users, created=users + 1)
        + HAMMERDB_RESULT.format(nopm=600 * users)
        for users in (1, 8, 64)
    )
    trials = read_text(text, tmp_path)
    assert [(each.clients, each.throughput_per_s) for each in trials] == [
        (1, 10),
        (8, 80),
        (64, 640),
    ]


def test_users_of_hammerdb_that_are_set_hold_and_those_that_a_run_reports_do_not(
    tmp_path: Path,
) -> None:
    result = HAMMERDB_RESULT.format(nopm=600)
    twice = read_text("vuset vu 8\n" + result + result, tmp_path)
    assert [each.clients for each in twice] == [8, 8]
    reported = HAMMERDB_USERS["reported"].format(users=4)
    trials = read_text(reported + result + result, tmp_path)
    assert [each.clients for each in trials] == [4, None]


TIMING = """\
TRANSACTION RESPONSE TIMES
{{
  "NEWORD": {{
    "elapsed_ms": "420772.0",
    "calls": "53589",
    "min_ms": "1.251",
    "avg_ms": "{mean}",
    "max_ms": "126.83",
    "p99_ms": "14.536",
    "p50_ms": "3.849",
    "ratio_pct": "54.171"
  }},
  "SLEV": {{
    "calls": "5321",
    "avg_ms": "1.674"
  }}
}}
TRANSACTION COUNT
{{"Db2 tpm": {{
    "0": "2022-12-01 10:00:01"
  }}}}
"""
JOB = """\
HAMMERDB RESULT
[
  "638B7A5A5E5C03E243232353",
  "2022-12-01 10:08:12",
  "{users} Active Virtual Users configured",
  "TEST RESULT : System achieved {nopm} NOPM from 62019 Db2 TPM"
]
"""


@pytest.mark.parametrize("order", [(TIMING, JOB), (JOB, TIMING)], ids=["before", "behind"])
def test_jobs_of_hammerdb_with_their_timing(order: tuple[str, str], tmp_path: Path) -> None:
    one, two = read_text(
        "".join(
            part.format(users=users, nopm=6000 * users, mean=mean)
            for users, mean in ((4, 4.257), (8, 5.5))
            for part in order
        ),
        tmp_path,
    )
    assert [(each.clients, each.throughput_per_s) for each in (one, two)] == [(4, 400), (8, 800)]
    assert one.times is not None
    assert two.times is not None
    assert (one.times.mean_ms, two.times.mean_ms) == (4.257, 5.5)
    assert one.times.quantiles_ms == {0.5: 3.849, 0.99: 14.536}
    assert (one.times.min_ms, one.times.max_ms, one.times.count) == (1.251, 126.83, 53589)
    assert one.kinds["stock_level"].times is not None


def test_hammerdb_that_failed(tmp_path: Path) -> None:
    text = "Vuser 1:Beginning rampup time of 1 minutes\nError in Virtual User 1: connection lost\n"
    (trial,) = read_text(text, tmp_path)
    assert (trial.failure, trial.throughput_per_s, trial.measured_s) == (
        "connection lost",
        None,
        None,
    )
