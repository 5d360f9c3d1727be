"""How transactions were sent: what was asked for, what was read back, and how answers came."""

from __future__ import annotations

from pathlib import Path

from dbdyno.analysis.findings import Sending
from dbdyno.analysis.session_summary import summarise_sending
from dbdyno.analysis.waiting import Waiting
from dbdyno.analysis.window_totals import measure
from tests.unit.store.result_builder import TrialScript, build_result, make_plan


def sending_of(directory: Path, napped_s: float = 0.0) -> Sending:
    def change(script: TrialScript) -> None:
        if script.planned.round == 1:
            script.events[0] |= {"session": {"isolation": "read_committed"}}
        script.generator_plan |= {"wait": "50us"}
        for event in script.window:
            event["generator"] |= {"naps": 10, "napped_s": napped_s}

    result = build_result(directory, make_plan(rounds=2), change)
    found = summarise_sending([measure(trial) for trial in result.trials])
    assert found is not None
    return found


def test_levels_that_were_read_back_stand_by_themselves(tmp_path: Path) -> None:
    found = sending_of(tmp_path / "r")
    assert (found.isolation, found.asked_isolation) == (("read_committed", None), None)


def test_naps_have_a_mean_where_their_time_is_known(tmp_path: Path) -> None:
    naps = 2 * 12 * 10
    of_known = sending_of(tmp_path / "known", napped_s=10 * 40e-6).waiting
    assert (of_known.wait, of_known.naps) == ("50us", naps)
    assert round(of_known.nap_mean_us or 0.0, 6) == 40.0
    assert sending_of(tmp_path / "unknown").waiting == Waiting("50us")
