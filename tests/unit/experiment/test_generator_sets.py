"""Sets of generators with names, among which a factor chooses: their plans, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.design.search_plan import plan_experiment
from dbdyno.experiment.design.smoke import shrink
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.plan import Plan

HEAD = "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\n"
URL = "target: {url: 'mysql://root@h1,h2:3307/test'}\n"
CLIENTS = "load: {clients: 8}\n"
SETS = """\
generators:
  one: [{cpus: 0-3}]
  two: [{cpus: 0-1, to: [h1]}, {cpus: 2-3, to: ['h2:3307']}]
"""
CHOICE = "factors: {generators: [one, two]}\n"


def plan(directory: Path, text: str, *, smoke: bool = False) -> Plan:
    path = directory / "experiment.yaml"
    path.write_text(HEAD + text)
    return make_plan(read_experiment(path), smoke=smoke)


def test_each_cell_has_the_generators_of_its_set(tmp_path: Path) -> None:
    made = plan(tmp_path, f"{URL}{CLIENTS}{SETS}{CHOICE}")
    (factor,) = made.factors
    assert (factor.name, factor.levels, factor.sets) == ("generators", ("one", "two"), "generators")
    by_level = {trial.cell.level("generators"): trial for trial in made.trials}
    one, two = by_level["one"], by_level["two"]
    assert (one.generator_cpus, one.generator_plan.generators) == ((0, 1, 2, 3), ())
    assert one.generator_plan.workers == 4
    assert two.generator_cpus is None
    parts = two.generator_plan.generators
    assert [(part.cpus, part.to) for part in parts] == [((0, 1), ("h1",)), ((2, 3), ("h2:3307",))]


def test_the_factor_may_have_a_name_of_its_own(tmp_path: Path) -> None:
    text = f"{URL}{CLIENTS}{SETS}factors: {{makers: {{sets: generators, levels: [two, one]}}}}"
    (factor,) = plan(tmp_path, text).factors
    assert (factor.name, factor.levels, factor.sets) == ("makers", ("two", "one"), "generators")


def test_a_list_is_planned_as_the_set_that_holds_it(tmp_path: Path) -> None:
    """What a generator is asked to do does not hang on what its set is called."""
    in_set = plan(tmp_path, f"{URL}{CLIENTS}generators: {{all: [{{count: 2}}, {{}}]}}")
    in_list = plan(tmp_path, f"{URL}{CLIENTS}generators: [{{count: 2}}, {{}}]")
    assert in_set == in_list


def test_sets_stay_different_at_the_smoke_size(tmp_path: Path) -> None:
    sets = "generators: {one: [{}], four: [{count: 4}], eight: [{count: 8}]}\n"
    choice = "factors: {generators: [one, four, eight]}"
    made = plan(tmp_path, f"{URL}{CLIENTS}{sets}{choice}", smoke=True)
    counts = {
        trial.cell.level("generators"): len(trial.generator_plan.generators)
        for trial in made.trials
    }
    assert counts == {"one": 0, "four": 2, "eight": 3}


def test_each_process_has_a_client_at_the_smoke_size(tmp_path: Path) -> None:
    text = f"{URL}generators: [{{}}, {{}}, {{}}]\nfactors: {{clients: [8, 64]}}"
    made = plan(tmp_path, text, smoke=True)
    assert {trial.generator_plan.clients for trial in made.trials} == {3, 6}


SEARCH = "search: {knee: load.clients, from: 3, to: 64}\n"


def test_a_search_has_a_client_for_each_process(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(f"{HEAD}{URL}{SEARCH}generators: [{{}}, {{}}, {{}}]")
    experiment = read_experiment(path)
    for each in (experiment, shrink(experiment)):
        assert {trial.generator_plan.clients for trial in plan_experiment(each).trials} >= {3}
    with pytest.raises(ExperimentError, match=r"generators: are 4, and 3 clients are too few"):
        plan(tmp_path, f"{URL}{SEARCH}generators: [{{count: 4}}]")


HOSTS = "[{host: load1}], b: [{host: load1, python: python3.12}]"
MISTAKES = [
    (
        f"{URL}{CLIENTS}{SETS}",
        "6: generators: are several sets, and no factor chooses one of them; add it, the baseline "
        "first: factors: {generators: [one, two]}",
    ),
    (
        f"{URL}{CLIENTS}{SETS}factors: {{generators: [one, twp]}}",
        "9: factors.generators[1]: there is no set of generators 'twp'; did you mean 'two'?",
    ),
    (
        f"{URL}{CLIENTS}factors: {{generators: [one, two]}}",
        "6: factors.generators: no set of generators has a name to choose; give each set of "
        "generators a name, generators: {one: [{cpus: 0-3}], two: [{cpus: 0-1}, {cpus: 2-3}]}, "
        "and vary the name, factors: {generators: [one, two]}",
    ),
    (
        f"{URL}{CLIENTS}{SETS}factors:\n  n: {{sets: generators.count, levels: [1, 2]}}",
        "10: factors.n.sets: generators.count is varied in a list of one entry, and there are "
        "sets with names; write count in each set, and vary the name, "
        "factors: {generators: [one, two]}",
    ),
    (
        f"{URL}{CLIENTS}{SETS}"
        "factors: {generators: [one], x: {sets: generators, levels: [two]}}",
        "9: factors.x: sets generators, which the factor 'generators' sets already; remove one",
    ),
    (f"{URL}generators: {{}}", "5: generators: is empty; give at least one entry"),
    (f"{URL}generators: {{a: []}}", "5: generators.a: is empty; give at least one entry"),
    (
        f"{URL}generators: {{a: [{{cpu: 1}}]}}",
        "5: generators.a[0].cpu: unknown field; did you mean 'cpus'?",
    ),
    (f"{URL}generators: {{a: {{cpus: 1}}}}", "5: generators.a: must be a list, as in [a, b]"),
    (f"{URL}generators: {{a b: [{{}}]}}", "5: generators.a b: 'a b' is not a name; use letters"),
    (
        f"{URL}generators: {{a: [{{}}], b: [{{share: 1/2}}, {{share: 1/3}}]}}\n"
        "factors: {generators: [a, b]}",
        "5: generators.b: have the shares 1/2 + 1/3 = 5/6; they must be 1 together",
    ),
    (
        f"{URL}load: {{clients: 3}}\ngenerators: {{a: [{{}}], b: [{{count: 4}}]}}\n"
        "factors: {generators: [a, b]}",
        "6: generators.b: are 4, and 3 clients are too few for a share of 1/4; use fewer",
    ),
    (
        f"{URL}generators: {{a: [{{}}], b: [{{to: [h3]}}]}}\nfactors: {{generators: [a, b]}}",
        "5: generators.b[0].to: 'h3' is no host of the target 'mysql'; known: h1, h2:3307",
    ),
    (
        f"{URL}generators: {{a: {HOSTS}}}\nfactors: {{generators: [a, b]}}",
        "5: generators.b[0].python: is not what generators.a.0 has for the host load1, which has "
        "one agent for all generators; write the same",
    ),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES)
def test_what_contradicts_itself_is_refused(text: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        plan(tmp_path, text)
    assert f"experiment.yaml:{expected}" in str(caught.value)


TWO_URLS = """\
targets:
  old: {url: 'mysql://root@h1,h2/test'}
  new: {url: 'mysql://root@h3,h4/test'}
