"""What holds for all tests: they run against the extension as it is built from these sources."""

import pytest


def pytest_configure() -> None:
    try:
        import dbdyno._native  # noqa: F401
    except ModuleNotFoundError as error:
        raise pytest.UsageError(f"{error}; run `make build` first") from error
