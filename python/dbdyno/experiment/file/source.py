"""The text of an experiment file as values, with the line of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from dbdyno.experiment.file.bounds import LARGEST_BYTES, TooLargeError, check_bounds
from dbdyno.experiment.file.error import ExperimentError, Location
from dbdyno.experiment.file.messages import explain
from dbdyno.experiment.file.smoke import SMOKE, merge_patch
from dbdyno.password import without_passwords_in_comment

Model = TypeVar("Model", bound=BaseModel)

WHOLE = ("question",)
"""Fields that the section ``smoke`` replaces as a whole."""
ARTIFICIAL_PARTS = ("<list>", "<mapping>", "[key]")
"""Parts of a location that come from pydantic and not from the file."""

_PLAIN_SIGNS = dict(
    zip(
        "\uff1a\uff0c\u3001\uff08\uff09\uff5b\uff5d\uff3b\uff3d\u3010\u3011\u201c\u201d\u2018\u2019\uff03\uff0d\u3000",
        ":,,(){}[][]\"\"''#- ",
        strict=True,
    )
)
_SIGN = f"[{''.join(_PLAIN_SIGNS)}]"
_FULL_WIDTH_SIGN = re.compile(f"(?<=[!-~]){_SIGN}|{_SIGN}(?=[!-~])")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.M)


@dataclass(frozen=True)
class _Found:
    """Where a field stands; ``depth`` is how many parts of its location are in the file."""

    line: int
    field: str
    depth: int


class Source:
    """A file that was read and is YAML; what it means is not looked at here.

    With ``smoke``, the fields of its section of that name take the place of its own.
    """

    def __init__(self, path: Path, *, smoke: bool = False) -> None:
        self.path = path
        self.text = _read(path)
        self._tree = _parse(path, self.text)
        section = self._tree.get(SMOKE) if smoke else None
        self.section = section if isinstance(section, CommentedMap) else None

    def values(self) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Return the content as plain dictionaries, lists, text, numbers and truth values."""
        values = _plain(self._tree)
        if self.section is None:
            return values
        patch = self._patch()
        # A question of the section is another one, in whatever languages it is asked.
        kept = {
            name: each for name, each in values.items() if not (name in WHOLE and name in patch)
        }
        return merge_patch(kept, patch)

    def written(self) -> dict[str, Any]:
        """Return the content with the section ``smoke`` put in place, or without that section."""
        values = dict(self.values())
        values.pop(SMOKE, None)
        return values

    def read_as(self, model: type[Model]) -> Model:
        """Return the content as a model; ExperimentError for the first thing that is wrong."""
        try:
            return model.model_validate(self.values())
        except ValidationError as errors:
            found = []
            for error in errors.errors():
                context = error.get("ctx", {})
                unknown_field = (context["field"],) if "field" in context else ()
                found.append(self.error((*error["loc"], *unknown_field), explain(error)))
        raise min(found, key=lambda error: error.line or 0)

    def _patch(self) -> dict[str, Any]:
        """Return the section as a patch, which removes the section itself as well."""
        return {**_plain(self.section), SMOKE: None}

    def text_to_store(self) -> str:
        """Return the text with the passwords masked that stand in its comments.

        Anything else is as given: a value that holds a password is refused where it is checked.
        """
        masked = _COMMENT.sub(lambda comment: without_passwords_in_comment(comment[0]), self.text)
        # What looks like a comment may be a part of a long text.
        is_same = _plain(_parse(self.path, masked)) == _plain(self._tree)
        return masked if is_same else self.text

    def error(self, location: Location, message: str) -> ExperimentError:
        """Return the error with its line and its field's name."""
        line, field = self.place(location)
        return ExperimentError(self.path, line, field, message)

    def place(self, location: Location) -> tuple[int, str]:
        """Return the line (from 1) and the name of a field (``factors.clients[2]``).

        What is not in the file is named too, on the line of the last part that is there. What the
        section ``smoke`` has put there is named as it stands in that section.
        """
        own = self._find(location)
        if self.section is None:
            return own.line, own.field
        patched = self._find((SMOKE, *location))
        found = patched if patched.depth - 1 >= max(own.depth, 1) else own
        return found.line, found.field

    def _find(self, location: Location) -> _Found:
        """Look a field up in the file as it is written."""
        node: Any = self._tree
        line, field, depth = 1, "", 0
        for part in location:
            if part in ARTIFICIAL_PARTS:
                continue
            is_item = isinstance(node, CommentedSeq) and isinstance(part, int)
            if isinstance(node, CommentedSeq) and isinstance(part, int) and part < len(node):
                line, node, depth = node.lc.item(part)[0] + 1, node[part], depth + 1
            elif isinstance(node, CommentedMap) and part in node:
                # A key that came in by a merge (<<) has no line here; that of its parent is near.
                line = node.lc.data[part][0] + 1 if part in (node.lc.data or {}) else line
                node, depth = node[part], depth + 1
            elif node is not None and not isinstance(node, CommentedMap | CommentedSeq):
                # A short form has none of the parts of the long one: the whole is meant.
                continue
            elif isinstance(node, CommentedSeq) and isinstance(part, str):
                continue
            else:
                node = None
            field += f"[{part}]" if is_item else f".{part}"
        return _Found(line, field.lstrip("."), depth)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        message = f"cannot be read ({error.strerror}); name an experiment file"
        raise ExperimentError(path, None, "", message) from None
    if len(content) > LARGEST_BYTES:
        message = f"is larger than {LARGEST_BYTES / 1e6:g} MB; an experiment file is not"
        raise ExperimentError(path, None, "", message)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        message = f"is not text in UTF-8 (byte {error.start}); save it as UTF-8"
        raise ExperimentError(path, None, "", message) from None