"""


def test_a_generator_goes_to_those_of_its_hosts_that_a_cell_has(tmp_path: Path) -> None:
    text = f"{TWO_URLS}{CLIENTS}generators: [{{to: [h1, h4]}}]\nfactors: {{target: [old, new]}}"
    made = plan(tmp_path, text)
    sent = {
        trial.target: [part.to for part in trial.generator_plan.generators] for trial in made.trials
    }
    assert sent == {"old": [("h1",)], "new": [("h4",)]}


def test_a_cell_that_has_none_of_a_generators_hosts_is_refused(tmp_path: Path) -> None:
    text = f"{TWO_URLS}{CLIENTS}generators: [{{to: [h1]}}]\nfactors: {{target: [old, new]}}"
    with pytest.raises(ExperimentError) as caught:
        plan(tmp_path, text)
    assert (
        "generators[0].to: is h1, and the cell target=new has none of them; name one of h3, h4 too"
        in str(caught.value)
    )


CLUSTER = """\
target:
  cluster:
    members:
      storage: {{mysql: {{}}}}
      compute: {{mysql: {{}}, count: {count}}}
    url: mysql://{{user}}@{url}/{{database}}
"""


def cluster(generators: str, url: str = "{compute*}", count: int = 2, factors: str = "") -> str:
    """Return an experiment on a cluster."""
    target = CLUSTER.format(url=url, count=count)
    return f"{target}{CLIENTS}generators: {generators}\nfactors: {{{factors}}}"


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("[compute-2]", ("compute-2",)),
        ("[compute]", ("compute-1", "compute-2")),
        ("[compute-2, compute]", ("compute-2", "compute-1")),
    ],
)
def test_a_generator_is_sent_to_servers_of_a_cluster(
    to: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    (trial, *_) = plan(tmp_path, cluster(f"[{{to: {to}}}]")).trials
    assert [part.to for part in trial.generator_plan.generators] == [expected]


@pytest.mark.parametrize(
    ("to", "expected"),
    [("db1", ("compute-1", "compute-3")), ("db2", ("compute-2",)), ("compute-3", ("compute-3",))],
)
def test_a_generator_is_sent_to_the_servers_of_a_machine(
    to: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    text = cluster(f"[{{to: [{to}]}}]", count=3)
    text = text.replace("count: 3", "count: 3, hosts: [db1, db2], after: storage")
    text = text.replace("storage: {mysql: {}}", "storage: {mysql: {}, hosts: [db3]}")
    (trial, *_) = plan(tmp_path, text).trials
    assert [part.to for part in trial.generator_plan.generators] == [expected]


def test_a_generator_goes_to_those_of_its_servers_that_a_cell_has(tmp_path: Path) -> None:
    counts = "n: {sets: members.compute.count, levels: [1, 3]}"
    made = plan(tmp_path, cluster("[{to: [compute-1, compute-3]}]", factors=counts))
    sent = {
        trial.cell.level("n"): [part.to for part in trial.generator_plan.generators]
        for trial in made.trials
    }
    assert sent == {"1": [("compute-1",)], "3": [("compute-1", "compute-3")]}


COUNTS = "n: {sets: members.compute.count, levels: [1, 2]}"
WRONG_SERVERS = [
    (
        cluster("[{to: [compute-3]}]"),
        "'compute-3' is no server of the target 'cluster'; known: compute, compute-1, compute-2",
    ),
    (
        cluster("[{to: [compute-3]}]", factors=COUNTS),
        "'compute-3' is no server of the target 'cluster'; known: compute, compute-1, compute-2",
    ),
    (
        cluster("[{to: [compute-2]}]", factors=COUNTS),
        "is compute-2, and the cell n=1 has none of them; name one of compute, compute-1 too",
    ),
    (
        cluster("[{to: [storage-1]}]"),
        "'storage-1' is none of those that clients of the target 'cluster' connect to; write "
        "{storage*} in its url, which is mysql://{user}@{compute*}/{database}",
    ),
    (
        cluster("[{to: [compute-2]}]", url="{compute}"),
        "'compute-2' is none of those that clients of the target 'cluster' connect to; write "
        "{compute*} in its url, which is mysql://{user}@{compute}/{database}",
    ),
]


@pytest.mark.parametrize(("text", "expected"), WRONG_SERVERS)
def test_servers_that_a_cluster_does_not_have_are_refused(
    text: str, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(ExperimentError) as caught:
        plan(tmp_path, text)
    assert f"experiment.yaml:11: generators[0].to: {expected}" in str(caught.value)


def test_a_generator_elsewhere_does_not_reach_a_network_of_this_machine(tmp_path: Path) -> None:
    cluster = "{network: own, members: {db: {mysql: {}}}, url: 'mysql://{user}@{db}/{database}'}"
    text = f"target: {{cluster: {cluster}}}\n{CLIENTS}generators: [{{}}, {{host: load1}}]\n"
    message = r"generators\[1\]\.host: the servers of target cluster have networks that this"
    with pytest.raises(ExperimentError, match=message):
        plan(tmp_path, text)
