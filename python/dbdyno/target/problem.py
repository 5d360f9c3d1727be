"""What is in the way of a start, as far as that is known without one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dbdyno.errors import DbdynoError, InputError


@dataclass(frozen=True)
class Problem:
    """One thing that is in the way; ``is_input`` where the file is to be changed for it.

    It would end the run, or only ``costs_trials``, which cannot begin: the others can.
    """

    message: str
    is_input: bool
    costs_trials: bool = False


@contextmanager
def noting(
    problems: list[Problem], where: str = "", *, costs_trials: bool = False
) -> Iterator[None]:
    """Take down the error that something inside ends with, for the user to read."""
    try:
        yield
    except DbdynoError as error:
        is_input = isinstance(error, InputError)
        problems.append(Problem(f"{where}{error}", is_input, costs_trials))
