"""Runs in which something breaks that is not dbdyno: processes, directories, the disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.live.run.stage import LASTING, PACED, Stage

DISK_BYTES = 8 << 20


def test_a_generator_that_is_killed_costs_its_trial_alone(stage: Stage) -> None:
    running = stage.write(load=PACED, factors="clients: [1]", duration=LASTING, rounds=3).launch()
    running.wait_for_load(2)
    running.processes("dbdyno.generator")[0].kill()
    ended = running.end()
    assert ended.status == 1
    assert ended.errors == ""
    assert stage.statuses() == {1: "completed", 2: "failed", 3: "completed"}
    assert stage.trial(2)["reason"] == "the generator was ended by SIGKILL, without saying why"
    lines = ended.output.splitlines()
    assert lines[2].split() == ["2/3", "clients=1", "failed"]
    assert lines[3].strip() == "the generator was ended by SIGKILL, without saying why"
    assert "2 of 3 trials used" in ended.output
    again = stage.run()
    assert again.status == 1
    assert again.trials("trial_started") == []
    folder = stage.result / "trials" / "0002"
    assert again.output.splitlines()[-1] == (
        "failed: trial 2. A failed trial is an outcome and is kept. To run one again, remove its "
        f"folder ({folder}) and call the same again."
    )
    shutil.rmtree(folder)
    repeated = stage.run()
    assert repeated.status == 0
    assert repeated.trials("trial_started") == [2]
    assert "failed" not in repeated.output


KILLED_BEFORE_IT_LOOKS = """\
import os, signal, sys
from pathlib import Path

counter, journal = Path({counter!r}), Path({journal!r})
if "dbdyno.generator" in sys.orig_argv and '"checking"' in journal.read_text().splitlines()[-1]:
    left = int(counter.read_text())
    if left:
        counter.write_text(str(left - 1))
        os.kill(os.getpid(), signal.SIGKILL)
