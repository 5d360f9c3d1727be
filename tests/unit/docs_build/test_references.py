"""Each reference names all that there is of its kind, and says what it means.

What there is, is asked of the code in another way than the references ask.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Annotated, Any

import pydantic
import pytest
from docs_build.references import FOLDER, references
from docs_build.references.command_line import commands
from docs_build.references.field_examples import example_of, examples_of_files
from docs_build.references.schema_fields import Field, fields_of, mappings
from pydantic import TypeAdapter, ValidationError
from ruamel.yaml import YAML
from typer.testing import CliRunner

from dbdyno import variables
from dbdyno.analysis.audit.model import Code as AuditCode
from dbdyno.analysis.validity.codes import Code
from dbdyno.cli.exit_status import OWN_MEANINGS, ExitStatus
from dbdyno.cli.main import COMMANDS, app
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.model import ExperimentFile
from dbdyno.experiment.plan import Plan
from dbdyno.facts.host import HostFacts
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.resources import SCHEMA
from dbdyno.source_notes import NoteCode
from dbdyno.store import columns, layout
from dbdyno.store.facts import DatasetFacts, ServerFacts
from dbdyno.store.record import TrialRecord

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "dbdyno"
NAMES_OF_READERS = {"password.py", "variables.py", "target/local/launch.py"}
"""Sources that may touch the environment; the last one becomes a server, and hands on its own."""


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The generated pages, by their paths."""
    return references(ROOT)


