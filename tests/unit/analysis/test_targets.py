"""What is known of a target over all of its trials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.targets import CHARACTERS_MAX, VALUES_MAX, TargetFacts
from dbdyno.report.words.targets import target_rows
from tests.unit.store.result_builder import TrialScript, build_result, make_plan


def facts_of(directory: Path, *servers: dict[str, Any]) -> TargetFacts:
    """Return what is known of a target whose trials had these servers, in their order."""
    told = iter(servers)

    def tell(script: TrialScript) -> None:
        script.server |= next(told)

    (target,) = analyse(build_result(directory, make_plan(rounds=len(servers)), tell)).targets
    return target


def member(number: int, role: str, words: str) -> dict[str, str]:
    return {"name": f"{role}-{number}", "role": role, "words": words}


def test_a_fact_that_a_factor_varies_has_all_of_its_values(tmp_path: Path) -> None:
    old = {"version": "5.1.4", "character_set": "utf8mb4", "command_output": "version: v5.1.4"}
    new = {"version": "6.0.0", "character_set": "utf8mb4", "command_output": "version: v6.0.0"}
    target = facts_of(tmp_path / "r", old, new, old)
    assert target["version"] == ("5.1.4", "6.0.0")
    assert target["command_output"] == ("version: v5.1.4", "version: v6.0.0")
    assert target["character_set"] == "utf8mb4"


def test_a_fact_that_changes_with_each_trial_is_left_out(tmp_path: Path) -> None:
    outputs = [{"command_output": f"up {number} s"} for number in range(VALUES_MAX + 1)]
    target = facts_of(tmp_path / "r", *outputs)
    assert "command_output" not in target
    assert target["version"] == "10.11.14"


def test_servers_of_a_role_say_the_same_once_whatever_their_number(tmp_path: Path) -> None:
    nodes = [member(number, "node", "MariaDB 10.11") for number in (1, 2, 3)]
    others = [member(1, "balancer", "HAProxy 2.6"), member(1, "silent", "")]
    target = facts_of(tmp_path / "r", {"members": nodes + others}, {"members": nodes[:1] + others})
    assert target["role node"] == ("MariaDB 10.11",)
    assert target["role balancer"] == ("HAProxy 2.6",)
    assert "role silent" not in target


def test_servers_of_a_role_that_are_not_alike_are_told_apart(tmp_path: Path) -> None:
    nodes = [member(1, "node", "MariaDB 10.11"), member(2, "node", "MariaDB 11.4")]
    target = facts_of(tmp_path / "r", {"members": nodes})
    assert target["role node"] == ("MariaDB 10.11", "MariaDB 11.4")


def test_of_many_words_the_beginning_is_told(tmp_path: Path) -> None:
    lines = [f" line {number} " for number in range(9)]
    target = facts_of(tmp_path / "r", {"command_output": "\n\n".join(lines)})
    assert target["command_output"] == "line 0; line 1; line 2; line 3 …"
    target = facts_of(tmp_path / "long", {"command_output": "x" * 2 * CHARACTERS_MAX})
    assert target["command_output"] == "x" * CHARACTERS_MAX + " …"


def test_the_way_in_and_the_cpus_of_a_server_are_told(tmp_path: Path) -> None:
    def tell(script: TrialScript) -> None:
        script.server["cpus"] = [0, 1]
        script.generator_plan["url"] = "mysql://root@localhost/db?socket=/run/a.sock"

    (target,) = analyse(build_result(tmp_path / "r", make_plan(), tell)).targets
    rows = dict(target_rows(target))
    assert (rows["clients connect by"], rows["CPUs that it is bound to"]) == ("socket", "0, 1")
