"""The notices of others whose code is in the wheel: ``python -m release.third_party [--check]``.

It writes THIRD-PARTY-NOTICES.txt, which goes with each wheel, or says whether the file is up to
date. Packages of Python that dbdyno needs are not in the wheel: pip installs them with their own.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence

from dbdyno.errors import DbdynoError, RunError
from release.crates import ROOT, Crate, linked_crates
from release.licences import chosen_licences

NOTICES = ROOT / "THIRD-PARTY-NOTICES.txt"

OWN = "Apache-2.0"
"""The licence of dbdyno itself; its text is in LICENSE and is not written here again."""

_HEAD = """\
The extension of dbdyno (_native) has the code below in it. dbdyno itself is under the
Apache License 2.0, and so is what is listed with Apache-2.0: its text is in the file LICENSE.
Where something may be used under one of several licences, the one that dbdyno chose is named.

`make notices` writes this file.
"""

_NO_CRATES = """\
Besides:

  SQLite (in libsqlite3-sys) is in the public domain.
  The standard library of Rust: MIT OR Apache-2.0, used under Apache-2.0.
  compiler-rt and libunwind of LLVM, where the linker adds them: Apache-2.0 WITH LLVM-exception.
"""

_RULE = "-" * 90


def main() -> int:
    """Write the file, or check it; 1 where it is out of date or a licence is not allowed."""
    parser = argparse.ArgumentParser(prog="python -m release.third_party")
    parser.add_argument("--check", action="store_true", help="write nothing, and compare")
    arguments = parser.parse_args()
    try:
        notices = notices_of(linked_crates())
        if not arguments.check:
            NOTICES.write_text(notices)
        elif notices != NOTICES.read_text():
            raise RunError(f"{NOTICES.name} is out of date: run make notices")
    except DbdynoError as error:
        print(f"third_party: {error}", file=sys.stderr)
        return 1
    return 0


def notices_of(crates: Sequence[Crate]) -> str:
    """Return the content of the file: a table of all crates, then each text that must be shown.

    Raises:
        RunError: a licence is not allowed, or a crate does not have the text that it asks for.

    """
    chosen = {crate: chosen_licences(crate.name, crate.expression) for crate in crates}
    width = max(len(_label(crate)) for crate in crates)
    table = [
        f"  {_label(crate):{width}}  {' and '.join(chosen[crate])}".rstrip() for crate in crates
    ]
    parts = [_HEAD, "\n".join(table) + "\n", _NO_CRATES, *_texts(chosen)]
    return "\n".join(parts)


def _texts(chosen: dict[Crate, tuple[str, ...]]) -> Iterator[str]:
    """Yield each text once, below the names of all crates that have it."""
    owners: dict[str, list[str]] = defaultdict(list)
    for crate, licences in chosen.items():
        for text in _texts_to_show(crate, licences):
            owners[text].append(_label(crate))
    for text, labels in owners.items():
        yield f"{_RULE}\n{', '.join(labels)}\n{_RULE}\n\n{text}\n"


def _texts_to_show(crate: Crate, licences: tuple[str, ...]) -> list[str]:
    texts = crate.licence_texts()
    if licences == (OWN,):
        return [text for name, text in texts.items() if name.lower().startswith("notice")]
    shown = [text for name, text in texts.items() if not _is_of_other_choice(name)]
    if not shown:
        raise RunError(f"{_label(crate)} has no text of its licence {' and '.join(licences)}")
    return shown


def _is_of_other_choice(file_name: str) -> bool:
    """Return whether a file has the text of Apache-2.0, or of a licence that is never chosen."""
    return any(word in file_name.lower() for word in ("apache", "unlicense"))


def _label(crate: Crate) -> str:
    return f"{crate.name} {crate.version}"


if __name__ == "__main__":
    sys.exit(main())
