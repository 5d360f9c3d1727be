"""The option files and templates that an experiment names, as a result keeps them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dbdyno.contained_files import read_file
from dbdyno.experiment.file.cluster import ClusterTarget
from dbdyno.experiment.file.private import PrivateTarget
from dbdyno.experiment.file.target import Target
from dbdyno.experiment.model import Experiment
from dbdyno.password import without_passwords_in_comment

LARGEST_BYTES = 1 << 20


def configuration_of(experiment: Experiment) -> dict[str, str]:
    """Return the text of each by its path from the experiment file; passwords are masked.

    OSError where one cannot be read, InputError where it is no file of up to a MiB.
    """
    paths = (path for target in experiment.targets.values() for path in _named(target))
    return {
        os.path.relpath(path, experiment.path.parent): _text(path) for path in dict.fromkeys(paths)
    }


def _named(target: Target) -> Iterator[Path]:
    if isinstance(target, ClusterTarget):
        for group in target.members.values():
            for private in (group.mysql, group.postgresql):
                yield from _named(private) if private else ()
            yield from group.command.files.values() if group.command else ()
        yield from target.setup.values()
    elif isinstance(target, PrivateTarget) and target.option_file is not None:
        yield target.option_file


def _text(path: Path) -> str:
    text = read_file(path.resolve(), LARGEST_BYTES).decode("utf-8", "replace")
    return "".join(map(without_passwords_in_comment, text.splitlines(keepends=True)))
