"""The rules of a comparison as JUnit's XML, which build servers show as tests."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from dbdyno.analysis.regression.hold import Held, Outcome
from dbdyno.cli.compared import Compared
from dbdyno.cli.comparison_output import held_sentence, missing_cells, noise_lines
from dbdyno.errors import InputError
from dbdyno.target.local.files import file_errors


def write_junit(compared: Compared, path: Path) -> None:
    """Write a test case for each rule and cell, and one for each cell that is missing.

    A regression is a failure; what could not be judged is an error.
    """
    suite = ET.Element("testsuite", name=f"{compared.other} against {compared.baseline}")
    for held in compared.held:
        _add(suite, held, is_judged=compared.is_judged)
    for cell in compared.lacking:
        case = ET.SubElement(suite, "testcase", classname="cells", name=cell.label())
        ET.SubElement(case, "error", message=next(missing_cells(compared)))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    output = ET.SubElement(suite, "system-out")
    output.text = "\n".join((*missing_cells(compared), *noise_lines(compared)))
    ET.indent(suite)
    with file_errors(f"write {path}", InputError):
        path.write_bytes(ET.tostring(suite, encoding="utf-8", xml_declaration=True))


def _add(suite: ET.Element, held: Held, *, is_judged: bool) -> None:
    name = held.cell.label() if held.cell else "all cells"
    case = ET.SubElement(suite, "testcase", classname=held.rule.text, name=name)
    sentence = held_sentence(held)
    if not is_judged:
        message = f"not judged, as the output of the suite says. {sentence}"
        ET.SubElement(case, "error", message=message)
    elif held.outcome is Outcome.REGRESSION:
        ET.SubElement(case, "failure", message=sentence)
    elif held.outcome is Outcome.NOT_JUDGED:
        ET.SubElement(case, "error", message=sentence)
