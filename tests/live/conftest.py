"""What tests of several folders need of this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PREPARE_ROCKSDB = Path(__file__).parents[1] / "servers" / "rocksdb.sh"
PLUGINS = Path(__file__).parents[2] / "target" / "test-servers" / "rocksdb"
PREPARE_LIMIT_S = 120.0


@pytest.fixture(scope="session")
def rocksdb_plugins() -> Path:
    """Return the directory of MyRocks' plug-in. Where it can't be had, the last lines say so."""
    prepared = subprocess.run(
        ["sh", PREPARE_ROCKSDB, PLUGINS],
        capture_output=True,
        text=True,
        timeout=PREPARE_LIMIT_S,
        check=False,
    )
    if prepared.returncode != 0:
        complaint = " ".join(prepared.stderr.split())
        pytest.skip(f"NOT TESTED: MyRocks, which can't be had here: {complaint}")
    return PLUGINS
