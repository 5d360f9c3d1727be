"""Real servers that something limits: it is named, and nothing is named where nothing was."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.bottleneck.model import CellLimit, Certainty, FigureName, LimitCode
from dbdyno.analysis.bottleneck.processors import cpu_readings
from dbdyno.analysis.bottleneck.sums import resource_sums
from dbdyno.analysis.findings import Finding, Findings, Severity
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.window_totals import measure
from dbdyno.experiment.plan import Cell
from dbdyno.report.words.limits import limit_evidence, limits_line, time_words
from dbdyno.store.model import StoredResult
from dbdyno.store.reader import read_result
from tests.live.limits import require_all_cpus, require_disk_limits, require_limits
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

EXPERIMENT = """\
experiment: limits
question: What is the limit?
workload: {workload}
target: {target}
watch: {{server: counters}}
load: {load}
factors: {{{factors}}}
procedure: {{warmup: 0.5s, duration: {duration}, interval: 0.5s, rounds: 1}}
"""

READING = {"sysbench": {"script": "oltp_read_only", "tables": 1, "table_size": 1000}}

COUNTING = {"sql": {"transactions": {"count": "SELECT COUNT(*) FROM generate_series(1, 20000)"}}}

DRAWING = {
    "pgbench": {"setup": [], "scripts": [{"text": "\\set x random(1, 9)\n" * 1600 + "SELECT 1"}]}
}
"""A script that makes its client work, and asks little of the server."""

FILLING = {
    "sql": {
        "setup": ["CREATE TABLE t (id INTEGER PRIMARY KEY AUTO_INCREMENT, v LONGBLOB)"],
        "teardown": ["DROP TABLE t"],
        "transactions": {"fill": "INSERT INTO t (v) VALUES (REPEAT('x', 400000))"},
    }
}


def adding(number: str) -> dict[str, object]:
    """Return transactions that do little but wait until their log is on the disk."""
    table = f"CREATE TABLE t (id BIGINT {number} PRIMARY KEY, v INTEGER)"
    add = "INSERT INTO t (v) VALUES (1)"
    return {"sql": {"setup": [table], "teardown": ["DROP TABLE t"], "transactions": {"add": add}}}


def hot_row(sleep: str) -> dict[str, object]:
    """Return transactions on one row, which they keep for a while in which they need no CPU."""
    row = {"fill": "hot", "rows": 1, "columns": {"id": {"sequence": 1}, "v": 0}}
    table = "CREATE TABLE hot (id INTEGER PRIMARY KEY, v INTEGER NOT NULL)"
    update = "UPDATE hot SET v = v + 1 WHERE id = 1"
    hit = {"statements": ["BEGIN", update, f"SELECT {sleep}", "COMMIT"]}
    return {"sql": {"setup": [table, row], "transactions": {"hit": hit}}}


@dataclass
class Found:
    """What was found of each cell, by its clients."""

    cells: dict[str, CellLimit]
    line: str
    others_cores: dict[str, float]
    """CPUs, of those that the server may use, that were used by programs that are not ours."""

    def codes(self, clients: str) -> list[LimitCode]:
        return [limit.code for limit in self.cells[clients].limits]

    def is_taken_by_others(self, clients: str) -> bool:
        """Tell whether others used much of the server's CPUs, whatever was named."""
        return self.others_cores[clients] >= OTHERS_CORES

    def evidence(self) -> str:
        """Return all that was found, for whoever reads why a test failed."""
        return "\n".join(
            f"{clients}: {limit.code} {limit.member} {limit_evidence(limit)}"
            for clients, cell in self.cells.items()
            for limit in (*cell.limits, *cell.not_growing)
        ) + "".join(f"\n{time_words(cell.time)}" for cell in self.cells.values())


TRIES = 3
"""A generator may stand still while many other tests run. Such a trial shows no limit."""

OTHERS_CORES = 0.3
"""Where others take so much, the CPUs of the machine may be the limit of anything."""


def found(
    directory: Path, workload: Mapping[str, object], *, more: str = "", **fields: str
) -> Found:
    """Run a small experiment and return what limited its cells."""
    given = {"factors": "clients: [1, 8]", "load": "{}", "duration": "2.5s"} | fields
    text = EXPERIMENT.format(workload=json.dumps(workload), **given) + more
    for number in range(TRIES):
        stage = Stage(directory / str(number))
        stage.directory.mkdir()
        stage.file.write_text(text)
        ended = stage.run()
        result = read_result(stage.result)
        findings = analyse(result)
        if not stood_still(findings):
            break
    assert ended.status == 0, (ended, invalid(findings))
    line = limits_line(findings.limits)
    assert line in " ".join(ended.output.split())
    cells = {clients_of(each.cell): each for each in findings.limits}
    return Found(cells, line, dict(others_cores(result)))


def invalid(findings: Findings) -> list[Finding]:
    """Return what made trials invalid."""
    return [each for each in findings.warnings if each.severity is Severity.INVALID]


def stood_still(findings: Findings) -> bool:
    """Tell whether a trial is invalid only because others had the generator's CPUs."""
    return [each.code for each in invalid(findings)] == [Code.GENERATOR_STOPPED]


def others_cores(result: StoredResult) -> Iterator[tuple[str, float]]:
    """Yield for the clients of each trial what others used of the server's CPUs."""
    for trial in result.trials:
        measured = measure(trial)
        sessions = 1.0  # Shares of their time are not asked for.
        used = [
            reading.context.get(FigureName.OTHER_CORES) or 0.0
            for reading in cpu_readings(
                resource_sums(measured), measured.trial.server.cpus, sessions
            )
        ]
        yield clients_of(trial.planned.cell), max(used, default=0.0)


