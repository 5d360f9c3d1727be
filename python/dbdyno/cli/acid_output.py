"""What ``dbdyno tpcc acid`` shows: each test with its steps as it is decided; or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from dbdyno.cli.say import say
from dbdyno.tpcc.acid.result import AcidResult, Verdict
from dbdyno.tpcc.schema import TpccSchema

WHAT_ELSE = "Consistency: dbdyno tpcc check. Durability: dbdyno tpcc durability."


class AcidOutput:
    """The results of all tests, as text while they come in or as JSON at the end."""

    def __init__(
        self, schema: TpccSchema, isolation: str, *, is_default: bool, as_json: bool
    ) -> None:
        self._schema = schema
        self._isolation = isolation
        self._is_default = is_default
        self._as_json = as_json

    def begin(self) -> None:
        """Say on what the tests are carried out."""
        if self._as_json:
            return
        schema = self._schema
        default = ", the server's default" if self._is_default else ""
        say(
            f"TPC-C atomicity and isolation: tables of {schema.name} ({schema.names.orders}, …) "
            f"on {schema.dialect.name}\nisolation {self._isolation}{default}\n"
        )

    def tell(self, result: AcidResult) -> None:
        """Print one test."""
        if not self._as_json:
            say("\n" + "".join(f"{line}\n" for line in _lines(result)))

    def end(self, results: Sequence[AcidResult]) -> None:
        """Print what follows from all of them."""
        if self._as_json:
            say(json.dumps(self._document(results), indent=2) + "\n")
            return
        say("\n" + "".join(f"{line}\n" for line in self._verdict(results)))

    def _verdict(self, results: Sequence[AcidResult]) -> list[str]:
        said = []
        for verdict, words in ((Verdict.FAILED, "Failed"), (Verdict.UNDECIDED, "Not decided")):
            clauses = [result.test.clause for result in results if result.verdict is verdict]
            if clauses:
                said.append(f"{words} at isolation {self._isolation}: {', '.join(clauses)}.")
        return [*(said or [f"All {len(results)} hold at isolation {self._isolation}."]), WHAT_ELSE]

    def _document(self, results: Sequence[AcidResult]) -> dict[str, object]:
        return {
            "server": self._schema.dialect.name,
            "schema": self._schema.name,
            "tables": asdict(self._schema.names),
            "isolation": self._isolation,
            "is_default": self._is_default,
            "holds": all(result.verdict is Verdict.PASSED for result in results),
            "tests": [_plain(result) for result in results],
        }


def _lines(result: AcidResult) -> list[str]:
    test = result.test
    steps = [f"    {step.who:6}  {step.said}" for step in result.steps]
    return [
        f"{result.verdict.value:9} {test.clause}  {test.title} ({test.phenomenon})",
        *steps,
        f"    => {result.reason}",
    ]


def _plain(result: AcidResult) -> dict[str, object]:
    test = result.test
    return {
        "clause": test.clause,
        "title": test.title,
        "phenomenon": test.phenomenon,
        "verdict": result.verdict.value.lower(),
        "reason": result.reason,
        "steps": [asdict(step) for step in result.steps],
    }
