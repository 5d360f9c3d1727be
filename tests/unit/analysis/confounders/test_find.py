"""What differs between compared cells besides the factor: each aspect, found and not found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.confounders.find import find_confounders
from dbdyno.analysis.confounders.meaning import MEANINGS
from dbdyno.analysis.confounders.model import NONE, Aspect, Confounder
from dbdyno.experiment.plan import FactorLevels
from tests.unit.analysis.validity_table_cases import ORDERS, schema
from tests.unit.store.result_builder import TrialScript, build_result, make_plan

POOL = FactorLevels("pool", ("16M", "64M"), "server.innodb_buffer_pool_size")

Change = Callable[[TrialScript], None]


def server(**facts: object) -> Change:
    return lambda script: script.server.update(facts)


def limits(**facts: object) -> Change:
    """A control group that was looked at; what is not given is not limited."""
    names = ("control_group_cpu_limit_cores", "control_group_memory_limit_bytes")
    return server(control_group={**dict.fromkeys(names, "none"), **facts})


def bound(cpus: list[int]) -> Change:
    def change(script: TrialScript) -> None:
        limits()(script)
        script.server["cpus"] = cpus

    return change


def dataset(**facts: object) -> Change:
    return lambda script: script.dataset.update(facts)


def generator(**fields: object) -> Change:
    return lambda script: script.generator_plan.update(fields)


def reached(parameters: str, base: str = "mysql://root@db.example:3306/dbdyno") -> Change:
    return generator(url=f"{base}{parameters}")


def isolated(level: str) -> Change:
    def change(script: TrialScript) -> None:
        script.events[0]["session"] = {"isolation": level, "autocommit": True}

    return change


def answered_by(version: str) -> Change:
    def change(script: TrialScript) -> None:
        script.events[0]["server_version"] = version

    return change


def placed(**facts: object) -> Change:
    return server(data_file_system={"total_bytes": 1, "free_bytes": id(facts), **facts})


def shared_by(count: int) -> Change:
    parts = [
        {"share": {"index": n, "begin": 4 * n, "end": 4 * n + 4, "of": 4 * count}, "workers": 1}
        for n in range(count)
    ]
    return generator(generators=parts if count > 1 else [])


CUSTOMERS = {"tables": ["customers"], "columns": ["id int", "name varchar(20)"]}

FOUND: Mapping[Aspect, tuple[Change, Change, tuple[str, str]]] = {
    Aspect.PRODUCT: (server(product="MariaDB"), server(product="MySQL"), ("MariaDB", "MySQL")),
    Aspect.VERSION: (server(version="8.4.0"), server(version="8.4.6"), ("8.4.0", "8.4.6")),
    Aspect.BUILD: (server(build="debug"), server(build="release"), ("debug", "release")),
    Aspect.FRONT: (
        answered_by("5.6.0-Sharding-Proxy 3.1.0"),
        answered_by("10.11.19-MariaDB"),
        ("5.6.0-Sharding-Proxy 3.1.0", "10.11.19-MariaDB"),
    ),
    Aspect.DURABILITY: (
        server(durability="flushed each second"),
        server(durability="none: never flushed"),
        ("flushed each second", "none: never flushed"),
    ),
    Aspect.ISOLATION: (
        isolated("read-committed"),
        isolated("repeatable-read"),
        ("read-committed", "repeatable-read"),
    ),
    Aspect.COLLATION: (
        server(collation="utf8mb4_bin"),
        server(collation="utf8mb4_0900_ai_ci"),
        ("utf8mb4_bin", "utf8mb4_0900_ai_ci"),
    ),
    Aspect.TRANSPORT: (
        reached("?socket=/tmp/a.sock"),
        reached("?ssl_mode=required"),
        ("socket", "TLS (required)"),
    ),
    Aspect.PROTOCOL: (generator(protocol="text"), generator(protocol="multi"), ("text", "multi")),
    Aspect.DRIVER: (
        reached("?load_balance=random&ssl_mode=disabled"),
        reached(""),
        ("load_balance=random", NONE),
    ),
    Aspect.DATASET: (
        dataset(fingerprint="sysbench tables=4 table_size=1000 seed=1"),
        dataset(fingerprint="sysbench tables=4 table_size=9000 seed=1"),
        ("table_size=1000", "table_size=9000"),
    ),
    Aspect.KEYS: (
        schema(ORDERS, CUSTOMERS),
        schema(ORDERS | {"keys": ["primary key (id)"]}, CUSTOMERS),
        ("old_orders, orders: unique index (customer, id)", NONE),
    ),
    Aspect.COLUMNS: (
        schema(ORDERS, CUSTOMERS | {"columns": ["id int", "name char(20)"]}),
        schema(ORDERS, CUSTOMERS),
        ("customers: name char(20)", "customers: name varchar(20)"),
    ),
    Aspect.STORAGE: (
        schema(ORDERS | {"tables": ["a", "b", "c", "d"]}),
        schema(ORDERS | {"tables": ["a", "b", "c", "d"], "storage": "InnoDB compressed"}),
        (
            "a, b, c, \N{HORIZONTAL ELLIPSIS}: InnoDB dynamic",
            "a, b, c, \N{HORIZONTAL ELLIPSIS}: InnoDB compressed",
        ),
    ),
    Aspect.START: (dataset(start="snapshot"), dataset(start="continue"), ("snapshot", "continue")),
    Aspect.CACHES: (
        dataset(caches={"condition": "cold"}),
        dataset(caches={"condition": "warm"}),
        ("cold", "warm"),
    ),
    Aspect.CPUS: (bound([0, 1]), bound([]), ("0, 1", NONE)),
    Aspect.CPU_LIMIT: (
        limits(control_group_cpu_limit_cores=1.5),
        limits(),
        ("1.5", NONE),
    ),
    Aspect.MEMORY_LIMIT: (
        limits(control_group_memory_limit_bytes=1 << 29),
        limits(),
        ("536870912", NONE),
    ),
    Aspect.FILE_SYSTEM: (
        placed(type="ext4", disks="nvme0n1", mount_options="rw,relatime"),
        placed(type="ext4", disks="sda", mount_options="rw,relatime"),
        ("ext4 nvme0n1 rw,relatime", "ext4 sda rw,relatime"),
    ),
    Aspect.GENERATORS: (shared_by(2), shared_by(1), ("2", "1")),
}
"""What makes two cells differ in an aspect, and what is then told of both."""

NOT_FOUND: Mapping[str, tuple[Change, Change]] = {
    "options of the driver in another order": (
        reached("?load_balance=random&protocol=text"),
        reached("?protocol=text&load_balance=random"),
    ),
    "the same": (server(), server()),
    "a version that one does not tell": (server(version=None), server()),
    "durability that one does not tell": (server(durability="unknown"), server()),
    "sockets in other places": (reached("?socket=/a"), reached("?socket=/b")),
    "other ports": (
        reached("", "mysql://root@127.0.0.1:3307/d"),
        reached("", "mysql://root@127.0.0.1:3308/d"),
    ),
    "two names of one mode of TLS": (
        reached("?sslmode=verify-full"),
        reached("?ssl-mode=VERIFY_IDENTITY"),
    ),
    "how a password is sent": (reached("?get_server_public_key=true"), reached("")),
    "TLS that is off": (reached("?ssl_mode=disabled"), reached("")),
    "a server in the generator's process": (reached("", "sqlite:///a.db"), reached("")),
    "CPUs of a server that nobody looked at": (server(cpus=[0, 1]), server()),
    "limits of a server that nobody looked at": (
        limits(control_group_cpu_limit_cores=1.5, control_group_memory_limit_bytes=1 << 29),
        server(control_group={}),
    ),
    "other free space": (placed(type="ext4", free_bytes=1), placed(type="ext4", free_bytes=2)),
    "a schema that is not known": (schema(reason="no right to it"), schema(ORDERS)),
    "a file system that is not known": (placed(), placed(type="ext4")),
}  # fmt: skip
"""Two cells that no aspect tells apart."""


def confounders(
    directory: Path, own: Change, baseline: Change, factor: FactorLevels = POOL
) -> tuple[Confounder, ...]:
    def change(script: TrialScript) -> None:
        is_baseline = script.planned.cell.level(factor.name) == factor.baseline_level
        (baseline if is_baseline else own)(script)

    return analyse(build_result(directory / "r", make_plan([factor]), change)).confounders


def test_each_aspect_has_a_case() -> None:
    # That of the host is below: it stands in no trial. Unlike products have tests of their own.
    assert set(FOUND) | {Aspect.HOST} | set(MEANINGS) == set(Aspect)


def test_another_host_is_found_and_another_start_of_it_is_not(tmp_path: Path) -> None:
    result = build_result(tmp_path / "r", make_plan([POOL], rounds=1))
    rounds_of = {each.planned.cell: {1: each} for each in result.trials}
    one = {"boot_id": "a", "cpu_count": 2, "kernel": "6.1"}
    assert find_confounders([POOL], rounds_of, {1: one, 2: one | {"boot_id": "b"}}) == ()
    (found,) = find_confounders([POOL], rounds_of, {1: one, 2: one | {"cpu_count": 8}})
    assert (found.aspect, found.value, found.baseline_value) == (
        Aspect.HOST,
        "cpu_count=8",
        "cpu_count=2",
    )


@pytest.mark.parametrize("aspect", FOUND)
def test_an_aspect_that_differs_is_found(tmp_path: Path, aspect: Aspect) -> None:
    own, baseline, values = FOUND[aspect]
    (found,) = confounders(tmp_path, own, baseline)
    assert found == Confounder(
        "pool",
        aspect,
        *values,
        comparisons=1,
        compared=1,
        is_expected=aspect is Aspect.DURABILITY,
    )


@pytest.mark.parametrize("aspect", FOUND)
def test_an_aspect_that_is_the_same_is_not_found(tmp_path: Path, aspect: Aspect) -> None:
    own, *_ = FOUND[aspect]
    assert confounders(tmp_path, own, own) == ()


@pytest.mark.parametrize("name", NOT_FOUND)
def test_what_is_no_difference_or_not_known_is_not_found(tmp_path: Path, name: str) -> None:
    assert confounders(tmp_path, *NOT_FOUND[name]) == ()


def test_the_comparisons_in_which_an_aspect_differs_are_counted(tmp_path: Path) -> None:
    factor = FactorLevels("pool", ("16M", "64M", "1G"), POOL.sets)

    def change(script: TrialScript) -> None:
        if script.planned.cell.level("pool") == "1G" and script.planned.round > 1:
            script.server["version"] = "10.11.15"

    result = build_result(tmp_path / "r", make_plan([factor]), change)
    (found,) = analyse(result).confounders
    assert (found.aspect, found.comparisons, found.compared) == (Aspect.VERSION, 1, 2)
    assert (found.value, found.baseline_value) == ("10.11.15", "10.11.14")


def test_each_factor_has_its_own(tmp_path: Path) -> None:
    protocol = FactorLevels("protocol", ("prepared", "text"), "load.protocol")

    def change(script: TrialScript) -> None:
        script.generator_plan["protocol"] = script.planned.cell.level("protocol")

    result = build_result(tmp_path / "r", make_plan([POOL, protocol]), change)
    (found,) = analyse(result).confounders
    assert (found.factor, found.aspect, found.is_expected) == ("protocol", Aspect.PROTOCOL, True)
