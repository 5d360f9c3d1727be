"""What ``trial.json`` tells of server, dataset and clock, as it is read.

A part may be missing: a trial that could not begin has none, nor has a result of another tool. What
is there must have its shape, so that whoever reads it need not look. What a server says that nobody
reads is kept in the file alone. Facts of the dataset are written from the same types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from dbdyno.facts.storage import FileSystem
from dbdyno.store.json_lines import JsonObject


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class DiskSize(_Part):
    """What tables take on disk, and the whole directory; ``reason`` says why it is not known.

    ``nodes`` is of how many servers it is the sum.
    """

    size_bytes: int | None = None
    source: str | None = None
    reason: str | None = None
    note: str | None = None
    tables_bytes: Mapping[str, int] = {}
    nodes: int = 1
    directory_bytes: int | None = None


class LogicalSize(_Part):
    """The bytes of the values in tables, of which a share was read."""

    size_bytes: int | None
    rows: int = 0
    read_share: float
    reason: str | None
    tables_bytes: Mapping[str, int] = {}


class DefinitionFacts(_Part):
    """The definition of one or several tables, as ``dbdyno.schema`` writes it."""

    tables: tuple[str, ...]
    storage: str = ""
    columns: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    foreign_keys: tuple[str, ...] = ()


class SchemaFacts(_Part):
    """What the server's catalog said of the tables when a trial began; ``reason`` says why nothing.

    ``checks_foreign_keys`` and ``checks_unique_keys`` are of a session like those of the load.
    """

    kind: str = ""
    fingerprint: str | None = None
    definitions: tuple[DefinitionFacts, ...] = ()
    checks_foreign_keys: bool | None = None
    checks_unique_keys: bool | None = None
    reason: str | None = None


class CompressionFacts(_Part):
    """How many times smaller the values of the tables become, by a sample of so many bytes."""

    ratio: float | None = None
    sample_bytes: int = 0
    reason: str | None = None


class StatisticsFacts(_Part):
    """What the optimizer knew of the tables when a trial began, as ``dbdyno.schema`` has it.

    ``rows`` are those that it took them to have, and ``missing`` are tables of which it knew
    nothing although they have rows.
    """

    rows: int | None = None
    missing: tuple[str, ...] = ()
    analysed_unix_s: float | None = None
    reason: str | None = None


class ScanFacts(_Part):
    """The rows that were read by full scans under a trial's load, by table.

    The name is empty where the server counts them for all tables together.
    """

    by_table: Mapping[str, int] = {}
    reason: str | None = None


class DiskFacts(_Part):
    """The size before a trial and after it; nothing after one that failed."""

    before: DiskSize
    after: DiskSize = DiskSize()


class CheckFacts(_Part):
    """What the check of the tables after a trial found.

    ``conditions`` are TPC-C's, by number, with how many rows violate each.
    """

    done: bool = False
    passed: bool = True
    is_sample: bool = False
    """Whether a sample of the rows was looked at, of tables that are no TPC-C."""
    warehouses_checked: int | None = None
    conditions: Mapping[str, int] = {}
    message: str | None = None


class AmountFacts(_Part):
    """One amount: how much of it was acknowledged, and what is missing or too much."""

    name: str
    title: str = ""
    source: str = ""
    queries: tuple[str, ...] = ()
    before: int | None = None
    after: int | None = None
    acknowledged: int
    unknown: tuple[int, int] = (0, 0)
    difference: int
    standing: str = ""
    sentence: str = ""


class RowFacts(_Part):
    """How many rows were read back, and how many of them hold something else."""

    checked: int = 0
    wrong: int = 0
    ambiguous: int = 0
    sentence: str = ""


class LedgerFacts(_Part):
    """How what was acknowledged stands to what is stored."""

    standing: str = ""
    sentence: str = ""
    amounts: list[AmountFacts] = []
    rows: RowFacts | None = None
    is_alone: bool = False
    left_out: list[str] = []


def _list_or_nothing(value: object) -> object:
    """Take what is no list for nothing: a word less, and no reason to lose the trial."""
    return value if isinstance(value, list) else []


class CacheFacts(_Part):
    """The condition of the caches that was asked for; ``reason`` says why it is not quite that.

    Of cold caches: how much of the server's files was cached before and after they were dropped,
    and which dumps of caches were removed. Of warm ones: what was read, and how long that took.
    """

    condition: str = "workload"
    page_cache_bytes: int | None = None
    page_cache_left_bytes: int | None = None
    dumps_removed: list[str] = []
    rows: int | None = None
    read_bytes: int | None = None
    scan_s: float | None = None
    reason: str | None = None


def _start_by_its_name(value: object) -> object:
    """Read the name that a start had in results of earlier versions."""
    return "continue" if value == "as_is" else value


class DatasetFacts(_Part):
    """What a trial began with, and what was found of it afterwards.

    The tables were loaded, by a method and in so many seconds, or they were ``found``.
    """

    start: Annotated[str | None, BeforeValidator(_start_by_its_name)] = None
    fingerprint: str | None = None
    found: bool = False
    rows: int | None = None
    load_s: float | None = None
    index_s: float | None = None
    load_method: str | None = None
    load_refusals: Annotated[list[str], BeforeValidator(_list_or_nothing)] = []
    logical: LogicalSize | None = None
    compression: CompressionFacts = CompressionFacts()
    table_schema: SchemaFacts = SchemaFacts()
    statistics: StatisticsFacts = StatisticsFacts()
    scans: ScanFacts = ScanFacts()
    caches: CacheFacts = CacheFacts()
    disk: DiskFacts | None = None
    ledger: LedgerFacts = LedgerFacts()
    check: CheckFacts = CheckFacts()

    def __or__(self, other: DatasetFacts) -> DatasetFacts:
        """Return these facts with those that the other ones say."""
        said = {name: getattr(other, name) for name in other.model_fields_set}
        return self.model_copy(update=said)

    def to_document(self) -> JsonObject:
        """Return the facts as JSON has them; what nobody has said is left out."""
        return self.model_dump(mode="json", exclude_unset=True)


class ControlGroupFacts(_Part):
    """The limits of the server's control group, and what they did to it in a trial."""

    control_group_cpu_limit_cores: float | str | None = None
    control_group_memory_limit_bytes: int | str | None = None
    out_of_memory_kills: int | None = None
    cpu_periods: int | None = None
    cpu_throttled_periods: int | None = None
    cpu_throttled_s: float | None = None
    cpu_throttled_limit_cores: float | None = None
    shared_cpu_periods: int | None = None
    shared_cpu_throttled_periods: int | None = None
    shared_cpu_throttled_s: float | None = None
    shared_cpu_throttled_limit_cores: float | None = None

    @model_validator(mode="after")
    def has_all_of_throttling_or_none(self) -> Self:
        """Refuse a part of what is told together."""
        own = (self.cpu_periods, self.cpu_throttled_periods, self.cpu_throttled_s)
        shared = (
            self.shared_cpu_periods,
            self.shared_cpu_throttled_periods,
            self.shared_cpu_throttled_s,
        )
        for prefix, throttling in {"cpu": own, "shared_cpu": shared}.items():
            if len({value is None for value in throttling}) > 1:
                raise ValueError(f"only a part of {prefix}_periods and {prefix}_throttled is there")
        return self


