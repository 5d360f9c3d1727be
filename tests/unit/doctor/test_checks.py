"""What is judged of a machine and of a server, and where the bounds are."""

from __future__ import annotations

import pytest

from dbdyno.doctor.host import Momentary, check_host
from dbdyno.doctor.server import check_server
from dbdyno.facts.host import HOST
from dbdyno.target.description import ServerDescription
from dbdyno.target.durability import Durability
from dbdyno.watch.client_limits import ClientNeeds

QUIET = Momentary(steal_percent=0.0, on_battery=None, open_files_limit=1024)
FACTS: dict[str, object] = {
    "cpu_governor": "performance",
    "swap_used_bytes": 0,
    "transparent_huge_pages": "madvise",
    "clock_source": "tsc",
    "other_processes_cpu_cores": 0.1,
    "other_processes_busiest": "init 0.1",
    "load_average_1_minute": 0.1,
}


def host(facts: dict[str, object], now: Momentary = QUIET, clients: int = 64) -> dict[str, str]:
    needs = ClientNeeds(clients, clients)
    checks = check_host(HOST.validate_python({**FACTS, **facts}), now, clients, needs)
    return {check.name: check.status for check in checks if check.status != "ok"}


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({}, {}),
        (dict.fromkeys(FACTS), {}),
        ({"cpu_governor": "powersave"}, {"CPU governor": "warn"}),
        ({"swap_used_bytes": 1}, {"swap": "warn"}),
        ({"transparent_huge_pages": "always"}, {"transparent huge pages": "warn"}),
        ({"clock_source": "hpet"}, {"clock source": "warn"}),
        ({"other_processes_cpu_cores": 0.11}, {"other load": "warn"}),
        ({"work_file_system": "ext4"}, {}),
        ({"work_file_system": "tmpfs"}, {"file system here": "warn"}),
        ({"kernel_settings": {"net.core.somaxconn": "64"}}, {}),
        ({"kernel_settings": {"net.core.somaxconn": "63"}}, {"listen backlog": "warn"}),
        ({"kernel_settings": {"net.ipv4.ip_local_port_range": "4000 4063"}}, {}),
        ({"kernel_settings": {"net.ipv4.ip_local_port_range": "4000 4062"}}, {"ports": "fail"}),
    ],
)
def test_facts_of_a_host(facts: dict[str, object], found: dict[str, str]) -> None:
    assert host(facts) == found


def test_what_is_so_at_the_moment() -> None:
    busy = Momentary(steal_percent=1.1, on_battery=True, open_files_limit=163)
    assert host({}, busy) == {"CPU steal": "warn", "power": "warn", "open files": "fail"}
    assert host({}, Momentary(1.0, False, 164)) == {}


def server(settings: dict[str, str], durability: Durability = Durability.EVERY_COMMIT) -> set[str]:
    description = ServerDescription("X", "1", settings, durability)
    return {
        f"{check.name} {check.status}"
        for check in check_server(description, 64)
        if check.status != "ok"
    }


MYSQL = {
    "innodb_buffer_pool_size": "134217728",
    "max_connections": "69",
    "general_log": "OFF",
    "slow_query_log": "ON",
    "long_query_time": "1.000000",
    "query_cache_type": "ON",
    "query_cache_size": "0",
    "innodb_doublewrite": "ON",
}
POSTGRESQL = {"shared_buffers": "128MB", "fsync": "on", "full_page_writes": "on"}


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (MYSQL, set()),
        (POSTGRESQL, set()),
        ({}, set()),
        ({**MYSQL, "max_connections": "68"}, {"max_connections fail"}),
        ({**MYSQL, "general_log": "ON"}, {"general_log warn"}),
        ({**MYSQL, "long_query_time": "0.5"}, {"slow_query_log warn"}),
        ({**MYSQL, "query_cache_size": "1048576"}, {"query cache warn"}),
        ({**MYSQL, "innodb_doublewrite": "OFF"}, {"innodb_doublewrite warn"}),
        ({**POSTGRESQL, "fsync": "off"}, {"fsync warn"}),
        ({**POSTGRESQL, "full_page_writes": "off"}, {"full_page_writes warn"}),
        ({**POSTGRESQL, "log_statement": "all"}, {"log_statement warn"}),
        (
            {**POSTGRESQL, "log_min_duration_statement": "0"},
            {"log_min_duration_statement warn"},
        ),
    ],
)
def test_settings_of_a_server(settings: dict[str, str], found: set[str]) -> None:
    assert server(settings) == found


def test_a_weaker_durability_is_told() -> None:
    assert server({}, Durability.EACH_SECOND) == {"durability warn"}
