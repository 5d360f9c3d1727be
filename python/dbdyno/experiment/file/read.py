"""Read an experiment file: everything that can be wrong with it is said here, with its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.file.resolve import resolve
from dbdyno.experiment.file.smoke import check_section
from dbdyno.experiment.file.source import Source
from dbdyno.experiment.model import Experiment, ExperimentFile


def read_experiment(path: Path, *, smoke: bool = False) -> Experiment:
    """Return the experiment of a file; ExperimentError for the first thing that is wrong.

    With ``smoke``, the file's section of that name is applied, where it has one.
    """
    source = Source(path, smoke=smoke)
    try:
        if source.section is not None:
            check_section(source.section, ExperimentFile.field_names())
        file = source.read_as(ExperimentFile)
        experiment = resolve(file, path, source.text_to_store())
        return replace(experiment, is_stand_in=source.section is not None, written=source.written())
    except FieldError as error:
        raise source.error(error.location, error.message) from None
