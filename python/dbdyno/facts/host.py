"""All facts of a host as one type, and how it is written as JSON and read again.

The JSON is flat: a fact has the same name wherever it stands. What a later version added is left
out by an earlier one, and what an earlier version did not write is not known.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from dbdyno.facts.processor import CpuFacts, MemoryFacts
from dbdyno.facts.storage import ProbeFacts, StorageFacts
from dbdyno.facts.system import ClientFacts, LimitFacts, LoadFacts, NetworkFacts, SystemFacts

NONE = "none"
"""The fact that there is none; a fact that is not known is None."""


@dataclass(frozen=True, kw_only=True)
class HostFacts(
    # The fields of the last one come first.
    ClientFacts,
    LoadFacts,
    LimitFacts,
    NetworkFacts,
    ProbeFacts,
    StorageFacts,
    SystemFacts,
    MemoryFacts,
    CpuFacts,
):
    """Everything that is known of a host at one moment."""

    @model_validator(mode="after")
    def names_what_is_busy(self) -> Self:
        """Refuse busy neighbours without their names."""
        if self.other_processes_cpu_cores and self.other_processes_busiest is None:
            raise ValueError("other_processes_busiest is not there")
        return self

    def to_document(self) -> dict[str, Any]:
        """Return the facts as plain values that can be written as JSON."""
        return HOST.dump_python(self, mode="json")  # type: ignore[no-any-return]

    @classmethod
    def from_groups(cls, *groups: object) -> Self:
        """Put facts together that were found one group at a time."""
        return cls(**{name: value for group in groups for name, value in vars(group).items()})


HOST = TypeAdapter(HostFacts)


@dataclass(frozen=True, kw_only=True)
class OtherHost:
    """A host of a campaign that dbdyno does not run on: its facts, or why they are not known."""

    use: Literal["generator", "watched"]
    """A generator runs there, or it is only watched."""
    facts: HostFacts | None = None
    reason: str | None = None


OTHER_HOSTS = TypeAdapter(dict[str, OtherHost])
"""By the name of the host in the experiment file."""

Facts = dict[str, str | int | float | None]
"""A few facts by name, as they are written."""
