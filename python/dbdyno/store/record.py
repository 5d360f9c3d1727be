"""The JSON documents of a result directory as types: format, plan and trial.

Reading one checks it: a document that is missing, damaged or of another version is refused with a
message that names the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, TypeAdapter

from dbdyno.errors import InputError
from dbdyno.experiment.plan import Plan
from dbdyno.facts.host import HOST, OTHER_HOSTS, HostFacts, OtherHost
from dbdyno.json_documents import (
    Format,
    parse_document,
    read_bytes,
    read_document,
    read_json,
    write_json,
)
from dbdyno.protocol.events import (
    Connected,
    End,
    GeneratorStanding,
    HostClock,
    WarmupEnded,
    WindowStart,
)
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.store.facts import TrialFacts
from dbdyno.store.json_lines import JsonObject
from dbdyno.store.layout import FORMAT_FILE
from dbdyno.store.model import (
    FORMAT_NAME,
    FORMAT_VERSION,
    READABLE_VERSIONS,
    ResourcesZero,
    TrialStatus,
)


def _none_of_nothing(document: Any) -> Any:  # noqa: ANN401
    """Read what was not said, which earlier versions wrote as an empty object."""
    return document or None


@dataclass(frozen=True)
class TrialRecord:
    """``trial.json``: how a trial ended and what it ran against.

    ``clock`` has ``started_unix_s`` and, once the trial has ended, the time that passed by the wall
    clock (``wall_s``) and by the monotonic one (``monotonic_s``). ``window_start`` is None where
    the load never began, or an older generator did not say it. ``standings`` tell of generators
    among several that were late, came back or were lost, ``clocks`` of those on other hosts.
    ``warmup`` tells how a warm-up ended that was to end when throughput is steady.
    """

    number: int
    round: int
    cell: dict[str, str]
    status: TrialStatus
    reason: str | None
    plan_sha256: str
    connected: Annotated[Connected | None, BeforeValidator(_none_of_nothing)] = None
    end: Annotated[End | None, BeforeValidator(_none_of_nothing)] = None
    server: JsonObject = field(default_factory=dict)
    dataset: JsonObject = field(default_factory=dict)
    clock: dict[str, float] = field(default_factory=dict)
    resources_zero: ResourcesZero = ResourcesZero.WATCH_START
    watch_failures: tuple[str, ...] = ()
    window_start: WindowStart | None = None
    standings: tuple[GeneratorStanding, ...] = ()
    clocks: tuple[HostClock, ...] = ()
    warmup: WarmupEnded | None = None


TO_MEASURE_AGAIN = "to measure this trial again, move its folder away and run the experiment again"
RESULT_FORMAT = Format(
    FORMAT_NAME, FORMAT_VERSION, READABLE_VERSIONS, "result directory", "a result"
)
PLAN = TypeAdapter(Plan)
TRIAL_PLAN = TypeAdapter(TrialPlan)
TRIAL = TypeAdapter(TrialRecord)
_FACTS = TypeAdapter(TrialFacts)


def read_trial(path: Path) -> tuple[TrialRecord, TrialFacts]:
    """Read ``trial.json`` and the facts in it; InputError where they have not their shape."""
    content = read_bytes(path)
    facts = parse_document(path, content, _FACTS)
    return parse_document(path, content, TRIAL), facts


def read_host(path: Path) -> HostFacts:
    """Read ``host.json``; InputError where facts in it have not their shape."""
    return read_document(path, HOST)


def read_other_hosts(path: Path) -> dict[str, OtherHost]:
    """Read ``hosts.json``; nothing where there is none, and InputError as above."""
    return read_document(path, OTHER_HOSTS) if path.exists() else {}


def read_plan(path: Path) -> Plan:
    """Read ``plan.json``; InputError also where its parts do not belong together."""
    plan = read_document(path, PLAN)
    factors = {factor.name: factor.levels for factor in plan.factors}
    numbers = set()
    for trial in plan.trials:
        levels = dict(trial.cell.levels)
        is_known = levels.keys() == factors.keys() and len(levels) == len(trial.cell.levels)
        if not is_known or any(level not in factors[name] for name, level in levels.items()):
            raise InputError(
                f"{path} is damaged: trial {trial.number} is {trial.cell.label()}, and the factors "
                f"are {', '.join(map(str, factors)) or 'none'}"
            )
        numbers.add(trial.number)
    if len(factors) != len(plan.factors) or len(numbers) != len(plan.trials):
        raise InputError(f"{path} is damaged: it names a factor or a trial twice")
    return plan


def write_format(directory: Path) -> None:
    """Mark a directory as a result of this version."""
    write_json(directory / FORMAT_FILE, RESULT_FORMAT.to_document())


def raise_format(directory: Path) -> None:
    """Mark a result that goes on as one of this version; its earlier trials are read on."""
    if read_json(directory / FORMAT_FILE).get("version") != FORMAT_VERSION:
        write_format(directory)


def check_format(directory: Path) -> None:
    """InputError when the directory is no result, or one of a version that is not known here."""
    RESULT_FORMAT.check(directory)
