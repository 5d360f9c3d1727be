"""pgbench's scripts as a workload, as an experiment file says it.

Scripts are read from their files when the experiment is read, and travel in the plan: what a trial
was asked is stored whole. What is wrong inside a script is found by the generator's own reader.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal, cast, get_args

from pydantic import Field, model_validator
from pydantic.json_schema import JsonSchemaValue

from dbdyno.contained_files import read_named_text
from dbdyno.errors import InputError
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.workload.sql import Answer, SetupStep, complete_data
from dbdyno.experiment.workload.variable import ShortForm, WrittenConstant
from dbdyno.protocol.workload_plan import PgbenchPlan

ACCOUNTS_PER_BRANCH = 100_000
LARGEST_SCALE = 100_000
ROWS_PER_BRANCH = ACCOUNTS_PER_BRANCH + 10 + 1

Builtin = Literal["tpcb-like", "simple-update", "select-only"]


class Script(ShortForm):
    """A script: one of pgbench's own, or a file."""

    short: ClassVar[tuple[JsonSchemaValue, ...]] = ({"type": "string"},)

    builtin: Builtin | None = Field(default=None, description="One of pgbench's own scripts.")
    file: str | None = Field(
        default=None,
        description="A script; the path is relative to the experiment file.",
        examples=["mine.sql"],
    )
    text: str | None = Field(
        default=None,
        description="The script itself; the file's, where one is named.",
        examples=["SELECT 1;"],
    )
    weight: int = Field(
        default=1, ge=1, description="How often it is chosen, relative to the others."
    )

    @model_validator(mode="before")
    @classmethod
    def read_short_form(cls, value: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Read ``select-only@9`` and ``mine.sql@3`` as pgbench's options -b and -f do."""
        if not isinstance(value, str):
            return value
        name, _, weight = value.rpartition("@")
        if not (name and weight.isdecimal()):
            name, weight = value, "1"
        field = "builtin" if name in get_args(Builtin) else "file"
        return {field: name, "weight": int(weight)}


class PgbenchSize(FileModel):
    """What of pgbench's tables may be varied."""

    scale: int = Field(
        default=1, ge=1, le=LARGEST_SCALE, description="Branches; each has 100,000 accounts."
    )
    fillfactor: int | None = Field(
        default=None,
        ge=10,
        le=100,
        description="How full PostgreSQL fills its pages, in percent.",
        examples=[90],
    )
    foreign_keys: bool = Field(default=False, description="Whether the tables refer to each other.")


class Pgbench(PgbenchSize):
    """pgbench's scripts as they are, on the tables that ``pgbench -i`` makes or on one's own."""

    scripts: list[Script] = Field(
        default=[Script(builtin="tpcb-like")],
        min_length=1,
        description="tpcb-like, simple-update, select-only or files, each with @weight.",
    )
    variables: dict[str, WrittenConstant] = Field(
        default={},
        description="Variables with a value from the beginning, as with pgbench -D.",
        examples=[{"nbranches": 10}],
    )
    variables_in_text: bool = Field(
        default=False,
        description="Put the values of variables into the text of statements, as pgbench does in "
        "its mode simple; a table's name can be a variable then.",
    )
    expected_errors: list[str | int] = Field(
        default=[], description="Errors that are counted and are no failure.", examples=[["40001"]]
    )
    setup: list[SetupStep] | None = Field(
        default=None,
        description="Tables of one's own in place of pgbench's; [] for none.",
        examples=[["CREATE TABLE t (id INT PRIMARY KEY, v INT)"]],
    )
    teardown: list[str] | None = Field(
        default=None,
        description="Statements that remove the tables of the set-up.",
        examples=[["DROP TABLE IF EXISTS t"]],
    )
    checks: dict[str, Answer] = Field(
        default={},
        description="Queries and their answers, which must be so before a trial and after it.",
        examples=[{"SELECT count(*) FROM t": 1000}],
    )


DATASET_FIELDS = ("scale", "fillfactor", "foreign_keys", "setup", "teardown", "checks")
"""The fields that the loaded rows follow from, or by which they are known."""


def with_texts(pgbench: Pgbench, directory: Path) -> Pgbench:
    """Return the workload with its scripts' texts; FieldError where one cannot be read."""
    scripts = [_with_text(script, directory, index) for index, script in enumerate(pgbench.scripts)]
    return pgbench.model_copy(update={"scripts": scripts})


def _with_text(script: Script, directory: Path, index: int) -> Script:
    location = ("workload", "pgbench", "scripts", index)
    given = [field for field in (script.builtin, script.file, script.text) if field is not None]
    if len(given) != 1:
        raise FieldError(
            location, "must be exactly one of builtin, file and text, as in {file: mine.sql}"
        )
    if script.file is None:
        return script
    path = directory / script.file
    try:
        text = read_named_text(path)
    except InputError as error:
        raise FieldError(location, str(error)) from None
    except UnicodeDecodeError:
        raise FieldError(location, f"{path} is not text in UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise FieldError(
            location,
            f"{script.file!r} is none of pgbench's own scripts ({', '.join(get_args(Builtin))}), "
            f"and the file {path} cannot be read ({error.strerror}); the path is relative to the "
            "experiment file",
        ) from None
    return script.model_copy(update={"text": text})


def plan_of(pgbench: Pgbench) -> PgbenchPlan:
    """Return the workload as a trial plan has it."""
    dumped = pgbench.model_dump(by_alias=True, exclude_none=True, exclude={"checks"})
    plan = cast("PgbenchPlan", dumped)
    complete_data(plan, pgbench.checks)
    # Those that are null, too.
    plan["variables"] = dict(pgbench.variables)
    return plan


def rows_of(plan: PgbenchPlan) -> int:
    """Return how many rows a trial plan's tables have."""
    if "setup" in plan:
        return sum(step.get("rows", 0) for step in plan["setup"])
    return plan["scale"] * ROWS_PER_BRANCH
