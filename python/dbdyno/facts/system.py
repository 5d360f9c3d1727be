"""Facts of the operating system, its network, its limits, and of dbdyno itself."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field
from pydantic.dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SystemFacts:
    """Kernel, distribution, what the machine is, and its clocks.

    Of the kernel's command line, ``kernel_parameters`` has what changes how fast it is.
    """

    kernel: str | None = None
    kernel_build: str | None = None
    kernel_parameters: str | None = None
    distribution: str | None = None
    system_vendor: str | None = None
    system_product: str | None = None
    firmware_version: str | None = None
    virtual_machine: str | None = None
    container: str | None = None
    tuning_profile: str | None = None
    clock_source: str | None = None
    clock_synchronised: bool | None = None
    time_zone: str | None = None
    boot_id: str | None = None
    uptime_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class NetworkInterface:
    """A network interface that is up; its addresses are not told."""

    name: str
    speed_mbit_per_s: int | None = None
    mtu_bytes: int | None = None
    duplex: str | None = None
    driver: str | None = None
    receive_queues: int | None = None


@dataclass(frozen=True, kw_only=True)
class NetworkFacts:
    """Network interfaces, and the kernel's settings that matter for databases and load.

    ``server_round_trip_ms`` is by server, of those that are up before the first trial and that
    generators on this host load.
    """

    tcp_congestion_control: str | None = None
    network_interfaces: tuple[NetworkInterface, ...] = ()
    server_round_trip_ms: Mapping[str, float] = Field(default_factory=dict)
    kernel_settings: Mapping[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LimitFacts:
    """The limits of dbdyno's own control group and process, which the generator is in too."""

    control_group_cpu_limit_cores: float | str | None = None
    control_group_memory_limit_bytes: int | str | None = None
    control_group_task_limit: int | str | None = None
    process_open_files_limit: int | str | None = None
    process_threads_limit: int | str | None = None
    process_locked_memory_limit_bytes: int | str | None = None
    process_stack_limit_bytes: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class LoadFacts:
    """What else the machine was doing at the moment."""

    load_average_1_minute: float | None = None
    load_average_5_minutes: float | None = None
    load_average_15_minutes: float | None = None
    cpu_busy_cores: float | None = None
    other_processes_cpu_cores: float | None = None
    other_processes_busiest: str | None = None


@dataclass(frozen=True, kw_only=True)
class ClientFacts:
    """dbdyno itself and what it is made of; ``client_libraries`` has versions by name."""

    dbdyno_version: str | None = None
    python_version: str | None = None
    rustc_version: str | None = None
    tls_library: str | None = None
    c_library: str | None = None
    client_libraries: Mapping[str, str] = Field(default_factory=dict)
    locale: str | None = None
