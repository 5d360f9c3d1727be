"""Settings that follow a factor: their values at its levels, and what cannot be worked out."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.differences import setting_differences
from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import FactorLevels, FollowingSetting
from tests.unit.store.result_builder import build_result
from tests.unit.store.result_builder import make_plan as simulated_plan

FILE = """\
experiment: seventy
question: Does memory help?
workload: {{sysbench: {{script: oltp_read_write}}}}
targets:
  maria: {{mysql: {{set: {{innodb_buffer_pool_size: '{formula}'}}}}}}
  post: {{postgresql: {{set: {{shared_buffers: '{formula}'}}}}}}
factors:
  target: [maria, post]
  {factor}
"""
MEMORY = "memory: {sets: limits.memory, levels: [1G, 512M]}"
CLIENTS = "clients: [64, 8]"


def experiment(directory: Path, formula: str, factor: str = MEMORY) -> Experiment:
    path = directory / "experiment.yaml"
    path.write_text(FILE.format(formula=formula, factor=factor))
    return read_experiment(path)


@pytest.mark.parametrize(
    ("formula", "factor", "values", "of_postgresql"),
    [
        ("{memory} * 0.7", MEMORY, ("716M", "358M"), ("716MB", "358MB")),
        ("0.7 * {memory}", MEMORY, ("716M", "358M"), ("716MB", "358MB")),
        ("{memory} * 25%", MEMORY, ("256M", "128M"), ("256MB", "128MB")),
        ("{memory} - 256M", MEMORY, ("768M", "256M"), ("768MB", "256MB")),
        ("({memory} - 256MiB) / 2", MEMORY, ("384M", "128M"), ("384MB", "128MB")),
        ("{limits.memory} / 256M", MEMORY, ("4", "2"), ("4", "2")),
        (
            "{memory} / 2",
            "memory: {sets: limits.memory, levels: [1073741824, 536870912]}",
            ("512M", "256M"),
            ("512MB", "256MB"),
        ),
        ("{clients} + 10", CLIENTS, ("74", "18"), ("74", "18")),
        ("{clients} * 4M", CLIENTS, ("256M", "32768K"), ("256MB", "32768kB")),
        (
            "{pool} / 4",
            "pool: {sets: server.tmp_table_size, levels: [400M, 80M]}",
            ("100M", "20480K"),
            ("100MB", "20480kB"),
        ),
    ],
)
def test_a_setting_has_the_value_of_each_level(
    tmp_path: Path,
    formula: str,
    factor: str,
    values: tuple[str, str],
    of_postgresql: tuple[str, str],
) -> None:
    plan = make_plan(experiment(tmp_path, formula, factor))
    followed = plan.factors[1]
    assert followed.follows == (
        FollowingSetting("maria", "innodb_buffer_pool_size", values),
        FollowingSetting("post", "shared_buffers", of_postgresql),
    )
    for trial in plan.trials:
        place = followed.levels.index(trial.cell.level(followed.name))
        of_target = values if trial.target == "maria" else of_postgresql
        assert of_target[place] in trial.setup.server.settings.values()


@pytest.mark.parametrize(
    ("formula", "factor", "message"),
    [
        ("{memry} * 2", MEMORY, "follows 'memry', which is no factor; did you mean 'memory'?"),
        ("{memory} * {target}", MEMORY, "follows memory and target; a setting may follow one"),
        ("{target} * 2", MEMORY, "cannot be worked out at the level maria"),
        ("{memory} - 1", MEMORY, "a size and a number without a unit cannot be added"),
        ("{memory} * {memory}", MEMORY, "bytes to the power of 2 at the level 1G"),
        ("{memory} - 600M", MEMORY, "is -92274688 at the level 512M, which is no setting"),
        ("{memory} / 0", MEMORY, "cannot be worked out at the level 1G"),
        ("{memory} ** 9", MEMORY, "cannot be worked out at the level 1G"),
        ("half of {memory}", MEMORY, "cannot be worked out at the level 1G"),
        ("{clients} / x", CLIENTS, "'x' is no number"),
    ],
)
def test_what_cannot_be_worked_out_is_told_with_its_line(
    tmp_path: Path, formula: str, factor: str, message: str
) -> None:
    with pytest.raises(ExperimentError) as caught:
        experiment(tmp_path, formula, factor)
    assert f"{tmp_path}/experiment.yaml:5: targets.maria.mysql.set.innodb" in str(caught.value)
    assert message in str(caught.value)


def test_what_follows_a_factor_is_no_difference_besides_it(tmp_path: Path) -> None:
    def differing(follows: tuple[FollowingSetting, ...]) -> list[str]:
        memory = FactorLevels("memory", ("1G", "512M"), "limits.memory", follows=follows)
        result = build_result(
            tmp_path / str(len(follows)),
            simulated_plan([memory], rounds=1),
            lambda script: script.server["settings"].update(
                innodb_buffer_pool_size=script.planned.cell.level("memory")
            ),
        )
        rounds_of = {trial.planned.cell: {1: trial} for trial in result.trials}
        return [name for name, *_ in setting_differences([memory], rounds_of)[0]]

    assert differing(()) == ["innodb_buffer_pool_size"]
    following = FollowingSetting("server", "innodb-buffer-pool-size", ("716M", "358M"))
    assert differing((following,)) == []
