"""The section ``workload`` of an experiment file: one kind of several."""

from __future__ import annotations

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.workload.pgbench import Pgbench
from dbdyno.experiment.workload.sql import Sql
from dbdyno.experiment.workload.sysbench import Sysbench
from dbdyno.experiment.workload.tpcc import Tpcc


class Workload(FileModel):
    """What the clients do; exactly one kind."""

    sysbench: Sysbench | None = None
    tpcc: Tpcc | None = None
    sql: Sql | None = None
    pgbench: Pgbench | None = None

    def chosen(self) -> list[AnyWorkload]:
        """Return the kinds that are given; one is right."""
        kinds = (self.sysbench, self.tpcc, self.sql, self.pgbench)
        return [kind for kind in kinds if kind is not None]


AnyWorkload = Sysbench | Tpcc | Sql | Pgbench
