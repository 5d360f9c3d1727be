"""Several generators in an experiment file: what each makes of the load, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.protocol.generators import GeneratorPart, SharePlan
from dbdyno.protocol.trial_plan import TrialPlan

HEAD = "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\n"
URL = "target: {url: 'mysql://root@h1,h2:3307/test'}\n"
SQLITE = "target: {sqlite: {}}\n"


def plans(directory: Path, text: str, *, smoke: bool = False) -> list[TrialPlan]:
    """Return the trial plans of an experiment."""
    path = directory / "experiment.yaml"
    path.write_text(HEAD + text)
    experiment = read_experiment(path)
    return [trial.generator_plan for trial in make_plan(experiment, smoke=smoke).trials]


def shares(parts: tuple[GeneratorPart, ...]) -> list[Fraction]:
    return [Fraction(part.share.end - part.share.begin, part.share.of) for part in parts]


@pytest.mark.parametrize(
    ("generators", "expected"),
    [
        ("[{cpus: 0}, {cpus: 1}]", ["1/2", "1/2"]),
        ("[{count: 3}]", ["1/3", "1/3", "1/3"]),
        ("[{share: 1/2, count: 2}, {share: 50%}]", ["1/4", "1/4", "1/2"]),
        ("[{share: 1/3}, {share: 1/6}, {share: 0.5}]", ["1/3", "1/6", "1/2"]),
        ("[{count: 2}, {}]", ["1/3", "1/3", "1/3"]),
    ],
)
def test_shares_follow_each_other_and_are_exact(
    generators: str, expected: list[str], tmp_path: Path
) -> None:
    plan = plans(tmp_path, f"{URL}load: {{clients: 64}}\ngenerators: {generators}")[0]
    assert shares(plan.generators) == [Fraction(share) for share in expected]
    begins = [0, *(part.share.end for part in plan.generators)]
    assert [part.share.begin for part in plan.generators] == begins[:-1]
    assert begins[-1] == plan.generators[0].share.of
    assert sum(part.share.clients(64) for part in plan.generators) == 64
    assert [part.share.index for part in plan.generators] == list(range(len(expected)))


def test_each_process_has_its_own_of_the_cpus_where_there_are_enough(tmp_path: Path) -> None:
    text = (
        f"{URL}load: {{clients: 64}}\ngenerators: [{{cpus: 0-4, count: 2}}, {{cpus: 8, count: 2}}]"
    )
    parts = plans(tmp_path, text)[0].generators
    assert [part.cpus for part in parts] == [(0, 1), (2, 3, 4), (8,), (8,)]
    assert [part.workers for part in parts] == [2, 3, 1, 1]


def test_one_generator_is_asked_for_what_it_always_was(tmp_path: Path) -> None:
    plain = plans(tmp_path, SQLITE)[0].to_json("sqlite:///x")
    assert plans(tmp_path, SQLITE + "generators: [{share: 1}]")[0].to_json("sqlite:///x") == plain
    assert b"share" not in plain
    assert b"start" not in plain
    assert b"generator" not in plain


def test_a_generator_receives_its_share_and_waits_for_the_start(tmp_path: Path) -> None:
    text = f"{URL}load: {{clients: 8}}\ngenerators: [{{count: 2, wait: spin}}]"
    plan = plans(tmp_path, text)[0]
    second = plan.of_generator(plan.generators[1])
    assert second.share == SharePlan(index=1, begin=1, end=2, of=2)
    assert (second.clients, second.start, second.wait) == (8, "when_told", "spin")
    assert second.generators == ()


@pytest.mark.parametrize(
    ("written", "wait"),
    [
        ({"coalesce_us": None, "busy_poll": False}, "nap"),
        ({"coalesce_us": 0}, "sleep"),
        ({"coalesce_us": 50}, "50us"),
        ({"coalesce_us": None, "busy_poll": True}, "spin"),
        ({"wait": "sleep"}, "sleep"),
    ],
)
def test_a_plan_of_an_earlier_version_is_read(
    written: dict[str, object], wait: str, tmp_path: Path
) -> None:
    (plan, *_) = plans(tmp_path, f"{URL}generators: [{{count: 2}}]\nload: {{clients: 2}}")
    document = to_jsonable_python(plan)
    for waiting in (document, *document["generators"]):
        del waiting["wait"]
        waiting.update(written)
    read = TypeAdapter(TrialPlan).validate_python(document)
    assert {read.wait, *(part.wait for part in read.generators)} == {wait}


def test_the_number_of_generators_can_be_varied(tmp_path: Path) -> None:
    text = f"{URL}load: {{clients: 8}}\nfactors: {{n: {{sets: generators.count, levels: [1, 4]}}}}"
    found = {len(plan.generators) for plan in plans(tmp_path, text)}
    assert found == {0, 4}
    assert {len(plan.generators) for plan in plans(tmp_path, text, smoke=True)} == {0, 2}


MISTAKES = [
    (SQLITE + "generators: [{count: 2}]", "generators: are several; SQLite runs inside"),
    (
        URL + "generators: [{share: 1/2}, {share: 1/3}]",
        "generators: have the shares 1/2 + 1/3 = 5/6; they must be 1 together",
    ),
    (
        URL + "generators: [{share: 1/2}, {}]",
        "generators[1].share: is missing; give each generator its share, as in 1/2, or none",
    ),
    (URL + "generators: [{share: 3/2}]", "generators[0].share: '3/2' is not a part of the load"),
    (URL + "generators: [{share: 1/0}]", "generators[0].share: '1/0' is not a part of the load"),
    (
        URL + "load: {clients: 3}\ngenerators: [{count: 4}]",
        "generators: are 4, and 3 clients are too few for a share of 1/4; use fewer generators",
    ),
    (
        URL + "generators: [{to: [h3]}]",
        "generators[0].to: 'h3' is no host of the target 'mysql'; known: h1, h2:3307",
    ),
    (
        "target: {mysql: {}}\ngenerators: [{to: [h1]}]",
        "generators[0].to: chooses hosts of a target by url or servers of a cluster, and 'mysql' "
        "is neither; remove it",
    ),
    (
        URL + "factors: {n: {sets: generators.count, levels: [1, 2]}}\ngenerators: [{}, {}]",
        "generators[1]: is there although a factor varies generators.count; keep one entry",
    ),
    (
        URL + "factors: {n: {sets: generators.count, levels: [1, 2]}}\ngenerators: [{count: 3}]",
        "factors.n: varies generators.count, which is fixed in generators; remove one of the two",
    ),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES)
def test_what_contradicts_itself_is_refused(text: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        plans(tmp_path, text)
    assert expected in str(caught.value)


def test_a_generator_may_have_hosts_of_its_own(tmp_path: Path) -> None:
    text = f"{URL}load: {{clients: 8}}\ngenerators: [{{to: [h1]}}, {{to: ['h2:3307']}}]"
    assert [part.to for part in plans(tmp_path, text)[0].generators] == [("h1",), ("h2:3307",)]