def missing(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that a page does not have as code, or as a heading."""
    return [name for name in names if f"`{name}`" not in text and f"# {name}\n" not in text]


def declared_variables() -> list[variables.Variable]:
    """Return the variables that the module has, by themselves or in a table."""
    values = list(vars(variables).values())
    tables = [value for value in values if isinstance(value, dict)]
    values += [each for table in tables for each in table.values()]
    return [each for each in values if isinstance(each, variables.Variable)]


def names_that_pages_must_have() -> dict[str, list[str]]:
    """Return by page what it must name."""
    tables = (getattr(columns, name) for name in dir(columns) if name.endswith("_SCHEMA"))
    files = [getattr(layout, name) for name in dir(layout) if name.endswith("_FILE")]
    dataclasses = (Plan, TrialPlan, TrialRecord, HostFacts)
    documents = [each.name for kind in dataclasses for each in dataclass_fields(kind)]
    return {
        "warnings": [str(code) for codes in (Code, AuditCode, NoteCode) for code in codes],
        "result-format": [*files, *SCHEMA, *(name for table in tables for name in table)],
        "result-documents": [*documents, *ServerFacts.model_fields, *DatasetFacts.model_fields],
        "environment-variables": [each.name for each in declared_variables()],
        "exit-statuses": [str(int(status)) for status in ExitStatus],
        "command-line": [f"dbdyno {name}" for name in COMMANDS],
    }


@pytest.mark.parametrize("page", names_that_pages_must_have())
def test_a_reference_names_all_that_there_is(pages: dict[str, str], page: str) -> None:
    names = names_that_pages_must_have()[page]
    text = pages[f"{FOLDER}/{page}.md"]
    assert len(names) > 3
    assert missing(text, names) == []
    last = names[-1]
    without = text.replace(f"`{last}`", "").replace(f"# {last}\n", "")
    assert missing(without, names) == [name for name in names if name == last]


def models_below(model: type[FileModel]) -> set[type[FileModel]]:
    """Return a model and all that its fields may hold, whatever these are wrapped in."""
    found = {model}
    waiting: list[Any] = [field.annotation for field in model.model_fields.values()]
    while waiting:
        annotation = waiting.pop()
        waiting += [*getattr(annotation, "__args__", ()), *getattr(annotation, "__metadata__", ())]
        is_model = isinstance(annotation, type) and issubclass(annotation, FileModel)
        if is_model and annotation not in found:
            found.add(annotation)
            waiting += [field.annotation for field in annotation.model_fields.values()]
    return found


def fields() -> Iterator[Field]:
    """Yield all fields that the reference describes."""
    schema, seen = ExperimentFile.model_json_schema(), {"ExperimentFile"}
    for top in fields_of("", "ExperimentFile", schema):
        yield top
        for mapped in mappings(top.name, schema["properties"][top.name], seen):
            yield from mapped.fields


ALL_FIELDS = list(fields())


def test_the_reference_of_the_experiment_file_has_each_field_of_each_model() -> None:
    # What a reader fills in by itself cannot be written.
    filled_in = {("ClusterTarget", "home")}
    expected = {
        (model.__name__, field.alias or name)
        for model in models_below(ExperimentFile)
        for name, field in model.model_fields.items()
    }
    assert {(field.model, field.name) for field in ALL_FIELDS} == expected - filled_in


def test_each_field_stands_on_a_page_with_its_meaning(pages: dict[str, str]) -> None:
    text = "\n".join(text for path, text in pages.items() if "experiment-file/" in path)
    paths = [field.path for field in ALL_FIELDS]
    assert missing(text, paths) == []
    assert missing(text.replace("`procedure.warmup`", ""), paths) == ["procedure.warmup"]
    assert [field.path for field in ALL_FIELDS if not field.meaning] == []


def test_each_field_that_is_no_mapping_has_an_example() -> None:
    found = examples_of_files(ROOT / "experiments")
    lacking = [field for field in ALL_FIELDS if not example_of(field, found)]
    assert [field.path for field in lacking if field.written != "mapping"] == []


def accepts(field: Field, value: object) -> bool:
    """Tell whether a field's model takes a value for it."""
    (model,) = (each for each in models_below(ExperimentFile) if each.__name__ == field.model)
    infos = {info.alias or name: info for name, info in model.model_fields.items()}
    info = infos[field.name]
    kind: Any = Annotated[info.annotation, pydantic.Field(), *info.metadata]
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


def test_each_example_is_right() -> None:
    found = examples_of_files(ROOT / "experiments")
    lines = [(field, example_of(field, found)) for field in ALL_FIELDS]
    values = [(field, YAML(typ="safe").load(line)) for field, line in lines if line]
    assert len(values) > 200
    wrong = [(field.path, each) for field, each in values if not accepts(field, each[field.name])]
    assert wrong == []


@pytest.mark.parametrize(
    ("path", "wrong"), [("procedure.rounds", 0), ("procedure.pause", "soon"), ("load.clients", "x")]
)
def test_a_wrong_example_is_found(path: str, wrong: object) -> None:
    (field,) = (each for each in ALL_FIELDS if each.path == path)
    assert not accepts(field, wrong)


def test_bounds_and_defaults_are_those_of_the_models() -> None:
    by_path = {field.path: field for field in ALL_FIELDS}
    assert by_path["procedure.duration"].bounds == ("more than 0",)
    assert by_path["procedure.rounds"].bounds == ("at least 1", "at most 1,000")
    assert by_path["procedure.rounds"].default == 6
    assert by_path["target.mysql.limits.cpus"].bounds == ("at least 0.01", "at most 4,096")
    assert by_path["procedure.order"].written == "`interleaved`, `abba` or `sequential`"


def test_the_command_line_has_each_option_that_help_shows(pages: dict[str, str]) -> None:
    text = pages[f"{FOLDER}/command-line.md"]
    named = set(re.findall(r"--[a-z][a-z-]+", text)) | {"--help"}
    for name, _ in commands():
        shown = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": "200"}).output
        options = set(re.findall(r"(?<![\w`-])--[a-z][a-z-]+", shown))
        assert options <= named, name


def test_statuses_of_their_own_are_of_commands_that_there_are() -> None:
    assert OWN_MEANINGS.keys() <= {name for name, _ in commands()}
    assert all(0 <= status <= 3 for meanings in OWN_MEANINGS.values() for status in meanings)


def readers_of_the_environment(folder: Path) -> set[str]:
    """Return the sources that name ``os.environ`` or ``os.getenv``."""
    texts = {file: file.read_text() for file in folder.rglob("*.py")}
    return {
        str(file.relative_to(folder))
        for file, text in texts.items()
        if "environ" in text or "getenv" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv")
    }


def test_the_environment_is_read_in_one_place() -> None:
    assert readers_of_the_environment(PACKAGE) == NAMES_OF_READERS


def test_a_reader_of_the_environment_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("import os\nplace = os.environ.get('PLACE')\n")
    (tmp_path / "two.py").write_text("import os\nplace = os.getenv('PLACE')\n")
    (tmp_path / "three.py").write_text("import os\nplace = os.getcwd()\n")
    assert readers_of_the_environment(tmp_path) == {"one.py", "two.py"}


def test_each_variable_is_declared_as_read_or_as_given() -> None:
    assert set(declared_variables()) == {*variables.READ, *variables.GIVEN}


def test_variables_of_tests_are_in_the_page_for_contributors() -> None:
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "crates").rglob("*.rs")]
    read = re.compile(r"""env(?:iron)?(?:::var|\.get)\("(DBDYNO_\w+)""")
    found = {name for file in files for name in read.findall(file.read_text())}
    page = (ROOT / "CONTRIBUTING.md").read_text()
    assert len(found) > 2
    assert [name for name in sorted(found) if name not in page] == []


def test_each_file_of_a_result_is_in_the_map_of_it() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    assert [name for name in (*layout.TOP_LEVEL, *layout.TRIAL_FILES) if name not in page] == []
