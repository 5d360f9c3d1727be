"""What holds for all tests: they run against the extension as it is built from these sources."""

import shutil
import subprocess
from pathlib import Path

import pytest

# What tests share shows both sides of an assertion that fails, as the tests themselves do.
pytest.register_assert_rewrite(
    "tests.live", "tests.unit", "tests.sysbench_output", "tests.tpcc_output"
)

WHOLE_PROGRAMS = Path(__file__).parent / "live"
"""The tests that lie here themselves, and not in a folder of it, run whole programs."""


def pytest_configure() -> None:
    try:
        import dbdyno._native  # noqa: F401
        from dbdyno.cli.interpreter import lighten
    except ModuleNotFoundError as error:
        raise pytest.UsageError(f"{error}; run `make build` first") from error
    # Before a test imports NumPy, and for the commands that tests start.
    lighten()


@pytest.fixture(scope="session", autouse=True)
def spread_folders(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have ext4 keep the folders of tests apart, which it would put beside each other.

    For five minutes it gives no inode away that was another file's. It walks past all of them for
    each new file, and a server's data is a thousand: that took a twelfth of the tests' CPU time.
    Other file systems have no such attribute and need none.
    """
    if chattr := shutil.which("chattr"):
        command = [chattr, "+T", str(tmp_path_factory.getbasetemp())]
        subprocess.run(command, capture_output=True, check=False)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole programs first: they take longest, and none should be left for the end."""
    items.sort(key=lambda item: item.path.parent != WHOLE_PROGRAMS)
