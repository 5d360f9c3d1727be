"""What the five reports say, and where their experiment files have it.

``experiments/published/facts`` has a table for each report: what it says, the place in the file
where that stands, and the value there. ``why_other`` says why a value is not the report's. Places:

::

    procedure.duration            a field of the experiment file
    header                        words in its comments
    FILE#NAME                     an option in an option file
    FILE#text                     words in a file
    FILE#count:PATH               how many there are, in another YAML file
    FILE#PATH|KEY                 there, a key with dots in it
    PATH#hosts, PATH#hosts:9      the machines of a role, and how many of 9 servers each has
    PATH#to                       generators, each with the machines that its clients connect to
    PATH#a,b                      fields of one mapping
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dbdyno.experiment.file.cluster import ClusterTarget, Members
from dbdyno.experiment.file.read import read_experiment

PUBLISHED = Path(__file__).parents[3] / "experiments" / "published"
TABLES = sorted((PUBLISHED / "facts").glob("*.csv"))
FACTS = [
    pytest.param(table.stem, fact, id=f"{table.stem}: {number} {fact['what']}")
    for table in TABLES
    for number, fact in enumerate(csv.DictReader(table.open(encoding="utf-8")), start=2)
]


def of(name: str) -> Path:
    return PUBLISHED / f"{name}.yaml"


@cache
def document(file: Path) -> Any:
    return YAML(typ="safe").load(file)


def at(tree: Any, path: str) -> Any:
    for key in path.split("."):
        tree = tree[int(key)] if isinstance(tree, list) else tree[key]
    return tree


def plainly(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(plainly, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {plainly(each)}" for key, each in value.items())
    return str(value)


def options(file: Path) -> set[tuple[str, str]]:
    lines = (line.partition("=") for line in file.read_text().splitlines() if line[:1].isalpha())
    return {(name.strip(), value.strip().strip("\"'")) for name, _, value in lines}


def group(name: str, path: str) -> Members:
    _, target, _, _, role = path.split(".")
    cluster = read_experiment(of(name)).targets[target]
    assert isinstance(cluster, ClusterTarget)
    return cluster.members[role]


def without_server(host: str) -> str:
    return host.removeprefix("server")


def generators(name: str, path: str) -> str:
    entries = at(document(of(name)), path)
    return ", ".join(
        f"{without_server(entry['host'])} to "
        f"{' '.join(map(without_server, entry['to'])) if 'to' in entry else 'all'}"
        for entry in entries
    )


def in_tree(tree: Any, path: str, how: str) -> str:
    if how.startswith("count:"):
        return str(len(at(tree, how.removeprefix("count:"))))
    path, _, key = how.partition("|")
    found = at(tree, path)
    return plainly(found[key] if key else found)


def found(name: str, fact: dict[str, str]) -> str:
    """Return what stands in the place of a fact: its own value where words are looked for."""
    place, _, how = fact["where"].partition("#")
    file = PUBLISHED / place
    if place == "header" or how == "text":
        text = (of(name) if place == "header" else file).read_text()
        return fact["file"] if fact["file"] in " ".join(text.split()).replace("# ", "") else ""
    if file.suffix == ".cnf":
        return fact["file"] if (how, fact["file"]) in options(file) else "no such option"
    if file.suffix == ".yaml":
        return in_tree(document(file), place, how)
    return in_experiment(name, place, how)


def in_experiment(name: str, place: str, how: str) -> str:
    if how == "hosts":
        return ", ".join(without_server(each.host) for each in group(name, place).places)
    if how.startswith("hosts:"):
        members = group(name, place).with_fields({"count": int(how.removeprefix("hosts:"))})
        counts = Counter(without_server(each.host) for each in members.places)
        return ", ".join(f"{host} x {count}" for host, count in sorted(counts.items()))
    if how == "to":
        return generators(name, place)
    tree = at(document(of(name)), place)
    return ", ".join(plainly(tree[key]) for key in how.split(",")) if how else plainly(tree)


def says_not_told(name: str, key: str) -> bool:
    """Tell whether a line of the file with this field says that the report has nothing of it."""
    word = re.escape(key)
    form = rf"\b{word}\b.*# not told$|# not told: .*\b{word}\b|\b{word}\b.*# not told:"
    return any(re.search(form, line) for line in of(name).read_text().splitlines())


@pytest.mark.parametrize(("name", "fact"), FACTS)
def test_what_a_report_says_stands_in_its_file(name: str, fact: dict[str, str]) -> None:
    place, _, how = fact["where"].partition("#")
    if fact["file"] or not fact["why_other"]:
        assert found(name, fact) == fact["file"]
    if fact["report"] == "" and how not in ("text", "hosts") and not place.endswith(".cnf"):
        key = place.rpartition(".")[2]
        assert place == "header" or says_not_told(name, key), "not marked in its place"


@pytest.mark.parametrize("name", [table.stem for table in TABLES])
def test_each_file_has_facts_and_each_option_of_its_own_files_is_one(name: str) -> None:
    with (PUBLISHED / "facts" / f"{name}.csv").open(encoding="utf-8") as table:
        facts = list(csv.DictReader(table))
    for file in PUBLISHED.glob(f"{name}.cnf"):
        known = {(fact["where"].partition("#")[2], fact["file"]) for fact in facts}
        assert options(file) <= known


def test_all_five_reports_have_a_table() -> None:
    assert len(TABLES) == 5
    assert len(FACTS) > 300
