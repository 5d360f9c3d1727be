"""What is watched while trials run, as written in the file."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, Strict, model_validator

from dbdyno.database.secrets import is_secret
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import check_host_name, check_variable
from dbdyno.refusal import refusal


def _check_host_name(name: str) -> str:
    check_host_name(name)
    if name == "local":
        raise refusal("local is this machine, which is watched anyway; name other hosts")
    return name


HostName = Annotated[str, AfterValidator(_check_host_name)]


def _check_exporter_url(text: str) -> str:
    """Return the URL unchanged; a refusal never repeats it, for it may hold a password."""
    try:
        parts = urlsplit(text)
        has_place = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        has_place = False
    if not has_place or parts.scheme not in {"http", "https"}:
        raise refusal(
            "is not the URL of an exporter; write its address, as in http://db1:9100/metrics"
        )
    queries = parse_qsl(parts.query, keep_blank_values=True)
    if parts.password is not None or any(is_secret(name, value) for name, value in queries):
        raise refusal(
            "holds a password or another secret, and an experiment file is copied into every "
            "result; take it out, leave the user in the URL, and write password_env with the name "
            "of an environment variable that has the password"
        )
    if not parts.path.strip("/"):
        raise refusal("names no page; exporters mostly have theirs at /metrics")
    return text


class Exporter(FileModel):
    """An exporter of Prometheus, and what the host and the server that it tells of are called."""

    url: Annotated[str, AfterValidator(_check_exporter_url)] = Field(
        description="Where it answers, as in http://db1:9100/metrics.",
        examples=["http://db1:9100/metrics"],
    )
    member: str | None = Field(
        default=None,
        min_length=1,
        description="The name in the result of the server that it tells of; without it, host and "
        "port of the URL.",
        examples=["storage-1"],
    )
    host: HostName | None = Field(
        default=None,
        description="The name in the result of the host that it tells of; without it, the host of "
        "the URL.",
        examples=["db1"],
    )
    database: str | None = Field(
        default=None,
        min_length=1,
        description="Of PostgreSQL's databases the one whose figures are kept; without it, those "
        "of all databases are added up.",
        examples=["sbtest"],
    )
    password_env: Annotated[str, AfterValidator(check_variable)] | None = Field(
        default=None,
        description="The environment variable that has the password of the user in the URL.",
        examples=["EXPORTER_PASSWORD"],
    )

    @model_validator(mode="after")
    def password_is_of_a_user(self) -> Self:
        """Refuse a password that would never be sent."""
        if self.password_env is not None and not urlsplit(self.url).username:
            raise refusal(
                "password_env is the password of a user, and the URL names none; write it as in "
                "http://me@db1:9100/metrics"
            )
        return self

    @property
    def shown_host(self) -> str:
        """The host as the result names it."""
        return self.host or urlsplit(self.url).hostname or ""

    @property
    def shown_member(self) -> str:
        """The server as the result names it."""
        return self.member or urlsplit(self.url).netloc.rpartition("@")[2]


def _exporter_of_url(value: object) -> object:
    return {"url": value} if isinstance(value, str) else value


WrittenExporter = Annotated[
    Exporter, BeforeValidator(_exporter_of_url, json_schema_input_type=str | Exporter)
]
"""An exporter, or its URL alone."""


class Watch(FileModel):
    """Where CPU, memory and disk are watched during trials, and what is tried out before them."""

    host: Literal["local", "none"] = Field(default="local", description="This machine, or nothing.")
    probe: Literal["on", "off"] = Field(
        default="on",
        description="Before the first trial, write into the result directory for at most 3 s to "
        "see how fast its disk writes and syncs.",
    )
    server: Literal["counters", "none"] = Field(
        default="none",
        description="counters: one more connection asks each server every second what it did and "
        "what it waited for (docs/metrics.md). It needs host: local.",
    )
    hosts: Annotated[tuple[HostName, ...], Strict(False)] = Field(
        default=(),
        description="Other hosts, servers' say, whose CPU, memory, disks and network are watched "
        "over ssh; nothing has to be installed there. It needs host: local.",
        examples=[["db1", "db2"]],
    )
    exporters: Annotated[tuple[WrittenExporter, ...], Strict(False)] = Field(
        default=(),
        description="Exporters of Prometheus (node_exporter, mysqld_exporter, postgres_exporter) "
        "that are read each second, as in [http://db1:9100/metrics]. It needs host: local.",
        examples=[["http://db1:9100/metrics"]],
    )
    ssh: str = Field(
        default="ssh -T -o BatchMode=yes -o ConnectTimeout=10",
        description="The command that reaches a host; the host's name is put behind it.",
    )
    python: str = Field(
        default="python3",
        min_length=1,
        description="The Python on those hosts that has dbdyno, to look their facts up; without "
        "one there, they are watched all the same.",
    )

    @model_validator(mode="after")
    def exporters_differ(self) -> Self:
        """Refuse an exporter that is named twice: its figures would count twice."""
        urls = [exporter.url for exporter in self.exporters]
        if len(set(urls)) < len(urls):
            raise refusal("exporters names one of them twice; write each once")
        return self
