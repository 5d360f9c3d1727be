"""Which cells stand next to each other in the order, and what that costs in words.

Cells that are compared run side by side wherever that takes no restart and no other load of the
data: what the machine does meanwhile then falls out of their ratio.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.design.order import Nest, nest
from dbdyno.experiment.design.resolved_cell import ResolvedCell
from dbdyno.experiment.design.varied_target import start_changes
from dbdyno.experiment.file.target import ClusterTarget, PrivateTarget, Target, UrlTarget
from dbdyno.experiment.model import Experiment, Factor
from dbdyno.experiment.workload.registry import dataset_key, plan_of

CLIENTS = "load.clients"


def nest_cells(experiment: Experiment, cells: Sequence[ResolvedCell]) -> Nest[ResolvedCell]:
    """Return the cells as they stay together: in blocks, and in these by factor."""
    inward = _inward(experiment.factors, cells)
    return nest(
        cells,
        [
            [_block(experiment, resolved) for resolved in cells],
            *([resolved.cell.level(factor.name) for resolved in cells] for factor in inward),
        ],
    )


def describe_order(experiment: Experiment, cells: Sequence[ResolvedCell]) -> str:
    """Return what the order does, for those who plan; "" where one cell has nobody beside it."""
    if len(cells) == 1:
        return ""
    if experiment.procedure.order == "sequential":
        return "all rounds of a cell follow each other: drift of the machine looks like an effect"
    sentences = [_neighbours(experiment, cells), _pairs(experiment.procedure.rounds)]
    if experiment.procedure.order == "abba":
        sentences.append(
            "every pair begins with the levels as the file has them, and ends with them"
        )
    return "; ".join(sentences)


def _neighbours(experiment: Experiment, cells: Sequence[ResolvedCell]) -> str:
    inward = [factor.name for factor in _inward(experiment.factors, cells)]
    blocks: defaultdict[Hashable, list[ResolvedCell]] = defaultdict(list)
    for resolved in cells:
        blocks[_block(experiment, resolved)].append(resolved)
    if len(blocks) == 1:
        return (
            f"the levels of {inward[-1]} run next to each other: that takes no additional restart"
        )
    within = [name for name in inward if any(_varies(name, block) for block in blocks.values())]
    beside = (
        f"within a block the levels of {within[-1]} run next to each other, and " if within else ""
    )
    return (
        f"every round has {len(blocks)} blocks, which a restart or other data part; {beside}blocks "
        "are compared with less precision"
    )


def _varies(factor: str, cells: Sequence[ResolvedCell]) -> bool:
    return len({resolved.cell.level(factor) for resolved in cells}) > 1


def _pairs(rounds: int) -> str:
    if rounds % 2:
        return (
            "rounds come in mirrored pairs, and the last one has none: a drift does not cancel "
            "wholly; an even number of rounds is better"
        )
    return "rounds come in mirrored pairs, so that a linear drift cancels"


def _inward(factors: Sequence[Factor], cells: Sequence[ResolvedCell]) -> list[Factor]:
    """Return the factors from the outermost to the one whose levels stand side by side.

    That is the one that the question is most likely about: the first that is not the number of
    clients, and that some cells differ in alone.
    """
    varied = [factor for factor in factors if len(factor.levels) > 1]
    pairs = compared_pairs([factor.planned() for factor in varied], [each.cell for each in cells])
    compared = {name for name, *_ in pairs}
    order = sorted(varied, key=lambda each: (each.name not in compared, each.sets == CLIENTS))
    return order[::-1]


def _block(experiment: Experiment, resolved: ResolvedCell) -> Hashable:
    """Return what takes time to change between two trials, beyond what each trial takes anyway.

    From a snapshot every trial has its files copied and its server started, whichever cell came
    before. Tables that are loaded anew for every trial cost the same for every cell, but a server
    of ours, or one that commands restart, is restarted where its settings or limits change; and two
    of them never run at once.
    """
    start = experiment.procedure.start
    if start == "snapshot":
        return ()
    is_restarted = _is_restarted(experiment.targets[resolved.target])
    settings = tuple(
        sorted(
            (name, value)
            for name, value in resolved.server_settings.items()
            if name not in resolved.online
        )
    )
    changes = tuple(sorted(start_changes(resolved.target_changes).items()))
    roles = tuple(
        (role, tuple(sorted(setup.settings.items())), setup.limits)
        for role, setup in resolved.role_setups.items()
    )
    started = (resolved.target, settings, resolved.server_limits, roles, changes)
    server = started if is_restarted else ()
    data = dataset_key(plan_of(resolved.workload)) if start == "continue" else ()
    return server, data


def _is_restarted(target: Target) -> bool:
    """Tell whether a target is ended for another, and started anew for other settings."""
    if isinstance(target, UrlTarget):
        return target.commands.restart is not None
    return isinstance(target, PrivateTarget | ClusterTarget)
