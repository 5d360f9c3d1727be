"""The generators of an experiment file: which processes make the load, and each one's share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated

from pydantic import (
    Discriminator,
    Field,
    PlainSerializer,
    PlainValidator,
    Tag,
    WithJsonSchema,
)

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import Cpus, is_number
from dbdyno.protocol.waiting import AUTO, WAIT_PATTERN
from dbdyno.refusal import refusal

MOST_GENERATORS = 1000
SMALLEST_PART = 1_000_000
"""One in so many."""

_FRACTION = re.compile(r"(\d+)\s*/\s*(\d+)")
_PERCENTAGE = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def parse_part(value: object) -> Fraction:
    """Return a part of a whole from ``1/3``, ``25%`` or ``0.25``, exactly."""
    part = value if isinstance(value, Fraction) else _part_of(value)
    if part is None or not 0 < part <= 1 or part.denominator > SMALLEST_PART:
        raise refusal(f"{value!r} is not a part of the load; write 1/2, 25% or 0.25")
    return part


def _part_of(value: object) -> Fraction | None:
    text = str(value).strip() if isinstance(value, str) or is_number(value) else ""
    if fraction := _FRACTION.fullmatch(text):
        return Fraction(int(fraction[1]), int(fraction[2])) if int(fraction[2]) else None
    if percentage := _PERCENTAGE.fullmatch(text):
        return Fraction(percentage[1]) / 100
    return Fraction(text) if is_number(value) else None


Part = Annotated[
    Fraction,
    PlainValidator(parse_part),
    PlainSerializer(str, when_used="json"),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}]}),
]
"""A part of the load, exactly."""


class Generator(FileModel):
    """A process that makes load, or several that are alike."""

    cpus: Cpus | None = Field(default=None, description="CPUs it may use: 3, 0-7, 0-3,8-11.")
    wait: str = Field(
        default=AUTO,
        pattern=WAIT_PATTERN,
        description="How a worker waits for answers. sleep: the first one wakes it; priority: "
        "other programs give way to it then, which root may ask for; nap: it takes short naps "
        "where answers queue in the server; spin: it looks all the time, and takes a CPU; 50us: it "
        "sleeps until the first, and so long for more. auto is nap where the server may use none "
        "of its CPUs, and priority or else sleep where it may (METHODOLOGY.md).",
        examples=["nap", "50us"],
    )
    share: Part | None = Field(
        default=None,
        description="What it makes of the load, as in 1/2 or 25%: so many of the clients, and of "
        "an open loop's arrivals. All shares are 1 together; without any, they are equal.",
        examples=["1/2"],
    )
    count: int = Field(
        default=1,
        ge=1,
        le=MOST_GENERATORS,
        description="So many processes, which divide share and CPUs equally among them.",
    )
    to: tuple[str, ...] | None = Field(
        default=None,
        strict=False,
        min_length=1,
        description="Of a target by url with several hosts, those that its clients connect to, as "
        "they are written in the URL; of a cluster whose url names several servers, as "
        "{compute*} does, the names of servers (compute-1), of a role (compute) or of the machines "
        "that hosts names. Without it, all of them. A cell that has only some of those named makes "
        "do with these.",
        examples=[["compute-1"]],
    )

    host: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@-]*$",
        description="Where it runs: a host that SSH reaches without being asked for anything, and "
        "that has this version of dbdyno. Without it, this machine.",
        examples=["load1"],
    )
    command: str | None = Field(
        default=None,
        min_length=1,
        description="The command that leads to the host, with {host} for its name, instead of "
        "ssh -T -o BatchMode=yes {host}.",
        examples=["ssh -p 2222 {host}"],
    )
    python: str = Field(
        default="python3", min_length=1, description="The Python there that has dbdyno."
    )
    call_back: str | None = Field(
        default=None,
        min_length=1,
        description="The address at which the host finds this machine; without it, the one from "
        "which this machine reaches the host.",
        examples=["10.0.0.9"],
    )


SetName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Entries = Annotated[list[Generator], Field(min_length=1)]


def _form_of_generators(value: object) -> str:
    return "<mapping>" if isinstance(value, dict) else "<list>"


WrittenGenerators = Annotated[
    Annotated[Entries, Tag("<list>")]
    | Annotated[dict[SetName, Entries], Field(min_length=1), Tag("<mapping>")],
    Discriminator(_form_of_generators),
]
"""The generators of all cells, or sets of generators by name, among which a factor chooses."""

UNNAMED = ""
"""The name of the set that a list is: no set in a file can be called so."""

GeneratorSets = Mapping[str, tuple[Generator, ...]]
"""Generators by the name of their set; one set has no name."""


def generator_sets(written: list[Generator] | dict[str, list[Generator]]) -> GeneratorSets:
    """Return the sets by name, of a list the one that has none."""
    sets = written if isinstance(written, dict) else {UNNAMED: written}
    return {name: tuple(entries) for name, entries in sets.items()}


class VariedGenerator(FileModel):
    """What a factor may vary of a generator that is the only entry."""

    cpus: Cpus | None = None
    count: int = Field(default=1, ge=1, le=MOST_GENERATORS)
