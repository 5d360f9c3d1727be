"""How much is measured: all of it, or just enough to see that every part works."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

CLIENTS_MOST = 256


@dataclass(frozen=True)
class Size:
    """The extent of a run of the benchmark.

    A load lasts for ``load_s``, in whole seconds as the others count, which is somewhat longer than
    warm-up and window together: instants are never quite on time. Instructions are counted in a
    shorter and in a longer run, of ``counting_s`` each. A turn that others disturbed is taken
    again, until there were ``turns_per_repeat`` times as many as are to count.

    Many short turns tell more than a few long ones: on a host that is shared, a CPU's speed
    changes within some seconds, and both of a pair must meet the same one.
    """

    table_size: int
    read_write_clients: tuple[int, ...]
    point_select_clients: tuple[int, ...]
    pgbench_clients: tuple[int, ...]
    timestamp_clients: int
    ceiling_clients: tuple[int, ...]
    many_clients: int
    repeats: int
    turns_per_repeat: int
    timestamp_repeats: int
    loading_repeats: int
    warmup_s: float
    processes_warmup_s: float
    """Of a server with a process for each client: until each has been at work for some time, its
    statements take more CPU, the more so the more evenly a load tool asks them (METHODOLOGY.md)."""
    window_s: float
    load_s: float
    counting_s: tuple[float, float]
    report_rounds: int
    report_intervals: int
    large_reports: tuple[tuple[int, int, int], ...]
    """Cells, rounds and intervals of each."""
    small_report_rounds: int
    import_lines: int
    start_repeats: int
    tpcc_warehouses: int
    tpcc_terminals: tuple[int, ...]
    tpcc_loads: tuple[int, ...]
    tpcc_loading_repeats: int

    def of_processes(self) -> Self:
        """Return the same extent for a server with a process for each client."""
        more_s = self.processes_warmup_s - self.warmup_s
        return replace(self, warmup_s=self.processes_warmup_s, load_s=self.load_s + more_s)


FULL = Size(
    table_size=100_000,
    read_write_clients=(8, 64, CLIENTS_MOST),
    point_select_clients=(1, 8, 64, CLIENTS_MOST),
    pgbench_clients=(1, 8, 64, 200),
    timestamp_clients=64,
    ceiling_clients=(8, 64, CLIENTS_MOST),
    many_clients=10_000,
    repeats=7,
    turns_per_repeat=2,
    timestamp_repeats=7,
    loading_repeats=7,
    warmup_s=1.0,
    processes_warmup_s=6.0,
    window_s=2.0,
    load_s=4.0,
    counting_s=(1.0, 5.0),
    report_rounds=25,
    report_intervals=60,
    large_reports=((50, 20, 1200), (1000, 1, 1200)),
    small_report_rounds=8,
    import_lines=100_000,
    start_repeats=7,
    tpcc_warehouses=4,
    tpcc_terminals=(8, 32),
    tpcc_loads=(2, 10),
    tpcc_loading_repeats=3,
)

SMOKE = Size(
    table_size=1000,
    read_write_clients=(4,),
    point_select_clients=(1, 4),
    pgbench_clients=(4,),
    timestamp_clients=4,
    ceiling_clients=(4,),
    many_clients=100,
    repeats=1,
    turns_per_repeat=1,
    timestamp_repeats=1,
    loading_repeats=1,
    warmup_s=0.2,
    processes_warmup_s=0.2,
    window_s=0.3,
    load_s=1.0,
    counting_s=(0.5, 1.5),
    report_rounds=2,
    report_intervals=12,
    large_reports=((2, 3, 12), (4, 1, 12)),
    small_report_rounds=1,
    import_lines=100,
    start_repeats=1,
    tpcc_warehouses=1,
    tpcc_terminals=(2,),
    tpcc_loads=(1,),
    tpcc_loading_repeats=1,
)
