"""The Rust side, as Python sees it (crates/bindings)."""

from collections.abc import Callable
from typing import final

__all__ = ["Histogram", "Run", "Session", "check_workload", "ledger_questions", "parquet_size"]

def check_workload(workload_json: str, dialect: str) -> tuple[list[str | int], str] | None:
    """Return the first mistake in a workload as a plan has it: the way to it, and a message.

    ``dialect`` is sqlite, mysql or postgresql.
    """

def ledger_questions(workload_json: str, dialect: str) -> str:
    """Return, as JSON, how what a workload's clients say in their ledgers can be asked of a server.

    ValueError with a message for the user where the workload is wrong.
    """

def parquet_size(content: bytes) -> tuple[int, dict[str, int]]:
    """Return the rows of a Parquet file, and the decompressed bytes of each of its columns.

    Both are what its own headers say; ValueError where these are damaged.
    """

@final
class Histogram:
    """An HdrHistogram of nanoseconds, 3 significant digits, 1 ns to 2 h, overflow counted apart."""

    def __new__(cls) -> Histogram: ...
    @staticmethod
    def decode(text: str, overflow: int = 0) -> Histogram:
        """Read HdrHistogram's V2 encoding in base64, compressed or not; ValueError otherwise."""
    def encode(self) -> str: ...
    def record(self, value_ns: int, count: int = 1) -> None: ...
    def merge(self, other: Histogram) -> None: ...
    def quantile_ns(self, quantile: float) -> int | None:
        """Return the value at a quantile in [0, 1]; None where the histogram is empty.

        Values beyond the range count as larger than any other: a quantile that falls among them is
        None too.
        """
    def recorded(self) -> list[tuple[int, int]]:
        """Return the values within the range (ns, the middle of what is told apart) and counts."""
    @property
    def count(self) -> int: ...
    @property
    def overflow(self) -> int: ...
    @property
    def max_ns(self) -> int: ...
    @property
    def min_ns(self) -> int: ...
    @property
    def mean_ns(self) -> float: ...

@final
class Run:
    """One trial or loading in this process: start, then poll until it says it is done."""

    @staticmethod
    def start(plan_json: str, password: str | None = None) -> Run:
        """Start the threads; ValueError with a message for the user when the plan is wrong."""
    def poll(self, timeout_s: float) -> list[str] | None:
        """Wait for events (a JSON text each); an empty list at the time-out, None after the end."""
    def stop(self) -> None:
        """End early: drain, then the end event says "interrupted"; from any thread."""
    def start_at(self, time_ns: int) -> None:
        """Say when a load begins whose plan waits for that, by this machine's monotonic clock."""
    def begin_window_at(self, index: int) -> None:
        """Say with which interval of the warm-up the window begins; an event answers."""

@final
class Session:
    """One connection for administration, on the same driver as the load."""

    @staticmethod
    def connect(
        url: str,
        password: str | None = None,
        waiting: Callable[[str, float], object] | None = None,
    ) -> Session:
        """ConnectionError with the server's own words when it refuses.

        ``waiting`` is called with a statement that takes long, and with how many seconds it has
        taken: after 5, and whenever twice as many have passed.
        """
    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """Run one statement and return its rows as text; RuntimeError with the server's words."""
    def close(self) -> None: ...
