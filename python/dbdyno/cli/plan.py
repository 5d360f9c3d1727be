"""``dbdyno plan``: what an experiment will do, before anything is started."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from dbdyno.experiment.model import Experiment
    from dbdyno.experiment.plan import Cell, Plan, PlannedSearch
    from dbdyno.run.dry_run import Start
    from dbdyno.run.needs import Needs
    from dbdyno.target.problem import Problem


STARTS = {
    "snapshot": "from a snapshot",
    "reload": "from tables loaded anew",
    "continue": "from what the last one left",
}
"""What a trial starts from, in words."""


def plan(
    experiment_file: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT.yaml", help="The experiment file.")
    ],
    smoke: Annotated[
        bool,
        typer.Option(
            "--smoke",
            help="Plan the smoke size: what the file's section smoke names, or all made small.",
        ),
    ] = False,
    hosts_from: Annotated[
        Path | None,
        typer.Option(
            metavar="HOSTS.yaml",
            help="Call no machine: check the experiment against those that this file describes, "
            "and print each command as it would run. hosts: {db1: {address: 10.0.0.1, cpus: 64, "
            "numa_nodes: 2, memory: 256G}}",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole plan as JSON.")] = False,
) -> None:
    """Show the matrix, the order, what will be started and how long it takes."""
    import json

    from pydantic_core import to_jsonable_python
    from rich.console import Console
    from rich.markup import escape

    from dbdyno.cli.exit_status import ExitStatus, status_of
    from dbdyno.cli.planning import read_and_plan
    from dbdyno.run.needs import needs_of
    from dbdyno.run.preflight import error_of, preflight

    experiment, made = read_and_plan(experiment_file, smoke=smoke)
    needs = needs_of(experiment, made.trials)
    if hosts_from is None:
        problems = preflight(experiment, made.trials, Path("results"))
        starts: list[Start] = []
    else:
        problems, starts = _against_described(experiment, made, needs, hosts_from)
    if as_json:
        said = {"needs": needs, "problems": [problem.message for problem in problems]}
        if hosts_from is not None:
            said["starts"] = starts
        document = to_jsonable_python(made) | to_jsonable_python(said)
        print(json.dumps(document, indent=2))
    else:
        console = Console(highlight=False)
        _show(experiment, made, needs, console)
        for line in _describe_starts(starts):
            console.print(escape(line), soft_wrap=True)
        for problem in problems:
            console.print(f"[bold]Problem:[/bold] {escape(problem.message)}", soft_wrap=True)
    error = error_of(problems)
    # A run goes on without the trials that a problem costs, and fails for them in the end.
    raise typer.Exit(ExitStatus.FAILED if problems and error is None else status_of(error))


def _against_described(
    experiment: Experiment, plan: Plan, needs: Needs, hosts_from: Path
) -> tuple[list[Problem], list[Start]]:
    """Return what the machines of a file lack, and all commands; no machine is called."""
    from dbdyno.run.described_hosts import problems_of_hosts, read_hosts
    from dbdyno.run.dry_run import starts_of

    hosts = read_hosts(hosts_from)
    problems = problems_of_hosts(experiment, plan.trials, needs, hosts)
    return problems, starts_of(experiment, plan.trials, hosts)


def _show(experiment: Experiment, plan: Plan, needs: Needs, console: Console) -> None:
    from rich.markup import escape

    from dbdyno.cli.needs import describe_needs
    from dbdyno.cli.planned_parts import (
        describe_generators,
        describe_servers,
        describe_sessions,
        describe_work,
    )
    from dbdyno.cli.power import describe_power
    from dbdyno.control_groups import machine_memory_bytes
    from dbdyno.experiment.translated import text_in

    console.print(f"[bold]{escape(plan.experiment)}[/bold]: {escape(text_in(plan.question))}\n")
    for table in (_table_of_factors(plan), _table_of_order(plan)):
        console.print(table)
        console.print()
    for server in describe_servers(experiment, plan):
        console.print(f"Starts:  {escape(server)}")
    console.print(f"Loads:   {escape(_describe_data(plan))}")
    console.print(f"Runs:    {escape(describe_work(plan))}")
    console.print(
        f"Sends:   {escape(describe_generators(experiment))}; {escape(describe_sessions(plan))}"
    )
    console.print(f"Trials:  {escape(_describe_trials(experiment, plan))}")
    if plan.search is not None:
        console.print(f"Search:  {escape(_describe_search(plan.search))}")
    if plan.order_in_words:
        console.print(f"Order:   {escape(plan.order_in_words)}")
    if plan.reference_in_words:
        console.print(f"Again:   {escape(plan.reference_in_words)}")
    console.print(f"Takes:   {_describe_takes(experiment, plan)}")
    has_bytes = machine_memory_bytes()
    console.print(f"Needs:   {escape(describe_needs(needs, machine_memory_bytes=has_bytes))}")
    if power := describe_power(plan):
        console.print(f"Shows:   {escape(power)}")
    if limits := _describe_run_limits(experiment):
        console.print(f"Limits:  {escape(limits)}")
    for published in _describe_published(experiment):
        console.print(f"Beside:  {escape(published)}")
    for note in plan.notes:
        console.print(f"Note:    {escape(note)}")


def _describe_starts(starts: Sequence[Start]) -> Iterator[str]:
    """Yield the commands of each start; servers that one command starts stand in one line."""
    for start in starts:
        yield f"\nStart:   {start.cell.label()}"
        for command, steps in groupby(start.steps, key=lambda step: step.command):
            names = (f"{each.name} ({each.place})" if each.place else each.name for each in steps)
            yield f"  {', '.join(names)}: {command}"


def _table_of_factors(plan: Plan) -> Table:
    from rich.text import Text

    from dbdyno.report.terminal_table import terminal_table

    table = terminal_table("factor", "sets", "levels", "baseline")
    for factor in plan.factors:
        levels = ", ".join(factor.levels)
        others = (
            f"{' and '.join(factor.baselines_of(level))} for {level}"
            for level in dict(factor.against)
        )
        baselines = "; ".join([factor.baseline_level, *others])
        table.add_row(Text(factor.name), Text(factor.sets), Text(levels), Text(baselines))
        for each in factor.follows:
            values = ", ".join(each.values)
            table.add_row(Text(""), Text(f"{each.setting} of {each.target}"), Text(values), Text())
    return table


def _table_of_order(plan: Plan) -> Table:
    """Return the cells as rows: their levels, and the number of their trial in each round."""
    from rich.text import Text

    from dbdyno.report.terminal_table import terminal_table

    numbers: dict[Cell, dict[int, int]] = {}
    for trial in sorted(plan.compared, key=lambda trial: _place_in_matrix(plan, trial.cell)):
        numbers.setdefault(trial.cell, {})[trial.round] = trial.number
    # One column for all rounds, however many there are: the numbers are as wide as the longest.
    width = len(str(len(plan.trials)))
    names = [factor.name for factor in plan.factors] or ["cell"]
    table = terminal_table(*names, f"trials, in rounds 1 to {plan.rounds}")
    for cell, by_round in numbers.items():
        levels = [level for _, level in cell.levels] or [cell.label()]
        trials = " ".join(f"{by_round[number]:{width}}" for number in sorted(by_round))
        table.add_row(*map(Text, levels), Text(trials))
    return table


def _place_in_matrix(plan: Plan, cell: Cell) -> list[int]:
    return [factor.levels.index(cell.level(factor.name)) for factor in plan.factors]


def _describe_data(plan: Plan) -> str:
    from dbdyno.experiment.workload.registry import describe_data, rows_of

    workloads = (trial.generator_plan.workload for trial in plan.trials)
    sizes = {(rows_of(workload), describe_data(workload)) for workload in workloads}
    return ", then ".join(description for _, description in sorted(sizes))


def _describe_trials(experiment: Experiment, plan: Plan) -> str:
    asked = plan.trials[0].generator_plan
    count = len(plan.compared)
    return (
        f"{_describe_cells(plan)} × {plan.rounds} rounds = {count}, {plan.order}; each starts "
        f"{STARTS[experiment.procedure.start]}, {_describe_warmup(experiment)}, "
        f"{asked.duration_s:g} s window{_describe_caches(experiment)}{_describe_pause(experiment)}"
    )


def _describe_cells(plan: Plan) -> str:
    cells, without = len(plan.compared_cells), plan.combinations_without_cell
    counted = f"{cells} cell{'' if cells == 1 else 's'}"
    return f"{counted} (of {cells + without} combinations of levels)" if without else counted


def _describe_warmup(experiment: Experiment) -> str:
    warmup_s = experiment.procedure.warmup_s
    if experiment.procedure.steady_warmup is None:
        return f"{warmup_s:g} s warm-up"
    return f"warm-up until throughput is steady, {warmup_s:g} s at the most"


def _describe_search(search: PlannedSearch) -> str:
    """Return what is looked for, and how many trials that may take."""
    sought = [f"the highest throughput between {search.low} and {search.high} clients"]
    if search.limit_s is not None and search.quantile is not None:
        limit = f"p{100 * search.quantile:g} of {1000 * search.limit_s:g} ms"
        sought.append(f"the most clients that keep a {limit}")
    if search.rate is not None:
        sought.append(f"then {search.rounds} rounds at {100 * search.rate:g}% of the highest")
    return (
        f"{', '.join(sought)}; the trials above are the first step, what follows depends on them, "
        f"and all are {search.most_trials} at the most"
    )


def _describe_takes(experiment: Experiment, plan: Plan) -> str:
    from dbdyno.experiment.design.estimate import starts_by_commands

    about = f"about {_describe_duration(plan.estimated_s)}"
    if experiment.procedure.steady_warmup is not None:
        about += " at the most"
    if starts := starts_by_commands(experiment, plan.trials):
        times = "once" if starts == 1 else f"{starts} times"
        about += f", and the time that your commands take to start servers {times}"
    if plan.search is None:
        return f"{about}{_describe_parts(experiment, plan)}"
    most_s = plan.estimated_s * plan.search.most_trials / len(plan.trials)
    return f"{about} for the first step, and at the most {_describe_duration(most_s)}"


_PARTS = {
    "loading_s": "loading",
    "copying_s": "copying data to start from",
    "starting_s": "starting",
    "warmup_s": "warm-up",
    "measuring_s": "measuring",
    "checking_s": "checking the tables",
    "pausing_s": "rest",
}


def _describe_parts(experiment: Experiment, plan: Plan) -> str:
    """Return what the time goes into, the parts that are a hundredth of it or more."""
    from dbdyno.experiment.design.estimate import estimate

    parts = estimate(experiment, plan.trials)._asdict()
    named = [
        f"{name} {_describe_duration(parts[field])}"
        for field, name in _PARTS.items()
        if parts[field] >= plan.estimated_s / 100
    ]
    return f": {', '.join(named)}" if len(named) > 1 else ""


def _describe_caches(experiment: Experiment) -> str:
    procedure = experiment.procedure
    if procedure.caches == "warm":
        return ", caches warmed by reading all tables"
    if procedure.caches == "cold":
        filled = f", which {procedure.warmup_s:g} s of warm-up fill again"
        return f", caches cold{filled if procedure.warmup_s else ''}"
    return ""


def _describe_pause(experiment: Experiment) -> str:
    pause_s = experiment.procedure.pause_s
    return f", and {pause_s:g} s rest between two trials" if pause_s else ""


def _describe_run_limits(experiment: Experiment) -> str:
    """Return what ends a run or a trial early; "" where nothing does."""
    from dbdyno.experiment.file.limits import show_bytes

    limits = experiment.procedure.limits
    said = []
    if limits.campaign_s is not None:
        said.append(
            f"{_describe_duration(limits.campaign_s)} a call, after which the same command goes on"
        )
    if limits.disk_bytes is not None:
        said.append(f"{show_bytes(limits.disk_bytes)} of disk")
    if limits.trial_s is not None:
        said.append(f"{_describe_duration(limits.trial_s)} for the load of a trial")
    return "; ".join(said)


def _describe_published(experiment: Experiment) -> Iterator[str]:
    """Yield what the report will show of others, a line a source."""
    if not experiment.report.published:
        return
    from dbdyno.published.given import read_given

    for each in read_given(experiment):
        count = sum(len(table.figures) for table in each.tables)
        names = ", ".join(dict.fromkeys(table.path.name for table in each.tables))
        columns = [f"{column} is {matched.factor}" for column, matched in each.match.items()]
        fixed = [f"{factor} was {level} in all" for factor, level in each.at.items()]
        standing = ", ".join([*columns, *fixed]) or "no column stands for a factor"
        yield f"{count:,} published figures ({names}) of {each.source}; {standing}"


def _describe_duration(duration_s: float) -> str:
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