def _parse(path: Path, text: str) -> CommentedMap:
    try:
        check_bounds(YAML().parse(text))
        tree = YAML().load(text)
    except TooLargeError as error:
        raise ExperimentError(path, error.line, "", str(error)) from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problem = error.problem or "cannot be understood"
        told = _full_width(text) or _explain_syntax(problem)
        raise ExperimentError(path, line, "", told) from None
    except YAMLError as error:
        problem = str(error).splitlines()[0]
        raise ExperimentError(path, None, "", _explain_syntax(problem)) from None
    except ValueError as error:
        # Python reads no number of thousands of digits.
        raise ExperimentError(path, None, "", f"holds what cannot be read: {error}") from None
    if not isinstance(tree, CommentedMap):
        message = "must be a mapping of fields that begins with experiment: and question:"
        raise ExperimentError(path, 1, "", _full_width(text) or message)
    return tree


def _full_width(text: str) -> str:
    """Name the first full-width character that stands where YAML has a sign of its own; or ""."""
    for number, line in enumerate(text.splitlines(), start=1):
        plain = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), _COMMENT.sub("", line))
        found = _FULL_WIDTH_SIGN.search(plain)
        if found is not None:
            sign = found[0]
            return (
                f"line {number}, column {found.start() + 1} has the full-width {sign!r} "
                f"(U+{ord(sign):04X}) of a Chinese keyboard; write {_PLAIN_SIGNS[sign]!r}, with a "
                "space behind it where it is a colon or a comma"
            )
    return ""


def _explain_syntax(problem: str) -> str:
    if problem.startswith("found duplicate key"):
        key = problem.split('"')[1]
        return f"{key!r} is there twice; remove one"
    if "'\\t'" in problem:
        return "a tab is not allowed as indentation in YAML; use spaces"
    return f"not YAML: {problem}; check brackets, quotes and indentation here and in the line above"


def _plain(node: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
    """Return a node without the layout that ruamel.yaml keeps in it."""
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    for plain_type in (str, int, float):
        if isinstance(node, plain_type) and not isinstance(node, bool):
            return plain_type(node)
    return node