"""
"""Python runs this first. Who watches from outside may see a generator too late: it is quick."""


def kill_who_checks(stage: Stage, times: int) -> dict[str, str]:
    """Return the environment in which the first so many that look at the tables are killed."""
    counter, start_up = stage.directory / "kills-left", stage.directory / "start-up"
    counter.write_text(str(times))
    start_up.mkdir()
    journal = stage.result / "journal.jsonl"
    (start_up / "sitecustomize.py").write_text(
        KILLED_BEFORE_IT_LOOKS.format(counter=str(counter), journal=str(journal))
    )
    return {"PYTHONPATH": os.pathsep.join([str(start_up), *sys.path])}


@pytest.mark.parametrize(("times", "status"), [(1, "completed"), (2, "failed")])
def test_who_looks_at_the_tables_is_killed(stage: Stage, times: int, status: str) -> None:
    stage.write(load=PACED, factors="clients: [1]", rounds=2)
    ended = stage.launch(environment=kill_who_checks(stage, times)).end()
    assert ended.errors == ""
    assert (stage.directory / "kills-left").read_text() == "0"
    assert stage.statuses() == {1: status, 2: "completed"}
    assert "did not hold" not in ended.output
    assert stage.trial(1).get("reason") == (
        None
        if status == "completed"
        else "its tables could not be checked: target sqlite: the generator was ended by SIGKILL, "
        "without saying why"
    )


def test_two_runs_in_one_directory(stage: Stage) -> None:
    running = stage.write(load=PACED, factors="clients: [1]", duration=LASTING, rounds=2).launch()
    running.wait_for_load(1)
    second = Stage(stage.directory / "second")
    second.directory.mkdir()
    second.file = stage.file
    second.see(stage.result, Path("/"))
    refused = second.run()
    assert refused.status == 2
    assert refused.errors == (
        f"another dbdyno is at work in {stage.result}; wait for its end, or name another "
        "directory with --out\n"
    )
    assert running.end().status == 0
    assert stage.statuses() == {1: "completed", 2: "completed"}
    assert list((stage.result / "trials").glob("*superseded*")) == []


def test_a_directory_that_is_a_file(stage: Stage) -> None:
    stage.result.write_text("precious")
    ended = stage.run()
    assert ended.status == 2
    assert ended.errors == f"{stage.result} is no directory; name one with --out\n"
    assert stage.result.read_text() == "precious"


def test_a_directory_that_holds_something_else(stage: Stage) -> None:
    stage.result.mkdir()
    (stage.result / "notes.txt").write_text("precious")
    ended = stage.run()
    assert ended.status == 2
    assert ended.errors == f"{stage.result} exists and is not empty: name another directory\n"
    assert [path.name for path in stage.result.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("is_there", [False, True])
def test_a_directory_that_must_not_be_written(is_there: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="dbdyno-") as directory:
        stage = Stage(Path(directory)).write()
        if is_there:
            stage.result.mkdir(mode=0o555)
        # Root without its privileges, not another user: the sources may be in root's own folder.
        unprivileged = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
        Path(directory).chmod(0o555)
        try:
            ended = stage.launch(wrapper=unprivileged if os.geteuid() == 0 else ()).end()
        finally:
            Path(directory).chmod(0o755)
    refused = stage.result / "trials" if is_there else stage.result
    assert ended.status == 2
    assert (
        ended.errors == f"cannot use {stage.result} for the result: Permission denied ({refused})\n"
    )


def test_what_was_refused_before_the_first_trial_can_be_corrected(stage: Stage) -> None:
    stage.write(factors="clients: [1]", rounds=1, target="{sqlite: {set: {x: y}}}")
    assert stage.run().status == 2
    assert list(stage.result.iterdir()) == []
    (stage.result / "notes.txt").write_text("precious")
    stage.write(factors="clients: [1]", rounds=1)
    refused = stage.run()
    assert refused.status == 2
    assert "is not empty" in refused.errors
    assert (stage.result / "notes.txt").read_text() == "precious"
    (stage.result / "notes.txt").unlink()
    ended = stage.run()
    assert ended.status == 0
    assert stage.statuses() == {1: "completed"}


@contextmanager
def small_disk(mount_point: Path) -> Iterator[tuple[list[str], Path]]:
    """Mount a small file system that nobody else sees.

    Yield a command's beginning with which it does see it, and the root directory that this has.
    The file system ends with the process that holds its name space.
    """
    script = f'mount -t tmpfs -o size={DISK_BYTES} tmpfs "$1" && echo mounted && cat'
    with subprocess.Popen(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", mount_point],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stderr is not None
        if holder.stdout.readline() != "mounted\n":
            pytest.fail(f"this test mounts a file system of its own: {holder.stderr.read()}")
        name_spaces = ["--user", "--mount", "--preserve-credentials"]
        yield ["nsenter", f"--target={holder.pid}", *name_spaces], Path(f"/proc/{holder.pid}/root")
        assert holder.stdin is not None
        holder.stdin.close()


def fill(file: Path) -> None:
    """Write until nothing more fits."""
    with file.open("wb", buffering=0) as full, suppress(OSError):
        while True:
            full.write(bytes(1024))


def test_a_full_disk(stage: Stage) -> None:
    disk = stage.directory / "disk"
    disk.mkdir()
    stage.write(load=PACED, factors="clients: [1]", duration=LASTING, rounds=2)
    with small_disk(disk) as (wrapper, root):
        stage.see(disk / "result", root)
        running = stage.launch(wrapper=wrapper)
        running.wait_for_load(2)
        filler = stage.result / "filler"
        fill(filler)
        ended = running.end()
        assert ended.status == 1
        assert ended.errors == (
            f"cannot store more in {disk / 'result'}, where all so far is kept: No space left on "
            "device\n"
        )
        assert stage.statuses()[1] == "completed"
        filler.unlink()
        again = stage.launch(wrapper=wrapper).end()
        assert again.status == 0, again
        assert again.trials("trial_started") == [2]
        assert stage.statuses() == {1: "completed", 2: "completed"}


def test_a_disk_that_is_full_from_the_start(stage: Stage) -> None:
    disk = stage.directory / "disk"
    disk.mkdir()
    stage.write(factors="clients: [1]", rounds=1)
    with small_disk(disk) as (wrapper, root):
        stage.see(disk / "result", root)
        filler = stage.result.parent / "filler"
        fill(filler)
        ended = stage.launch(wrapper=wrapper).end()
        assert ended.status == 1
        assert "No space left on device" in ended.errors
        filler.unlink()
        # What little could be stored is not in the way.
        assert stage.launch(wrapper=wrapper).end().status == 0
        assert stage.statuses() == {1: "completed"}
