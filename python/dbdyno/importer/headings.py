"""The heading that people write above each of several runs in one file.

Of the lines between the end of one run and the beginning of the next, those count that are made as
headings: of Markdown, between signs, with a colon at the end, or a name and its value. Without one
of its own, a run stands below the heading before it. A number of the round, or an instant, is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from dbdyno.trial_evidence import TrialEvidence

_GAP_LINES_MAX = 30
_CHARS_MAX = 100
_TOOLS = (
    *("sysbench", "pgbench", "ycsb", "go-tpc", "tiup", "tpcc", "mysqlslap", "mariadb-slap"),
    *("runBenchmark", "hammerdb", "benchbase", "workload run"),
)
_PASSED_OVER = re.compile(
    rf"(?:```|~~~)|\W*$|.*\b(?:{'|'.join(_TOOLS)})\b.* -|(?:\$|\+|>|❯|\[[^\]]*\][$#]|\w+@\S+[$#]) ?"
    r"|starting vacuum|(?:warning|error|note|info|notice|fatal|creating|inserting|dropping)\b",
    re.I,
)
"""Fences, rules, commands, and what tools say before they begin."""
_OF_TOOLS = re.compile(
    r"(?:events|execution time) \(avg/stddev\)|(?:sum|max): |total |Threads fairness"
    r"|\d+th percentile|(?:queries|transactions|ignored errors|reconnects): |percentile stats"
    r"|FATAL|ALERT|\(last message|tps = |latency |initial connection|statement latencies"
    r"|number of|progress: |SQL script|- (?:weight|\d|number|latency|statement)"
    r"|\d+\.\d+ +\d* *\S|\[ ?\d|\[[A-Z][\w-]*\],|\[(?:Current|Summary)\]|tpmC: |Finished|\|"
    r"|Vuser|.*TEST RESULT|.*Virtual Users|>>>>>|\+-\+|CALLS|P99|[}\]]|\d+ sec|<|.*\[(?:OK|NG)\]"
    r"|(?:Average|Minimum|Maximum) number of|Number of clients|\w*,\w*,\d+\.\d{3},"
    r"|[\d.]+ TpmC|in \d+ sec|.*\bTerm-00,|.*\bjTPCC\b|Run was aborted|\w+(?: Stat)? Total: ",
    re.I,
)
"""What tools print last of a run."""
_MARKDOWN = re.compile(r"#{1,6} +(.+?)[ #]*$|\*\*([^*]+)\*\*:?$")
_BETWEEN_SIGNS = re.compile(r"([=\-*~#<>_])\1+ *(\S.*?\S) *(?:[=\-*~#<>_]{2,}|:)?$")
_CLIENT = r"(?:VU|virtual users?|v?users?|threads?|clients?|terminals?|connections?|concurrency)"
_CLIENTS = re.compile(
    rf"\b(\d{{1,6}})[ -]?{_CLIENT}s?\b|\b{_CLIENT}s? ?[:=]? ?(\d{{1,6}})\b|(\d{{1,6}}) ?并发", re.I
)
_NAME_AND_VALUE = re.compile(r"([A-Za-z][\w .-]{0,40}?) ?(?:[:=：]) ?(\S.*)")
_TIMES = re.compile(
    r"(?:date|time|elapsed|start|begin|end|real|user|sys|duration|finished|sleep)\w*\b", re.I
)
_ROUND = re.compile(
    r"\b(?:run|round|iteration|iter|trial|repeat|attempt|pass|loop)s?\b\W{0,3}"
    r"\d{1,4}(?: ?(?:of|/) ?\d+)?"
    r"|第? ?[\d一二三四五六七八九十]{1,4} ?(?:次|轮)(?:测试)?|^\d{1,3}[.)、] |#\d{1,4}\b"
    r"|\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d(?::\d\d)?\b|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b.*\d{4}",
    re.I,
)


def headings(lines: Sequence[str], begins: Sequence[int]) -> list[str | None]:
    """Return the heading of each run, by the indexes of the lines with which runs begin.

    None for all where the runs have no heading, or all the same one.
    """
    found: list[str | None] = []
    for begin in begins:
        own = _heading(_gap(lines, begin))
        found.append(own if own is not None or not found else found[-1])
    return found if len(set(found)) > 1 else [None] * len(found)


def _gap(lines: Sequence[str], begin: int) -> list[str]:
    """Return the lines above a run that no tool has printed, the nearest one first."""
    gap: list[str] = []
    for line in reversed(lines[max(begin - _GAP_LINES_MAX, 0) : begin]):
        if _OF_TOOLS.match(line):
            break
        if not _PASSED_OVER.match(line) and len(line) <= _CHARS_MAX:
            gap.append(line.strip())
    return gap


def _heading(gap: Sequence[str]) -> str | None:
    for shape in (_marked, _plain):
        for line in gap:
            text = shape(line)
            if text is not None and re.search(r"\w", text):
                return text
    return None


def _marked(line: str) -> str | None:
    found = _MARKDOWN.match(line) or _BETWEEN_SIGNS.match(line)
    if found is None:
        return None
    return _without_rounds(next(text for text in reversed(found.groups()) if text))


def _plain(line: str) -> str | None:
    if line.endswith((":", "：")):
        return _without_rounds(line)
    if not _NAME_AND_VALUE.fullmatch(line) or _TIMES.match(line):
        return None
    return _without_rounds(line)


def _without_rounds(text: str) -> str:
    return _ROUND.sub("", text).strip(" \t-:：=,;()[]")


def with_headings(
    trials: Sequence[TrialEvidence], lines: Sequence[str], begins: Sequence[int | None]
) -> list[TrialEvidence]:
    """Return the trials of a log, each with the heading above the line with which it begins.

    Of a run that does not tell its clients, a heading may: ``8 threads``, ``VU = 8``.
    """
    found = headings(lines, [begin or 0 for begin in begins])
    return [
        replace(
            trial,
            source=replace(trial.source, heading=heading),
            clients=trial.clients or _clients(heading),
        )
        for trial, heading in zip(trials, found, strict=True)
    ]


def _clients(heading: str | None) -> int | None:
    told = _CLIENTS.search(heading or "")
    return int(next(each for each in told.groups() if each)) if told else None


def name_and_level(heading: str) -> tuple[str, str] | None:
    """Return the factor and the level of a heading that names both: ``Instance: m5.large``."""
    found = _NAME_AND_VALUE.fullmatch(heading)
    return (found[1].strip().lower(), found[2].strip()) if found else None
