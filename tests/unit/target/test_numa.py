"""NUMA nodes of a machine that has two, as the kernel shows them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.target.local.numa import bound_cpus


@pytest.fixture
def nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of two nodes, one without memory, and one with a CPU that is not ours."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 3})
    for path, text in {
        "online": "0-3",
        "has_memory": "0-1,3",
        "node0/cpulist": "0-1",
        "node1/cpulist": "2-3",
        "node2/cpulist": "4",
        "node3/cpulist": "5",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(f"{text}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("numa", "cpus", "bound"),
    [
        ((), (0, 3), (0, 3)),
        ((0,), (), (0, 1)),
        ((1,), (), (3,)),
        ((0, 1), (), (0, 1, 3)),
        ((0,), (1,), (1,)),
    ],
)
def test_a_node_brings_its_cpus(
    nodes: Path, numa: tuple[int, ...], cpus: tuple[int, ...], bound: tuple[int, ...]
) -> None:
    assert bound_cpus(numa, cpus, nodes) == bound


@pytest.mark.parametrize(
    ("numa", "cpus", "message"),
    [
        ((0, 4, 5), (), "this machine has the NUMA nodes 0, 1, 2, 3, and not 4, 5"),
        ((2,), (), "NUMA node 2 has no memory; name one that has"),
        (
            (3,),
            (),
            "dbdyno may use no CPU of NUMA node 3, which has 5; name another node",
        ),
        (
            (0,),
            (1, 3),
            "NUMA node 0 has the CPUs 0, 1, and cpus names 3 besides; keep cpus to those of the "
            "node, or remove one of the two",
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    nodes: Path, numa: tuple[int, ...], cpus: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        bound_cpus(numa, cpus, nodes)
    assert str(refused.value) == f"numa: {message}"


def test_a_kernel_that_knows_no_nodes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this machine does not tell its NUMA nodes; remove numa"):
        bound_cpus((0,), (), tmp_path)
