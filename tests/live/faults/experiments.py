"""Whole experiments on a server to which something happens, and what their results hold."""

from __future__ import annotations

from pathlib import Path

from dbdyno.store.model import StoredTrial
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.trials import ENDED
from tests.live.run.stage import Stage

EXPERIMENT = """\
experiment: tiny
question: What becomes of a trial whose server fails?
workload:
  {{sysbench: {{script: oltp_read_write, tables: 1, table_size: 1000, delete_inserts: 0}}}}
target: {{url: '{url}'}}
load: {load}
procedure:
  {{start: continue, warmup: 0.1s, duration: {duration}, interval: 0.1s, rounds: 1,
    error_budget: {error_budget}, limits: {{statement: 20s}}}}
"""


def prepare(
    directory: Path,
    server: FixedServer,
    *,
    url: str | None = None,
    load: str = "{clients: 4}",
    duration: str = "1s",
    error_budget: float = 0.01,
) -> Stage:
    """Write an experiment of one trial on a server whose tables are there."""
    directory.mkdir()
    stage = Stage(directory)
    stage.file.write_text(
        EXPERIMENT.format(
            url=url or server.url(),
            load=load,
            duration=duration,
            error_budget=error_budget,
        )
    )
    return stage


def identity_of(trial: StoredTrial) -> dict[str, int]:
    """Return the sums of a trial's counters, whose identity holds at the end of each interval."""
    table = trial.intervals.sort("index")
    scheduled = table["scheduled"].cum_sum()
    ended = sum(table[counter].cum_sum() for counter in ENDED)
    assert (scheduled == ended + table["in_flight"]).all()
    indexes = table["index"].to_list()
    assert indexes == list(range(indexes[0], indexes[0] + len(indexes)))
    return {counter: int(table[counter].sum()) for counter in ("scheduled", *ENDED)}