class ComponentFacts(_Part):
    """A plug-in, an extension, a module or a library that a server has loaded."""

    name: str
    kind: str
    version: str = ""
    library: str | None = None


class MemberFacts(_Part):
    """A server of a cluster, with what it said that it is."""

    name: str
    role: str
    words: str = ""
    address: str = ""


class ServerFacts(_Part):
    """What a server said of itself; None is what it did not say."""

    product: str | None = None
    version: str | None = None
    durability: str | None = None
    settings: dict[str, str] = {}
    adjusted_settings: dict[str, str] = {}
    chosen_settings: list[str] | None = None
    cpus: list[int] = []
    file_sizes_bytes: dict[str, int] = {}
    control_group: ControlGroupFacts = ControlGroupFacts()
    hosts: list[dict[str, str]] = []
    host_differences: dict[str, dict[str, str]] = {}
    version_comment: str | None = None
    build: str | None = None
    components: list[ComponentFacts] = []
    character_set: str | None = None
    collation: str | None = None
    data_file_system: FileSystem | None = None
    members: list[MemberFacts] = []
    command_output: str = ""


class _GeneratorFacts(_Part):
    hottest_1_percent_share: float | None = None
    distribution: str = ""


class _End(_Part):
    facts: _GeneratorFacts = _GeneratorFacts()


class Clock(_Part):
    """When a trial began by the wall clock, and how long it took by both clocks, if it ended."""

    started_unix_s: float = 0.0
    wall_s: float | None = None
    monotonic_s: float | None = None

    @model_validator(mode="after")
    def has_both_or_none(self) -> Self:
        """Refuse one clock without the other, with which it is compared."""
        if (self.wall_s is None) != (self.monotonic_s is None):
            raise ValueError("wall_s and monotonic_s are not there both")
        return self

    @property
    def step_s(self) -> float:
        """How far the wall clock moved against the monotonic one; 0 where it is not known."""
        if self.wall_s is None or self.monotonic_s is None:
            return 0.0
        return self.wall_s - self.monotonic_s


class TrialFacts(_Part):
    """The parts of a trial's record that are written as they were found."""

    end: _End | None = None
    server: ServerFacts = ServerFacts()
    dataset: DatasetFacts = DatasetFacts()
    clock: Clock = Clock()
