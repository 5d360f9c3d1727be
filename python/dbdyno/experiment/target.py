"""The systems under test that an experiment file may name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, Strict

from dbdyno.experiment.base import FileModel
from dbdyno.experiment.quantity import Cpus, Setting, SettingName
from dbdyno.experiment.url import check_url


class SqliteTarget(FileModel):
    """SQLite in the generator's own process, on a file in the result directory."""

    refused: ClassVar[dict[str, str]] = {
        "cpus": "SQLite runs inside the generator and has no CPUs of its own; set generators.cpus",
    }

    settings: dict[SettingName, Setting] = Field(
        default={}, alias="set", description="Pragmas that every connection sets."
    )


class MysqlTarget(FileModel):
    """A private MySQL or MariaDB server that is started from installed binaries."""

    basedir: Annotated[Path, Strict(False)] | None = Field(
        default=None,
        description="Where the server is installed, relative to the experiment file; "
        "without it, the one on the PATH.",
    )
    option_file: Annotated[Path, Strict(False)] | None = Field(
        default=None, description="Option file, relative to the experiment file."
    )
    cpus: Cpus | None = Field(
        default=None, description="CPUs that the server may use: 3, 0-7, 0-3,8-11."
    )
    settings: dict[SettingName, Setting] = Field(
        default={}, alias="set", description="Server options; they override the option file."
    )


class UrlTarget(FileModel):
    """A server that is already up. dbdyno never starts, stops or sets anything on it."""

    url: str


Target = SqliteTarget | MysqlTarget | UrlTarget


class TargetChoice(FileModel):
    """A target as it is written: exactly one of these."""

    refused: ClassVar[dict[str, str]] = {
        "postgresql": "PostgreSQL is not in this release; use sqlite, mysql or url",
        "cluster": "clusters are not in this release; use sqlite, mysql or url",
    }

    sqlite: SqliteTarget | None = Field(default=None, description=SqliteTarget.__doc__)
    mysql: MysqlTarget | None = Field(default=None, description=MysqlTarget.__doc__)
    url: Annotated[str, AfterValidator(check_url)] | None = Field(
        default=None,
        description="mysql://user@host:3306/database or sqlite:///file. The password is taken "
        "from the environment variable DBDYNO_PASSWORD.",
    )

    def chosen(self) -> list[Target]:
        """Return the targets that are given; one, in a file that is right."""
        external = UrlTarget(url=self.url) if self.url is not None else None
        return [target for target in (self.sqlite, self.mysql, external) if target is not None]
