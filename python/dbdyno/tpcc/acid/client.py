"""The process of one connection: a JSON text a line on standard input, an answer a line on output.

The first line is the URL, all others are statements. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import sys

from dbdyno._native import Session
from dbdyno.variables import PASSWORD


def main() -> None:
    """Connect, then answer one statement after another."""
    password = PASSWORD.take()
    url = json.loads(sys.stdin.readline())
    try:
        session = Session.connect(url, password)
    except (ValueError, ConnectionError) as error:
        _answer([], str(error))
        return
    _answer([], None)
    for line in sys.stdin:
        try:
            rows = session.query(json.loads(line))
        except RuntimeError as error:
            _answer([], str(error))
        else:
            _answer(rows, None)


def _answer(rows: list[tuple[str | None, ...]], error: str | None) -> None:
    print(json.dumps({"rows": rows, "error": error}), flush=True)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # Whoever wanted the answer is gone. Python would complain once more at the end.
        os._exit(1)
