"""What the name of a column says: metric, load, round, subject, claim."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbdyno.results_table.model import ClaimForm, Kind, Role, Summary
from dbdyno.results_table.numbers import plain_text

_UNIT = re.compile(r"[(\[]([^()\[\]]*)[)\]]\s*$")
_ROUND = re.compile(
    r"(?:round|run|rep|repetition|iteration|trial|test run|lauf|runde|r|#)[ _#]*(\d+)"
    r"|第?\s*(\d+)\s*[轮次]"
)
_LOAD_LEVEL = re.compile(
    r"(\d+)\s*(?:threads?|thr|t|clients?|terminals?|connections?|并发|线程|连接|threads)?"
)

_ROLES = {
    Role.SUBJECT: r"system|dbms|database|db|engine|storage engine|product|version|release|vendor|"
    r"server version|subject|target|system under test|"
    r"数据库|产品|系统|版本|引擎|datenbank|produkt",
    Role.LOAD: r"(n |num |number of )?(threads?|terminals?|clients?|connections?|concurrency|"
    r"users?|virtual users?|vus?|sessions?|workers)( per \w+| count)?|thds?|"
    r"并发数?|线程数?|连接数|终端数?|nebenläufigkeit|verbindungen",
    Role.ROUND: r"round|run|repetition|rep|repeat|iteration|trial|轮次?|次数|第几轮|lauf|durchlauf|"
    r"runde|wiederholung|(round|run) (no|number|id)",
    Role.METRIC: r"metric|measure|indicator|指标|kennzahl|messgröße",
    Role.VALUE: r"value|figure|数值|值|wert",
    Role.QUANTITY: r"quantity|claim|statement",
    Role.CASE: r"case|test|test case|scenario|case id|id|no|nr|用例|编号|序号|szenario",
    Role.PART: r"variant|generator|loader|load machine|load generator|process|instance|"
    r"压测机|发压机|lastgenerator",
    Role.NOTE: r"dates?|timestamp|(start|end)( time)?|日期|时间|datum|notes?|"
    r"comments?|remarks?|备注|说明|bemerkung|anmerkung",
}
_PATTERNS = {role: re.compile(pattern) for role, pattern in _ROLES.items()}

_PERCENTILE = re.compile(
    r"\b(p\s?\d{2}(?:\.\d+)?)|(\d{2}(?:\.\d+)?)(?:(?:th|st)? ?(?:percentile|分位|%ile)| ?%)"
)
_METRICS: tuple[tuple[str, Kind, str], ...] = (
    ("success", Kind.SUCCESS, r"success( rate| share)?|成功率|erfolgsquote"),
    ("errors", Kind.ERRORS, r"errors?|failed|failures|失败数?|错误数?|fehler"),
    ("tpm_total", Kind.THROUGHPUT, r"tpm ?total|total tpm|tpm"),
    ("tpmc", Kind.THROUGHPUT, r"tpm-?c"),
    ("nopm", Kind.THROUGHPUT, r"nopm"),
    ("tps", Kind.THROUGHPUT, r"tps|transactions?(/| per )s(ec(ond)?)?|transaktionen/s|每秒事务数?"),
    ("qps", Kind.THROUGHPUT, r"qps|queries(/| per )s(ec(ond)?)?|每秒查询数?"),
    (
        "ops",
        Kind.THROUGHPUT,
        r"ops(/s)?|operations(/| per )s(ec(ond)?)?|requests?(/| per )s(ec(ond)?)?",
    ),
    ("throughput", Kind.THROUGHPUT, r"throughput|durchsatz|吞吐量?"),
)
_METRIC_PATTERNS = [
    (name, kind, re.compile(rf"(?<![a-z]){pattern}(?![a-z])")) for name, kind, pattern in _METRICS
]
_RESPONSE = re.compile(
    r"latency|response( time)?|\brt\b|lat\b|service time|延迟|时延|响应时间|latenz|antwortzeit"
)
_STATISTICS = {
    "mean": r"\b(avg|mean|average|mittel\w*)\b|平均",
    "min": r"\b(min|minimum)\b|最小",
    "max": r"\b(max|maximum)\b|最大",
    "median": r"\bmedian\b|中位",
}
_CLAIM = re.compile(
    r"improve(ment|d)?|\bgain\b|increase|\bchange\b|speed-?up|\bdiff(erence)?\b|uplift|delta|"
    r"faster|slower|reduction|decrease|degradation|提升|提高|增幅|下降|降低|变化率?|verbesserung|"
    r"steigerung|änderung|rückgang|\bratio\b|\b(vs\.?|versus)\b|倍数|^\S+ ?/ ?\S+$"
)
_NO_CLAIM = re.compile(
    r"hit|compress|cache|size|read/write|error|success|"
    r"^[\w ]+/ ?(s|sec|second|min|minute|h|秒|分钟)$"
)
_FACTOR = re.compile(
    r"\b(gib|gb|mib|mb|size|memory|mem|pool|nodes?|warehouses?|cpus?|cores?|tables?|rows?|scale|"
    r"duration|warm-?up|window|seconds|minutes|shards?|replicas?|members?|servers?|year)\b|"
    r"内存|节点|仓库|缓冲池|时长|预热|speicher|knoten|dauer"
)
_REDUCTION = re.compile(r"reduction|decrease|degradation|slower|下降|降低|rückgang")
_RATIO = re.compile(r"ratio|speed-?up|倍|factor|times| / |^\S+/\S+$")
_PERCENT = re.compile(r"percent|%|pct|prozent|百分")
_SIDES = re.compile(
    r"^(?P<above>.+?)\s*(?:/|\bto\b|\bvs\.?|\bversus\b|\bover\b|\bagainst\b|相比|对比)\s*"
    r"(?P<below>.+)$"
)
_SUMMARIES = {
    Summary.MEAN: r"((arithmetic|geometric|geo) ?)?(avg|mean|average)\.?( value| of .*)?|"
    r"平均值?|均值|mittelwert|mittel|durchschnitt|ø|"
    r"(tps|tpmc|nopm|qps)? ?(avg|mean|average)( tps| tpmc| nopm| qps)?",
    Summary.MEDIAN: r"median|中位数",
    Summary.TOTAL: r"(grand )?(total|sum)\b.*|合计|总计|总和|summe|gesamt",
    Summary.ALL: r"all|overall|全部|整体|alle",
}
_SUMMARY_PATTERNS = {summary: re.compile(pattern) for summary, pattern in _SUMMARIES.items()}


@dataclass(frozen=True)
class Heading:
    """A heading in lower case with its words parted by blanks; ``unit`` from its parentheses."""

    text: str
    unit: str


def heading(name: str) -> Heading:
    """Take a heading apart."""
    bare = plain_text(name)
    units = []
    while match := _UNIT.search(bare):
        units.append(match[1].strip())
        bare = bare[: match.start()].strip()
    words = re.sub(r"[_\s]+", " ", bare.lower()).strip(" :")
    return Heading(words, " ".join(units))


def role_of(name: str) -> Role | None:
    """Return the role that a name alone tells for a column that describes."""
    text = heading(name).text
    return next((role for role, pattern in _PATTERNS.items() if pattern.fullmatch(text)), None)


def metric_of(name: str) -> tuple[str, Kind, str] | None:
    """Return name and kind of a metric, and what else the heading says; None where it is none."""
    told = heading(name)
    text = told.text
    is_share = _RESPONSE.search(text) is None and "%" in text
    if (percentile := _PERCENTILE.search(text)) and not is_share:
        digits = (percentile[1] or percentile[2]).lstrip("p ")
        rest = _RESPONSE.sub("", text.replace(percentile[0], " "))
        return f"p{digits}", Kind.RESPONSE, _rest(re.sub(r"(?<![a-z])(ms|s|us)(?![a-z])", "", rest))
    if response := _RESPONSE.search(text):
        statistic = _statistic(text) or "latency"
        rest = text.replace(response[0], " ")
        for statistics in _STATISTICS.values():
            rest = re.sub(statistics, " ", rest)
        return statistic, Kind.RESPONSE, _rest(re.sub(r"(?<![a-z])(ms|s|us)(?![a-z])", "", rest))
    for metric, kind, pattern in _METRIC_PATTERNS:
        if match := pattern.search(text):
            return metric, kind, _rest(text.replace(match[0], " ", 1))
    if re.fullmatch(r"(avg|mean|average|min|max|median)[ _]?(ms|us)", text):
        return _statistic(text) or "latency", Kind.RESPONSE, ""
    return None


def _statistic(text: str) -> str | None:
    return next((name for name, pattern in _STATISTICS.items() if re.search(pattern, text)), None)


def _rest(text: str) -> str:
    bare = re.sub(r"\b(percent|pct|per minute|/min)\b|%", "", text)
    return " ".join(bare.strip(" -:/|,").split())


def claim_form(name: str) -> ClaimForm | None:
    """Return how a column of claims holds two figures against each other; None if it is none."""
    told = heading(name)
    whole = f"{told.text} {told.unit}".strip()
    is_claimed_percent = is_claimed(name) and _PERCENT.search(whole) is not None
    if not (_CLAIM.search(told.text) or is_claimed_percent) or _NO_CLAIM.search(told.text):
        return None
    is_percent = _PERCENT.search(whole) is not None
    if _RATIO.search(told.text):
        return ClaimForm.RATIO_PERCENT if is_percent else ClaimForm.RATIO
    return ClaimForm.CHANGE_PERCENT


def is_claimed(name: str) -> bool:
    """Tell whether a heading says that its figures are claims."""
    return re.search(r"\bclaimed\b", heading(name).text) is not None


def is_factor(name: str) -> bool:
    """Tell whether a heading is one of a column of numbers that describe the set-up."""
    told = heading(name)
    is_share = _PERCENT.search(f"{told.text} {told.unit}") is not None
    return _FACTOR.search(told.text) is not None and not is_share


def is_reduction(name: str) -> bool:
    """Tell whether a positive figure of this column says that something became smaller."""
    return _REDUCTION.search(heading(name).text) is not None


def sides(name: str) -> tuple[str, str]:
    """Return the two subjects that a heading names, ("", "") where it names none."""
    text = re.sub(r"\b(claimed|ratio|percent|improvement|of|speed-?up)\b", " ", heading(name).text)
    match = _SIDES.match(" ".join(text.split()))
    return (match["above"].strip(), match["below"].strip()) if match else ("", "")


def summary_of(text: str) -> Summary | None:
    """Return what a cell or heading says that its figures are of others."""
    bare = heading(text).text if not text.lower().startswith("total (") else "total"
    return next((s for s, pattern in _SUMMARY_PATTERNS.items() if pattern.fullmatch(bare)), None)


def round_of(name: str) -> str | None:
    """Return the number of the round whose figures a column has."""
    match = _ROUND.fullmatch(heading(name).text)
    return None if match is None else match[1] or match[2]


def load_level_of(name: str) -> str | None:
    """Return the number of clients that a column's heading is."""
    match = _LOAD_LEVEL.fullmatch(heading(name).text)
    return None if match is None else match[1]


def unit_scale(name: str) -> float:
    """Return what figures below a heading as ``TPS (K)`` are multiplied with."""
    scales = {"k": 1e3, "thousand": 1e3, "千": 1e3, "万": 1e4, "m": 1e6, "million": 1e6, "w": 1e4}
    unit = heading(name).unit
    return scales.get(unit.lower().split("/")[0].strip(), 1.0)
