"""What ``dbdyno plan`` says of servers, work and generators: all that the file fixes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.experiment.file.cluster import Members
    from dbdyno.experiment.file.generator import Generator
    from dbdyno.experiment.file.target import PrivateTarget, Target, UrlTarget
    from dbdyno.experiment.model import Experiment
    from dbdyno.experiment.plan import Plan


def describe_servers(experiment: Experiment, plan: Plan) -> Iterator[str]:
    """Yield a line for each target that the plan uses."""
    used = {trial.target for trial in plan.trials}
    for name, target in experiment.targets.items():
        if name in used:
            yield f"{name}: {_describe_target(target)}{_describe_own_workload(experiment, name)}"


def _describe_own_workload(experiment: Experiment, target: str) -> str:
    """Return what clients do otherwise on a target; nothing where they do as on others."""
    own = experiment.workload_of(target).model_dump(by_alias=True)
    common = experiment.workload.model_dump(by_alias=True)
    fields = [f"{field}: {value}" for field, value in own.items() if value != common[field]]
    return f"; {', '.join(fields)}" if fields else ""


def describe_work(plan: Plan) -> str:
    """Return the workload as the report says what was run."""
    from dbdyno.analysis.setup import workload_setups
    from dbdyno.report.language import clauses, labelled
    from dbdyno.report.words.workloads import workload_rows

    setups = workload_setups(trial.generator_plan for trial in plan.trials)
    rows = [row for each in setups for row in workload_rows(each)]
    return clauses(labelled(label, text) for label, text in rows if text)


def describe_generators(experiment: Experiment) -> str:
    """Return the processes that make the load; those of each set, where a factor chooses one."""
    sets = [
        (f"{name}: " if name else "") + " and ".join(map(_describe_generator, entries))
        for name, entries in experiment.generator_sets.items()
    ]
    return "; ".join(sets)


def describe_sessions(plan: Plan) -> str:
    """Return how many clients there are, and the isolation that their sessions are set to."""
    clients = sorted({trial.generator_plan.clients for trial in plan.trials})
    levels = {trial.generator_plan.session.isolation for trial in plan.trials}
    isolation = ", ".join(sorted(level or "the server's own" for level in levels))
    return f"clients: {', '.join(map(str, clients))}; isolation: {isolation}"


def _describe_generator(entry: Generator) -> str:
    parts = [f"{entry.count} generator{'' if entry.count == 1 else 's'}"]
    if entry.host is not None:
        parts.append(f"on {entry.host}")
    if entry.cpus:
        parts.append(f"on {_cpus(entry.cpus)}")
    if entry.share is not None:
        parts.append(f"with {entry.share} of the load")
    if entry.to:
        parts.append(f"to {', '.join(entry.to)}")
    return " ".join(parts)


def _describe_target(target: Target) -> str:
    from dbdyno.errors import InputError
    from dbdyno.experiment.file.target import ClusterTarget, SqliteTarget, UrlTarget
    from dbdyno.target.opening import program_of

    if isinstance(target, SqliteTarget):
        return "SQLite in the generator's process"
    if isinstance(target, UrlTarget):
        return _describe_url(target)
    if isinstance(target, ClusterTarget):
        roles = (_describe_members(name, group) for name, group in target.members.items())
        return "; ".join(("a cluster", *roles))
    try:
        program = f", {program_of(target)}"
    except InputError:
        # What is wrong stands among the problems.
        program = f" from {target.basedir or 'the PATH'}"
    return "; ".join((f"a private server{program}", *_describe_private(target)))


def _describe_url(target: UrlTarget) -> str:
    if target.commands.restart is None:
        return f"nothing, {target.url} is already up"
    program = target.commands.restart[0]
    ended = "" if target.commands.stop is None else f", and ended by {target.commands.stop[0]}"
    return f"{target.url}, started by {program}{ended}"


def _describe_members(role: str, group: Members) -> str:
    servers = f"{group.count} {role} ({group.kind})"
    if group.hosts:
        on = Counter(place.host for place in group.places)
        places = (host if count == 1 else f"{host} ({count})" for host, count in on.items())
        servers += f" on {', '.join(places)}"
    return ", ".join((servers, *(_describe_private(group.sql) if group.sql is not None else ())))


def _describe_private(target: PrivateTarget) -> Iterator[str]:
    """Yield what is fixed of a server: its options, how clients reach it, its part of a machine."""
    if target.option_file is not None:
        yield f"option file {target.option_file.name}"
    if target.settings:
        yield f"set {', '.join(f'{name}={value}' for name, value in target.settings.items())}"
    if target.transport != "tcp":
        yield {"socket": "over its Unix socket", "tls": "over TLS"}[target.transport]
    if target.cpus:
        yield _cpus(target.cpus)
    if target.numa:
        nodes = ", ".join(map(str, target.numa))
        yield f"NUMA node{'' if len(target.numa) == 1 else 's'} {nodes}"
    if limits := _describe_limits(target):
        yield f"limits: {limits}"


def _cpus(cpus: tuple[int, ...]) -> str:
    from dbdyno.experiment.file.quantity import show_numbers

    return f"CPU{'' if len(cpus) == 1 else 's'} {show_numbers(cpus)}"


def _describe_limits(target: PrivateTarget) -> str:
    """Return what the kernel holds a server to; "" where it may use all."""
    limits = target.limits.planned()
    amounts = []
    if limits.memory_bytes is not None:
        amounts.append(f"{limits.memory_bytes / 2**20:,.0f} MiB memory")
    if limits.cpus is not None:
        amounts.append(f"{limits.cpus:g} CPU{'' if limits.cpus == 1 else 's'}")
    amounts += [
        f"{limit:,} {amount.replace('_', ' ')}/s" for amount, limit in limits.of_disk_per_s.items()
    ]
    return ", ".join(amounts)
