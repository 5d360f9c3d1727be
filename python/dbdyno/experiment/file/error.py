"""What is said when an experiment file is wrong."""

from __future__ import annotations

from pathlib import Path

from dbdyno.errors import InputError

Location = tuple[str | int, ...]
"""The way from the top of the file to a value: ``("factors", "clients", 2)``."""


class ExperimentError(InputError):
    """A mistake in an experiment file, with its place.

    ``line`` is None where the file as a whole is meant, and ``field`` is empty where the mistake is
    one of YAML and no field is known yet.
    """

    def __init__(self, file: Path, line: int | None, field: str, message: str) -> None:
        self.file = file
        self.line = line
        self.field = field
        self.message = message
        place = str(file) if line is None else f"{file}:{line}"
        super().__init__(": ".join(part for part in (place, field, message) if part))


class FieldError(Exception):
    """A mistake at a location, raised where the file's name and lines are not known."""

    def __init__(self, location: Location, message: str) -> None:
        self.location = location
        self.message = message
        super().__init__(message)
