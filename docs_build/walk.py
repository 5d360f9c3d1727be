"""Prints the commands of a page as one shell script, so that a machine can follow the page.

Usage: ``python -m docs_build.walk PAGE``

What the page has a reader save is saved where the reader is then. The script ends at the first
command that fails, and says before each block where in the page it stands.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt

_SAVED_AS = re.compile(r"[Ss]ave this as\s+`([\w.-]+)`")
_END = "END_OF_FILE"


def script_of(page: Path) -> str:
    """Return the script; ``ValueError`` for an experiment that has no name to save it under."""
    return "\n".join(["set -euo pipefail", *_steps(page)]) + "\n"


def _steps(page: Path) -> Iterator[str]:
    said = ""
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type == "inline":
            said = token.content
        elif token.type == "fence" and (language := token.info.strip()) in ("sh", "yaml"):
            place = f"{page.name}:{(token.map or [0])[0] + 1}"
            yield f"printf '\\n== %s\\n' {place}"
            yield _saved(token.content, said, place) if language == "yaml" else token.content


def _saved(text: str, said: str, place: str) -> str:
    named = _SAVED_AS.findall(said)
    if not named:
        raise ValueError(f"{place}: nothing before the block says what file it is saved as")
    return f"cat > {named[-1]} << '{_END}'\n{text}{_END}"


if __name__ == "__main__":
    print(script_of(Path(sys.argv[1])), end="")
