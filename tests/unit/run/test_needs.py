"""What an experiment needs of machines, from its file alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.cli.needs import about_bytes, describe_needs
from dbdyno.experiment.design.search_plan import plan_experiment
from dbdyno.experiment.file.read import read_experiment
from dbdyno.run.needs import Needs, needs_of, tables_here_bytes

HEAD = "experiment: e\nquestion: Which?\n"
SYSBENCH = "workload: {sysbench: {tables: 2, table_size: 10_000}}\n"
GIB = 2**30
CLUSTER = """\
target:
  cluster:
    members:
      db: {mysql: {set: {innodb_buffer_pool_size: 1G}}, count: 3%s}
    url: mysql://u@{db*}/x
"""


def needs(text: str, directory: Path) -> Needs:
    path = directory / "experiment.yaml"
    path.write_text(HEAD + text)
    experiment = read_experiment(path)
    return needs_of(experiment, plan_experiment(experiment).trials)


@pytest.mark.parametrize(
    ("workload", "published_bytes"),
    [
        ("{tpcc: {schema: benchmarksql, warehouses: 2000}}", 182e9),
        ("{sysbench: {tables: 64, table_size: 12_500_000}}", 191e9),
        # 108.5 GiB with texts of Terark's widths; with those of tpcc-mysql it is a fifth less.
        ("{tpcc: {schema: tpcc-mysql, warehouses: 1000, wide_texts: true}}", 108.5 * GIB),
    ],
)
def test_tables_are_about_as_large_as_in_published_tests(
    workload: str, published_bytes: float, tmp_path: Path
) -> None:
    found = needs(f"workload: {workload}\ntarget: {{mysql: {{}}}}\n", tmp_path)
    ((dataset),) = found.datasets
    assert dataset.data_bytes == pytest.approx(published_bytes, rel=0.1)


@pytest.mark.parametrize(
    ("options", "is_compressed"),
    [
        ("ENGINE=InnoDB ROW_FORMAT=COMPRESSED", True),
        ("ENGINE=ROCKSDB", True),
        ("ENGINE=InnoDB", False),
        ("", False),
    ],
)
def test_a_size_that_compression_makes_smaller_says_so(
    options: str, is_compressed: bool, tmp_path: Path
) -> None:
    text = f'workload: {{tpcc: {{table_options: "{options}"}}}}\ntarget: {{mysql: {{}}}}\n'
    words = describe_needs(needs(text, tmp_path), machine_memory_bytes=GIB)
    assert ("before compression" in words) == is_compressed


def test_a_range_of_warehouses_takes_what_it_has(tmp_path: Path) -> None:
    whole, part = (
        needs(f"workload: {{tpcc: {{warehouses: 100{more}}}}}\ntarget: {{mysql: {{}}}}\n", tmp_path)
        for more in ("", ", load_range: [1, 10]")
    )
    assert whole.datasets[0].data_bytes > 9 * part.datasets[0].data_bytes


def test_disk_has_a_snapshot_of_each_dataset_and_a_copy_of_one(tmp_path: Path) -> None:
    text = (
        "workload: {sysbench: {}}\ntargets: {a: {mysql: {}}, b: {mysql: {}}}\n"
        "factors: {target: [a, b], rows: {sets: workload.table_size, levels: [1000, 4000]}}\n"
    )
    found = needs(text, tmp_path)
    sizes = [each.data_bytes for each in found.datasets]
    assert len(sizes) == 4
    assert found.tables_bytes == sum(sizes) + max(sizes)
    assert found.disk_bytes == found.tables_bytes + found.result_bytes
    words = describe_needs(found, machine_memory_bytes=GIB)
    assert "(tables: 245 kB for a, 980 kB for a, 245 kB for b, 980 kB for b; with" in words
    reloaded = needs(text + "procedure: {start: reload}\n", tmp_path)
    assert reloaded.tables_bytes == max(sizes)


def test_tables_of_a_server_that_is_up_take_no_disk_here(tmp_path: Path) -> None:
    found = needs(f"{SYSBENCH}target: {{url: 'mysql://root@h1/test'}}\n", tmp_path)
    assert found.tables_bytes == 0
    assert found.datasets[0].data_bytes > 0
    assert "of tables where the servers are" in describe_needs(found, machine_memory_bytes=GIB)


def test_a_result_grows_with_intervals_and_kinds_of_transactions(tmp_path: Path) -> None:
    target = "target: {mysql: {}}\nprocedure: {warmup: 0s, rounds: 1, duration: %s}\n"
    short, long = (needs(SYSBENCH + target % each, tmp_path) for each in ("10s", "100s"))
    tpcc = needs("workload: {tpcc: {}}\n" + target % "100s", tmp_path)
    assert long.result_bytes - short.result_bytes == 90 * 2000
    assert tpcc.result_bytes - long.result_bytes == 100 * 4 * 2000


def test_memory_is_that_of_the_largest_cell(tmp_path: Path) -> None:
    factor = "{sets: server.innodb_buffer_pool_size, levels: [128G, 256G, 64G]}"
    found = needs(
        f"{SYSBENCH}target: {{mysql: {{set: {{key_buffer_size: 1G}}}}}}\n"
        f"factors: {{pool: {factor}}}\n",
        tmp_path,
    )
    assert found.memory_bytes == {"": 257 * GIB}
    assert found.memory_cell == "pool=256G"
    words = describe_needs(found, machine_memory_bytes=128 * GIB)
    assert (
        "257.00 GiB of memory for the servers (at pool=256G; more than the 128.00 GiB of this "
        "machine)"
    ) in words
    enough = describe_needs(found, machine_memory_bytes=512 * GIB)
    assert "(at pool=256G; this machine has 512.00 GiB)" in enough


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("{mysql: {limits: {memory: 2G}, set: {innodb_buffer_pool_size: 1G}}}", {"": 2 * GIB}),
        ("{postgresql: {set: {shared_buffers: 16384}}}", {"": GIB // 8}),
        ("{postgresql: {set: {shared_buffers: 2GB}}}", {"": 2 * GIB}),
        ("{mysql: {set: {innodb_buffer_pool_size: 1073741824}}}", {"": GIB}),
        ("{mysql: {}}", {}),
        ("{sqlite: {}}", {}),
    ],
)
def test_memory_is_what_a_limit_or_the_buffers_give(
    target: str, expected: dict[str, int], tmp_path: Path
) -> None:
    assert needs(f"{SYSBENCH}target: {target}\n", tmp_path).memory_bytes == expected


def test_memory_of_a_cluster_is_told_by_host(tmp_path: Path) -> None:
    here = needs(SYSBENCH + CLUSTER % "", tmp_path)
    assert here.memory_bytes == {"": 3 * GIB}
    apart = needs(SYSBENCH + CLUSTER % ", hosts: [db1, db2, db2]", tmp_path)
    assert apart.memory_bytes == {"db1": GIB, "db2": 2 * GIB}
    assert apart.tables_bytes == 0


def test_connections_are_those_of_the_most_clients_and_of_one_server(tmp_path: Path) -> None:
    found = needs(
        f"{SYSBENCH}target: {{url: 'mysql://root@h1,h2/test'}}\nfactors: {{clients: [9, 31]}}\n",
        tmp_path,
    )
    assert (found.connections, found.connections_of_server) == (31, 16)
    assert "31 connections, 16 to one server" in describe_needs(found, machine_memory_bytes=GIB)
    search = needs(
        f"{SYSBENCH}target: {{url: 'mysql://root@h1,h2/test'}}\n"
        "search: {knee: load.clients, to: 512}\n",
        tmp_path,
    )
    assert (search.connections, search.connections_of_server) == (512, 256)


def test_generators_are_counted_with_their_hosts_and_cpus(tmp_path: Path) -> None:
    found = needs(
        f"{SYSBENCH}target: {{url: 'mysql://root@h1/test'}}\nload: {{clients: 8}}\n"
        "generators: [{host: load1, cpus: 0-3, count: 2}, {cpus: 0-1}]\n",
        tmp_path,
    )
    assert (found.generators, found.hosts, found.cpus) == (3, ("load1",), (0, 1))
    words = describe_needs(found, machine_memory_bytes=GIB)
    assert words.endswith("3 generators with 6 workers in all")


def test_many_sets_of_tables_are_counted_and_equal_ones_together(tmp_path: Path) -> None:
    def words(levels: str) -> str:
        text = f"rows: {{sets: workload.table_size, levels: [{levels}]}}"
        found = needs(
            f"workload: {{sysbench: {{}}}}\ntarget: {{mysql: {{}}}}\nfactors: {{{text}}}\n",
            tmp_path,
        )
        return describe_needs(found, machine_memory_bytes=GIB)

    assert "(tables: 5 sets of 245 kB to 2.5 MB; with" in words("1000, 2000, 3000, 4000, 10000")
    assert "(tables: 2 × 2.5 MB for mysql; with" in words("10000, 10001")


@pytest.mark.parametrize(
    ("count", "expected"),
    [(912, "1 kB"), (3_400_000, "3.4 MB"), (182e9, "182 GB"), (1.26e12, "1.3 TB")],
)
def test_amounts_are_written_as_people_write_them(count: float, expected: str) -> None:
    assert about_bytes(count) == expected


def test_the_check_of_the_place_and_the_plan_speak_of_the_same_tables(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(f"{HEAD}{SYSBENCH}target: {{mysql: {{}}}}\n")
    experiment = read_experiment(path)
    trials = plan_experiment(experiment).trials
    assert tables_here_bytes(experiment, trials) == needs_of(experiment, trials).tables_bytes
