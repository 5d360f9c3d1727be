"""Marks of processes: what they tell apart, and that nothing else is ever ended."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from dbdyno.processes import ProcessMark, end_process, is_alive, mark, marks

SHELL_WITH_CHILD = "sleep 300 & echo $!; wait"


@pytest.fixture
def sleeping() -> Iterator[subprocess.Popen[str]]:
    """Return a process that leads a group, and has started another one."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", SHELL_WITH_CHILD],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    yield process
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def mark_of(process: subprocess.Popen[str]) -> ProcessMark:
    found = mark(process.pid)
    assert found is not None
    return found


def test_a_process_is_ended_with_its_group(sleeping: subprocess.Popen[str]) -> None:
    assert sleeping.stdout is not None
    child = mark(int(sleeping.stdout.readline()))
    assert child is not None
    assert end_process(mark_of(sleeping))
    assert sleeping.wait() == -9
    assert not is_alive(child)


@pytest.mark.parametrize("change", [{"start_ticks": 1}, {"boot_id": "of an earlier start"}])
def test_another_process_with_the_same_number_is_left_alone(
    sleeping: subprocess.Popen[str], change: dict[str, int | str]
) -> None:
    other = replace(mark_of(sleeping), **change)  # type: ignore[arg-type]
    assert not is_alive(other)
    assert not end_process(other)
    assert sleeping.poll() is None


def test_one_that_has_ended_is_not_there(sleeping: subprocess.Popen[str]) -> None:
    process = mark_of(sleeping)
    sleeping.kill()
    # Nobody has waited for it yet: its number is still taken.
    while is_alive(process):
        pass
    assert marks([sleeping.pid]) == ()
    assert not end_process(process)
    sleeping.wait()
    assert not end_process(process)


def test_a_program_may_have_any_name(tmp_path_factory: pytest.TempPathFactory) -> None:
    program = tmp_path_factory.mktemp("p") / "a) S 1 (b"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([program, "300"]) as process:
        found = mark(process.pid)
        assert found is not None
        assert end_process(found)
