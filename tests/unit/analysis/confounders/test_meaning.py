"""Products with no setting in common are compared by what their settings mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.confounders.model import BY_MEANING, NONE, Aspect, Confounder
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import FactorLevels
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import spoken
from tests.unit.store.result_builder import TrialScript, build_result, make_plan

PRODUCT = FactorLevels("product", ("maria", "postgres"), "target")
MARIA = {
    "innodb_buffer_pool_size": str(128 << 20),
    "innodb_checksum_algorithm": "full_crc32",
    "innodb_doublewrite": "ON",
    "log_bin": "OFF",
    "log_bin_compress": "OFF",
    "max_connections": "151",
}
POSTGRES = {
    "archive_mode": "off",
    "data_checksums": "on",
    "full_page_writes": "on",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "wal_compression": "off",
}
SQLITE = {"shared_buffers": None, "page_size": "4096"}
INNODB, HEAP = "InnoDB dynamic", "heap"


def found(directory: Path, maria: Mapping[str, Any], postgres: Mapping[str, Any]) -> Findings:
    """Analyse trials of both products, which mean the same but for what is given."""

    def change(script: TrialScript) -> None:
        is_maria = script.planned.cell.level("product") == "maria"
        facts = dict(maria if is_maria else postgres)
        kind, storage = ("mysql", INNODB) if is_maria else ("postgresql", HEAP)
        script.generator_plan["url"] = f"{kind}://u@db.example:1/d"
        script.server |= {
            "product": "MariaDB" if is_maria else "PostgreSQL",
            "version": "10.11" if is_maria else "15.18",
            "collation": "utf8mb4_bin" if is_maria else "C",
            "character_set": "utf8mb4" if is_maria else "UTF8",
        }
        script.dataset["table_schema"] = {
            "kind": kind,
            "definitions": [{"tables": ["t"], "storage": facts.pop("storage", storage)}],
        }
        script.server |= facts.pop("server", {})
        settings = (MARIA if is_maria else POSTGRES) | facts
        script.server["settings"] = {
            name: value for name, value in settings.items() if value is not None
        }

    return analyse(build_result(directory / "r", make_plan([PRODUCT]), change))


UNLIKE: list[tuple[Aspect, Mapping[str, Any], Mapping[str, Any], str, str]] = [
    (
        *(Aspect.CACHE_MEMORY, {"innodb_buffer_pool_size": str(1 << 30)}, {}),
        *(str(128 << 20), str(1 << 30)),
    ),
    (Aspect.CACHE_MEMORY, {}, {"shared_buffers": "16GB"}, str(16 << 30), str(128 << 20)),
    (Aspect.CACHE_MEMORY, {}, SQLITE | {"cache_size": "-2000"}, str(2000 << 10), str(128 << 20)),
    (Aspect.CACHE_MEMORY, {}, SQLITE | {"cache_size": "500"}, str(500 << 12), str(128 << 20)),
    (
        *(Aspect.CACHE_MEMORY, {"storage": "ROCKSDB", "rocksdb_block_cache_size": "9"}, {}),
        *(str(128 << 20), "9"),
    ),
    (
        Aspect.COLLATION,
        {"server": {"collation": "latin1_swedish_ci", "character_set": "latin1"}},
        *({}, "C, UTF8", "latin1_swedish_ci"),
    ),
    (
        Aspect.COLLATION,
        {"server": {"collation": "latin1_bin", "character_set": "latin1"}},
        *({}, "C, UTF8", "latin1_bin"),
    ),
    (
        *(Aspect.COLLATION, {}, {"server": {"collation": "en_US.UTF-8"}}),
        *("en_US.UTF-8", "utf8mb4_bin"),
    ),
    (Aspect.CHECKSUMS, {"innodb_checksum_algorithm": "none"}, {}, "on", "off"),
    (Aspect.CHECKSUMS, {"innodb_checksum_algorithm": "strict_none"}, {}, "on", "off"),
    (Aspect.CHECKSUMS, {}, {"data_checksums": "off"}, "off", "on"),
    (Aspect.TORN_PAGES, {"innodb_doublewrite": "OFF"}, {}, "on", "off"),
    (Aspect.TORN_PAGES, {"innodb_doublewrite": "DETECT_ONLY"}, {}, "on", "off"),
    (Aspect.TORN_PAGES, {}, {"full_page_writes": "off"}, "off", "on"),
    (Aspect.COMPRESSION, {"storage": "InnoDB compressed"}, {}, NONE, "tables"),
    (Aspect.COMPRESSION, {"storage": "InnoDB dynamic `PAGE_COMPRESSED`=1"}, {}, NONE, "tables"),
    (Aspect.COMPRESSION, {}, {"wal_compression": "lz4"}, "log", NONE),
    (Aspect.KEPT_LOG, {"log_bin": "ON"}, {}, "off", "on"),
    (Aspect.KEPT_LOG, {}, {"archive_mode": "always"}, "on", "off"),
]
"""What one of two products does otherwise, and what is then told of PostgreSQL and of MariaDB."""


@pytest.mark.parametrize(("aspect", "maria", "postgres", "value", "baseline_value"), UNLIKE)
def test_what_differs_in_meaning_is_found_once(
    *,
    tmp_path: Path,
    aspect: Aspect,
    maria: Mapping[str, Any],
    postgres: Mapping[str, Any],
    value: str,
    baseline_value: str,
) -> None:
    findings = found(tmp_path, maria, postgres)
    assert [each for each in findings.confounders if not each.is_expected] == [
        Confounder(
            *("product", aspect, value, baseline_value),
            comparisons=1,
            compared=1,
            is_expected=False,
            is_by_meaning=True,
        )
    ]
    assert findings.differences == findings.default_differences == ()
    (warning,) = [each for each in findings.warnings if each.code is Code.SETTINGS_DIFFER]
    assert evidence_of(warning).startswith("unlike products, with different ")


ALIKE: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "the same by other names": ({}, {}),
    "a binary collation of another name": (
        {"server": {"collation": "utf8mb4_0900_bin"}},
        {"server": {"collation": "C.UTF-8"}},
    ),
    "a compressed binary log that is off": ({"log_bin_compress": "ON"}, {}),
    "a size in another unit": (
        {"innodb_buffer_pool_size": str(1 << 30)},
        {"shared_buffers": "1048576kB"},
    ),
    "a server that only shows InnoDB's settings": (
        {
            "server": {"product": "TiDB", "durability": "unknown"},
            **{"innodb_buffer_pool_size": "8388608", "innodb_doublewrite": "OFF"},
            **{"innodb_checksum_algorithm": "none", "log_bin": "ON"},
        },
        {},
    ),
    "settings of InnoDB where the tables are of another engine": (
        {"storage": "Aria", "innodb_doublewrite": "OFF", "innodb_checksum_algorithm": "none"},
        {},
    ),
    "what one of them does not tell": (
        {"innodb_doublewrite": None, "log_bin": None, "server": {"collation": None}},
        {"full_page_writes": "off", "archive_mode": "on", "server": {"collation": "en_US.UTF-8"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIKE)
def test_what_means_the_same_confounds_nothing(tmp_path: Path, name: str) -> None:
    findings = found(tmp_path, *ALIKE[name])
    assert [each.aspect for each in findings.confounders] == [Aspect.PRODUCT]
    assert findings.differences == findings.default_differences == ()
    assert Code.SETTINGS_DIFFER not in spoken(findings)


def test_each_level_has_its_meanings_side_by_side(tmp_path: Path) -> None:
    maria, postgres = found(tmp_path, {"log_bin": "ON"}, {}).meanings
    assert (maria.level, postgres.level) == ("maria", "postgres")
    assert tuple(maria.values) == tuple(postgres.values) == BY_MEANING
    assert maria.values[Aspect.KEPT_LOG] == ("on",)
    assert postgres.values[Aspect.KEPT_LOG] == ("off",)
    assert maria.values[Aspect.CACHE_MEMORY] == postgres.values[Aspect.CACHE_MEMORY]


def test_two_servers_of_one_family_are_compared_setting_by_setting(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        is_maria = script.planned.cell.level("product") == "maria"
        pool = {"innodb_buffer_pool_size": "1"} if is_maria else {}
        script.server |= {"product": "MariaDB" if is_maria else "MySQL"}
        script.server["settings"] = MARIA | pool | {"log_bin": "ON" if is_maria else "OFF"}

    findings = analyse(build_result(tmp_path / "r", make_plan([PRODUCT]), change))
    assert [setting for setting, *_ in findings.differences] == [
        *("innodb_buffer_pool_size", "log_bin"),
    ]
    assert [each.aspect for each in findings.confounders] == [Aspect.PRODUCT]
    assert findings.meanings == ()
