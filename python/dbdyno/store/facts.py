"""The shapes of what ``trial.json`` holds as plain values, as far as they are read.

A part may be missing: a trial that could not begin has none, nor has a result of another tool. What
is there must have its shape, so that whoever reads it need not look.
"""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Size(_Part):
    size_bytes: int | None
    reason: str | None


class _DiskSize(_Size):
    directory_bytes: int | None
    source: str | None
    note: str | None


class _LogicalSize(_Size):
    read_share: float


class _Disk(_Part):
    before: _DiskSize
    after: _DiskSize | dict[str, None] = {}


class _Check(_Part):
    done: bool = False
    passed: bool = True
    message: str = ""


class _Dataset(_Part):
    start: str = ""
    fingerprint: str | None = None
    disk: _Disk | None = None
    logical: _LogicalSize | None = None
    check: _Check = _Check()


class _ControlGroup(_Part):
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


class _Server(_Part):
    product: str = ""
    version: str = ""
    settings: dict[str, str] = {}
    adjusted_settings: dict[str, str] = {}
    file_sizes_bytes: dict[str, int] = {}
    control_group: _ControlGroup = _ControlGroup()
    hosts: list[dict[str, str]] = []
    host_differences: dict[str, dict[str, str]] = {}


class _GeneratorFacts(_Part):
    hottest_1_percent_share: float | None = None
    distribution: str = ""


class _End(_Part):
    facts: _GeneratorFacts = _GeneratorFacts()


class _Clock(_Part):
    started_unix_s: float = 0.0
    wall_s: float | None = None
    monotonic_s: float | None = None

    @model_validator(mode="after")
    def has_both_or_none(self) -> Self:
        """Refuse one clock without the other, with which it is compared."""
        if (self.wall_s is None) != (self.monotonic_s is None):
            raise ValueError("wall_s and monotonic_s are not there both")
        return self


class HostFacts(_Part):
    """What is read of ``host.json``."""

    cpu_governor: str | None = None
    other_processes_cpu_cores: float | None = None
    other_processes_busiest: str | None = None

    @model_validator(mode="after")
    def names_what_is_busy(self) -> Self:
        """Refuse busy neighbours without their names."""
        if self.other_processes_cpu_cores and self.other_processes_busiest is None:
            raise ValueError("other_processes_busiest is not there")
        return self


class TrialFacts(_Part):
    """The parts of a trial's record that have no type of their own there."""

    end: _End | None = None
    server: _Server = _Server()
    dataset: _Dataset = _Dataset()
    clock: _Clock = _Clock()
