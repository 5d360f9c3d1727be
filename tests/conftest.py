"""What holds for all tests: they run against the extension as it is built from these sources."""

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
    except ModuleNotFoundError as error:
        raise pytest.UsageError(f"{error}; run `make build` first") from error


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole programs first: they take longest, and none should be left for the end."""
    items.sort(key=lambda item: item.path.parent != WHOLE_PROGRAMS)
