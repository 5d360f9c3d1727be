"""Which options become factors, which trials are rounds, and what the command line names."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.importer.arrange import arrange
from dbdyno.importer.given import read_argument, read_given
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    Counted,
    MeasuredFrom,
    ResultEvidence,
    Source,
    SourceNote,
    Times,
    TrialEvidence,
)

from .logs import DATA, PEERS


def trial(path: str, clients: int = 4, tool: str = "sysbench", **options: str) -> TrialEvidence:
    return TrialEvidence(
        source=Source(tool=tool, path=path, sha256=path, tool_version="1"),
        clients=clients,
        options=options,
        measured_s=60.0,
        throughput_per_s=100.0,
    )


def codes(result: ResultEvidence) -> set[str]:
    return {str(note.code) for note in result.notes}


def test_options_that_vary_are_factors_and_others_are_not() -> None:
    trials = [
        trial("a", 4, script="read", tables="8", time="60"),
        trial("b", 8, script="read", tables="8", time="61"),
        trial("c", 4, script="write", tables="8", time="60"),
        trial("d", 8, script="write", tables="8", time="60"),
    ]
    result = arrange(trials)
    assert [each.levels for each in result.trials] == [
        (("threads", "4"), ("script", "read")),
        (("threads", "8"), ("script", "read")),
        (("threads", "4"), ("script", "write")),
        (("threads", "8"), ("script", "write")),
    ]
    assert (result.counted, result.notes) == (Counted.TRANSACTIONS, ())


def test_equal_levels_are_rounds_in_the_order_of_names() -> None:
    result = arrange([trial("r10.log"), trial("r9.log"), trial("r1.log")])
    assert [(each.source.path, each.round) for each in result.trials] == [
        ("r1.log", 1),
        ("r9.log", 2),
        ("r10.log", 3),
    ]
    assert codes(result) == {"nothing_varies"}


def test_names_with_signs_that_are_no_digits_are_sorted() -> None:
    assert len(arrange([trial("r².log"), trial("²"), trial("٣.log")]).trials) == 3


def test_rounds_are_in_the_order_of_time_where_all_tell_it() -> None:
    trials = [replace(trial(p), began_unix_s=t) for p, t in (("a", 30.0), ("b", 10.0), ("c", 20.0))]
    assert [each.source.path for each in arrange(trials).trials] == ["b", "c", "a"]
    trials[1] = trial("b")
    assert [each.source.path for each in arrange(trials).trials] == ["a", "b", "c"]


def test_given_levels_come_first_and_win() -> None:
    result = arrange(
        [trial("a", 4), trial("b", 8)],
        [(("target", "x"), ("threads", "few")), (("threads", "many"), ("target", "y"))],
    )
    assert [each.levels for each in result.trials] == [
        (("target", "x"), ("threads", "few")),
        (("target", "y"), ("threads", "many")),
    ]
    assert codes(result) == {"change_together"}


def test_a_factor_that_is_given_for_some_only_is_refused() -> None:
    with pytest.raises(InputError, match="a is given target and b nothing"):
        arrange([trial("a"), trial("b")], [(("target", "x"),), ()])


def test_a_copy_of_a_log_is_no_round() -> None:
    times = Times(mean_ms=1.0)
    first = replace(trial("a"), times=times)
    copy = replace(first, source=replace(first.source, path="b"))
    result = arrange([first, copy, trial("c")])
    assert [each.source.path for each in result.trials] == ["a", "c"]
    (note,) = (each for each in result.notes if each.code == "same_log_twice")
    assert dict(note.figures) == {"path": "b", "first": "a"}


def test_a_copy_with_other_levels_is_refused() -> None:
    first = replace(trial("a"), times=Times(mean_ms=1.0))
    copy = replace(first, source=replace(first.source, path="b"))
    with pytest.raises(InputError, match="b has the same content as a, and other levels"):
        arrange([first, copy], [(("target", "x"),), (("target", "y"),)])


def test_logs_that_tell_little_may_be_alike() -> None:
    alike = replace(trial("b"), source=replace(trial("a").source, path="b"))
    assert [each.round for each in arrange([trial("a"), alike]).trials] == [1, 2]


def test_runs_of_one_file_are_no_copies() -> None:
    assert len(arrange([trial("a", 1), trial("a", 2)]).trials) == 2


def test_tools_that_count_different_things_are_refused() -> None:
    with pytest.raises(InputError, match="go-tpc counts New-Orders, and sysbench counts all"):
        arrange([trial("a"), trial("b", tool="go-tpc")])


def test_several_tools_are_a_factor_with_one_name_for_clients() -> None:
    result = arrange([trial("a", 4, "go-tpc"), trial("b", 8, "tpcc-mysql")])
    assert result.counted is Counted.NEW_ORDERS
    assert [name for name, _ in result.trials[0].levels] == ["tool", "clients"]


def test_an_option_that_some_logs_do_not_tell_is_no_factor() -> None:
    result = arrange([trial("a", 1, tables="1"), trial("b", 2)])
    assert result.trials[0].levels == (("threads", "1"),)
    assert codes(result) == {"option_not_everywhere"}


def test_what_differs_beside_the_factors_is_said() -> None:
    scheduled = Times(measured_from=MeasuredFrom.SCHEDULED, mean_ms=1.0)
    other = replace(
        trial("b", 8),
        source=Source(tool="sysbench", path="b", sha256="b", tool_version="2"),
        measured_s=90.0,
        times=scheduled,
    )
    first = replace(trial("a"), times=Times(mean_ms=1.0))
    assert codes(arrange([first, other])) == {
        *("versions_differ", "durations_differ", "measured_from_differs"),
    }


def test_nothing_cannot_be_arranged() -> None:
    with pytest.raises(InputError, match="no trial"):
        arrange([])


def test_globs_behind_a_prefix_are_expanded(tmp_path: Path) -> None:
    for name in ("m10.log", "m9.log", "other.txt"):
        (tmp_path / name).touch()
    given = read_argument(f"target=mysql,disk=nvme:{tmp_path}/m*.log")
    assert given.levels == (("target", "mysql"), ("disk", "nvme"))
    assert [path.name for path in given.paths] == ["m9.log", "m10.log"]


def test_a_file_with_the_form_of_a_prefix_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a=b:c.log").touch()
    assert read_argument("a=b:c.log").levels == ()
    Path("run[1].log").touch()
    assert read_argument("x=1:run[1].log").paths == (Path("run[1].log"),)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("nothing.log", "nothing.log does not exist"),
        ("target=a:nothing-*.log", r"nothing-\*.log does not exist"),
        ("target=a", "does not exist. A level is given as FACTOR=LEVEL:PATH"),
        (f"a=1,a=2:{os.devnull}", "gives a factor twice"),
    ],
)
def test_wrong_arguments_are_refused(argument: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_argument(argument)


def test_real_logs_with_given_levels() -> None:
    arguments = [f"tool=go:{PEERS}/go-tpc-*.txt", f"tool=bsql:{DATA}/benchmarksql*"]
    trials, levels = read_given(arguments)
    result = arrange(trials, levels)
    assert result.counted is Counted.NEW_ORDERS
    assert [(dict(each.levels)["tool"], each.round) for each in result.trials] == [
        *(("go", 1), ("go", 2), ("go", 3)),
        *(("bsql", 1), ("bsql", 2)),
    ]


def test_logs_that_do_not_tell_what_varies_are_no_rounds_of_others() -> None:
    trials = [trial("a", 4), trial("b", 8), replace(trial("c"), clients=None)]
    result = arrange(trials)
    assert [each.levels for each in result.trials] == [
        (("threads", "4"),),
        (("threads", "8"),),
        (("threads", "?"),),
    ]
    assert codes(result) == {"level_not_told"}
    equal = [trial("a", 4), trial("b", 4), replace(trial("c"), clients=None)]
    assert codes(arrange(equal)) == {"option_not_everywhere", "nothing_varies"}


def test_runs_that_count_different_things_cannot_stand_in_one_result() -> None:
    note = SourceNote(code=NoteCode.NOT_A_DATABASE)
    cpu = replace(trial("cpu.log"), notes=(note,))
    with pytest.raises(InputError, match=r"oltp.log counts transactions, and cpu.log counts event"):
        arrange([trial("oltp.log"), cpu])
    assert len(arrange([cpu, replace(cpu, source=trial("cpu2.log").source)]).trials) == 2
