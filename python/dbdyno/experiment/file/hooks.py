"""Commands of the user's own that a run calls, as written in the file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import Duration
from dbdyno.refusal import refusal

Moment = Literal[
    "before_experiment",
    "before_cell",
    "before_trial",
    "after_trial",
    "after_cell",
    "after_experiment",
]


def _check_command(command: str) -> str:
    if not command.strip() or "\0" in command:
        raise refusal("must be a command of the shell, as in sync; ./prepare.sh")
    return command


Command = Annotated[str, AfterValidator(_check_command)]


class Hooks(FileModel):
    """Commands of the shell, called before and after parts of a run.

    They run in the experiment file's directory, and know from variables what they are called for:
    DBDYNO_EXPERIMENT, DBDYNO_RESULT, DBDYNO_HOOK, DBDYNO_CELL, DBDYNO_TRIAL, DBDYNO_ROUND,
    DBDYNO_TARGET, and DBDYNO_FACTOR_<NAME> for the level of each factor. Where one that comes
    before ends with another status than 0, what it comes before does not begin.
    """

    before_experiment: Command | None = Field(
        default=None, description="Before the first trial.", examples=["./prepare.sh"]
    )
    before_cell: Command | None = Field(
        default=None,
        description="Before a trial of another cell than the one before it.",
        examples=["sync"],
    )
    before_trial: Command | None = Field(
        default=None, description="Before a trial's target is prepared.", examples=["sync; sleep 5"]
    )
    after_trial: Command | None = Field(
        default=None,
        description="After a trial is stored.",
        examples=["./collect.sh $DBDYNO_TRIAL"],
    )
    after_cell: Command | None = Field(
        default=None,
        description="After a trial that one of another cell follows, or none.",
        examples=["./collect.sh"],
    )
    after_experiment: Command | None = Field(
        default=None,
        description="After the last trial, also of a run that ended early.",
        examples=["./tell.sh $DBDYNO_RESULT"],
    )
    limit_s: Annotated[Duration, Field(gt=0)] = Field(
        default=600.0, alias="limit", description="How long each may take; then it is killed."
    )

    def command(self, moment: Moment) -> str | None:
        """Return the command for a moment, if there is one."""
        command: str | None = getattr(self, moment)
        return command
