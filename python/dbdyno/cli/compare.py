"""``dbdyno compare``: two results, one verdict a cell, and an exit status for pipelines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def compare(  # noqa: PLR0913, PLR0917 - each is an option
    baseline: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="The baseline: a result directory, an import, or a log of another tool; "
            "RESULT@FACTOR=LEVEL for the trials at a level.",
        ),
    ],
    other: Annotated[
        str, typer.Argument(metavar="B", help="What is held against it, written alike.")
    ],
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            metavar="RULE",
            help="Exit with 3 where B is shown to be worse, and the estimate is this much: 'p95 "
            "worse by 5 %', 'throughput worse by 3 %'. With 'worse by at least 5 %' the whole 95 % "
            "interval must be. Figures: throughput, p50, p95, p99, variation. Give it once for "
            "each rule.",
        ),
    ] = None,
    again: Annotated[
        list[str] | None,
        typer.Option(
            "--again",
            metavar="DIR",
            help="Another run of just what A is, for an A/A check: where a rule fires between the "
            "two, runs of this machine differ too much, and no rule is judged.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Show figures of results that cannot be compared, too."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Write the rules as JUnit's XML, too."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="DIR", help="Write the report into this directory."),
    ] = None,
    formats: Annotated[
        str, typer.Option("--format", metavar="LIST", help="Of the report: html, md, pdf.")
    ] = "html",
    languages: Annotated[
        str, typer.Option("--lang", metavar="LIST", help="Of the report: en, zh.")
    ] = "en",
) -> None:
    """Compare two results, or two levels of one.

    Exit status: 0 no rule fires; 1 a rule could not be judged; 2 the call is wrong, or the two
    cannot be compared; 3 a rule fires.
    """
    from dbdyno.cli.compared import compare_sides
    from dbdyno.cli.compared_sides import read_sides
    from dbdyno.cli.comparison_output import print_comparison, to_json
    from dbdyno.cli.exit_status import ExitStatus
    from dbdyno.cli.fail_rule import parse_rule
    from dbdyno.cli.junit import write_junit
    from dbdyno.cli.listed_names import required_names
    from dbdyno.errors import InputError
    from dbdyno.report.write import refuse_unwritable, write_report
    from dbdyno.target.local.files import file_errors

    rules = [parse_rule(text) for text in fail_if or []]
    if again and not rules:
        raise InputError("--again checks the rules of --fail-if, and there are none")
    if report is not None:
        refuse_unwritable(required_names("--format", formats), required_names("--lang", languages))
    first, second, *repeated = read_sides([baseline, other, *(again or [])])
    compared = compare_sides(first, second, repeated, rules, is_forced=force)
    if as_json:
        print(to_json(compared))
    else:
        print_comparison(compared)
    if junit is not None:
        write_junit(compared, junit)
    if report is not None:
        asked = required_names("--format", formats), required_names("--lang", languages)
        with file_errors(f"write the report into {report}", InputError):
            report.mkdir(parents=True, exist_ok=True)
            written = write_report(compared.findings, report, *asked)
        for path in written:
            print(f"report: {path}", file=sys.stderr)
    if compared.status is not ExitStatus.SUCCESS:
        raise typer.Exit(compared.status)
