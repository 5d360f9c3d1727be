"""Servers that are started from installed binaries, as an experiment file names them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Strict

from dbdyno.database.secrets import HOLDS_A_SECRET, shown_setting
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.limits import Nodes, ResourceLimits
from dbdyno.experiment.file.quantity import Cpus, Setting, SettingName
from dbdyno.refusal import refusal


def _check_no_secrets(settings: dict[str, str]) -> dict[str, str]:
    """Return the settings unchanged; the refusal names a setting and never repeats a value."""
    for name, value in settings.items():
        if shown_setting(name, value) != value:
            raise refusal(f"{name} {HOLDS_A_SECRET}")
    return settings


Transport = Literal["tcp", "socket", "tls"]


class PrivateTarget(FileModel):
    """A server that is started from installed binaries."""

    basedir: Annotated[Path, Strict(False)] | None = Field(
        default=None,
        description="Where the server is installed, relative to the experiment file; "
        "without it, the one on the PATH or in the usual places.",
        examples=["/opt/mysql-8.0"],
    )
    library_path: Annotated[tuple[Annotated[Path, Strict(False)], ...], Strict(False)] = Field(
        default=(),
        description="Folders of libraries that the server needs and the system does not look in "
        "(LD_LIBRARY_PATH), relative to the experiment file; for packages unpacked by hand.",
        examples=[["/opt/mysql-8.0/lib"]],
    )
    option_file: Annotated[Path, Strict(False)] | None = Field(
        default=None,
        description="Option file (my.cnf, postgresql.conf), relative to the experiment file.",
        examples=["poc.cnf"],
    )
    cpus: Cpus | None = Field(
        default=None, description="CPUs that the server may use: 3, 0-7, 0-3,8-11."
    )
    numa: Nodes | None = Field(
        default=None,
        description="NUMA nodes whose memory and CPUs the server uses: 0, 0-1, 0,2. With cpus, "
        "those of its CPUs that are named there.",
        examples=["0"],
    )
    limits: ResourceLimits = Field(default=ResourceLimits(), description=ResourceLimits.__doc__)
    transport: Transport = Field(
        default="tcp",
        description="How clients reach the server: over TCP, over its Unix socket, or over TCP "
        "with TLS and a certificate that is made for it.",
    )
    settings: Annotated[dict[SettingName, Setting], AfterValidator(_check_no_secrets)] = Field(
        default={}, alias="set", description="Server options; they override the option file."
    )


class MysqlTarget(PrivateTarget):
    """A private MySQL or MariaDB server that is started from installed binaries."""


class PostgresqlTarget(PrivateTarget):
    """A private PostgreSQL server that is started from installed binaries."""
