"""Options in a command line that somebody has written into a log, as ``set -x`` does.

Tools print few of their options. Where a log has the command, its options become options of the
run. Passwords are left out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence

from dbdyno.database.secrets import shown_text
from dbdyno.password import is_name_of_password

_PROMPT = re.compile(r"\s*(?:\[[^\]\n]{1,200}\][$#>]|\++|[❯➜%]|[^\s'\"=]*[$#>])?\s*")
_WRAPPERS = (
    *("sudo", "env", "time", "nohup", "nice", "numactl", "taskset", "timeout"),
    *("docker", "podman", "kubectl", "docker-compose", "ssh"),
)
"""Commands that run the command behind them; an assignment may stand there, too."""


def command_options(
    line: str,
    programs: Sequence[str],
    short: Mapping[str, str],
    *,
    switches: Collection[str] = (),
    is_spaced: bool = True,
) -> dict[str, str] | None:
    """Return the options of a call of one of the programs; None where the line is no such call.

    ``short`` names single letters: ``{"T": "threads"}``. Words that are no options are the value
    of ``""``, with blanks between. ``switches`` are options that have no value. ``is_spaced``: a
    value may be the next word.
    """
    if not any(program in line for program in programs):
        return None
    try:
        words = shlex.split(_PROMPT.sub("", line, count=1))
    except ValueError:
        return None
    own = next((i for i, word in enumerate(words) if word.rpartition("/")[2] in programs), None)
    if own is None or (own and words[0] not in _WRAPPERS and "=" not in words[0]):
        return None
    return _options(words[own + 1 :], short, switches, is_spaced)


def _options(
    words: Sequence[str], short: Mapping[str, str], switches: Collection[str], is_spaced: bool
) -> dict[str, str]:
    options: dict[str, str] = {}
    plain: list[str] = []
    waiting = ""
    for word in words:
        if word.startswith(("|", ">", "2>", "&", ";")):
            break
        if len(word) > 2 and word[0] == "-" and set(word[1:]) <= set(switches):
            continue  # several in one word: -nr
        name, value = _named(word, short)
        if name:
            options[name] = value
            waiting = name if is_spaced and not value and name not in switches else ""
        elif waiting:
            options[waiting], waiting = word, ""
        else:
            plain.append(word)
    options[""] = " ".join(plain)
    return {n: shown_text(v) for n, v in options.items() if not is_name_of_password(n)}


def _named(word: str, short: Mapping[str, str]) -> tuple[str, str]:
    """Return the name of an option and the value behind it; no name where a word is none."""
    if word.startswith("--"):
        name, _, value = word[2:].partition("=")
        return name.replace("_", "-"), value
    if word.startswith("-") and len(word) > 1 and not word[1].isdigit():
        return short.get(word[1], word[1]), word[2:].removeprefix("=")
    return "", ""