def clients_of(cell: Cell) -> str:
    """Return the level of clients; "" where they are no factor."""
    return dict(cell.levels).get("clients", "")


def test_a_quota_of_cpu_time(tmp_path: Path) -> None:
    require_limits()
    seen = found(
        tmp_path,
        READING,
        target="{mysql: {limits: {cpus: 0.3}}}",
    )
    assert LimitCode.CPU_QUOTA in seen.codes("8"), seen.evidence()
    assert LimitCode.ROW_LOCKS not in seen.codes("8")


def test_the_cpu_of_a_server(tmp_path: Path) -> None:
    require_all_cpus()
    seen = found(tmp_path, COUNTING, target="{postgresql: {cpus: 0}}")
    assert LimitCode.SERVER_CPU in seen.codes("8"), seen.evidence()
    certainty = {limit.code: limit.certainty for limit in seen.cells["8"].limits}
    assert certainty[LimitCode.SERVER_CPU] is Certainty.SHOWN, seen.evidence()
    assert LimitCode.ROW_LOCKS not in seen.codes("8")


@pytest.mark.parametrize(
    ("kind", "number", "others"),
    [
        ("mysql", "AUTO_INCREMENT", set()),
        ("postgresql", "GENERATED ALWAYS AS IDENTITY", {LimitCode.COMMIT}),
    ],
)
def test_a_disk_of_which_a_server_may_use_a_part(
    kind: str, number: str, others: set[LimitCode], tmp_path: Path
) -> None:
    require_disk_limits(tmp_path)
    seen = found(tmp_path, adding(number), target=f"{{{kind}: {{limits: {{writes_per_s: 100}}}}}}")
    assert seen.codes("8")[:1] == [LimitCode.DISK], seen.evidence()
    first, *rest = seen.cells["8"].limits
    assert first.member == "server", seen.evidence()
    assert first.certainty is Certainty.SHOWN, seen.evidence()
    # What the log waits for is the disk. Who else is on the machine may keep its CPUs busy.
    assert {each.code for each in rest} - {LimitCode.HOST_CPU} == others, seen.evidence()


@pytest.mark.parametrize(
    ("target", "sleep"),
    [
        ("{mysql: {set: {innodb_flush_log_at_trx_commit: 0}}}", "SLEEP(0.01)"),
        ("{postgresql: {set: {synchronous_commit: 'off'}}}", "pg_sleep(0.01)"),
    ],
)
def test_locks_on_one_row(target: str, sleep: str, tmp_path: Path) -> None:
    # Sessions are looked at once a second. On a busy machine a process may be put aside that holds
    # a latch. All others then wait for that and not for the row: one such look in two hides it.
    # No commit waits for the disk: InnoDB gives the row back before, so that on a disk which others
    # keep busy the sessions would wait for their log and not for the row.
    seen = found(tmp_path, hot_row(sleep), target=target, duration="6s")
    assert LimitCode.ROW_LOCKS in seen.codes("8"), seen.evidence()
    assert LimitCode.ROW_LOCKS not in seen.codes("1")


def test_space_of_the_redo_log(tmp_path: Path) -> None:
    seen = found(
        tmp_path,
        FILLING,
        target="{mysql: {set: {innodb_log_file_size: 4M, innodb_flush_log_at_trx_commit: 0, "
        "innodb_buffer_pool_size: 256M}}}",
    )
    assert LimitCode.REDO_SPACE in seen.codes("8"), seen.evidence()


def test_the_generator(tmp_path: Path) -> None:
    seen = found_on_a_cpu_each(tmp_path)
    # Who else is on the server's CPU may be the limit.
    if not seen.is_taken_by_others("8"):
        assert seen.codes("8")[:1] == [LimitCode.GENERATOR], seen.evidence()
        assert LimitCode.SERVER_CPU not in seen.codes("8"), seen.evidence()


def test_a_generator_whose_cpu_another_program_uses(tmp_path: Path) -> None:
    with keeping_busy(cpu=1):
        seen = found_on_a_cpu_each(tmp_path)
    if not seen.is_taken_by_others("8"):
        assert seen.codes("8")[:1] == [LimitCode.GENERATOR], seen.evidence()
        (generator, *_) = seen.cells["8"].limits
        shares = {figure.name: figure.mean for figure in generator.figures}
        assert shares[FigureName.WORKER_WAITED] > 0.2, seen.evidence()


def found_on_a_cpu_each(directory: Path) -> Found:
    """Return what limited a generator that has much to do, beside a server on another CPU."""
    require_all_cpus()
    return found(
        directory,
        DRAWING,
        target="{mysql: {cpus: 0}}",
        load="{workers: 1}",
        more="generators: [{cpus: 1}]\n",
    )


@contextmanager
def keeping_busy(cpu: int) -> Iterator[None]:
    """Have a program use one CPU as much as it may."""
    command = ["taskset", "--cpu-list", str(cpu), sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(command) as program:
        try:
            yield
        finally:
            program.kill()


def test_nothing_at_a_low_rate(tmp_path: Path) -> None:
    seen = found(
        tmp_path,
        READING,
        target="{mysql: {}}",
        load="{rate: 20}",
        factors="",
    )
    if not seen.is_taken_by_others(""):
        assert seen.codes("") == [LimitCode.GIVEN_LOAD], seen.evidence()
        assert seen.line == "Limit: the load that was given."
    assert set(seen.codes("")) <= {LimitCode.GIVEN_LOAD, LimitCode.HOST_CPU}, seen.evidence()
