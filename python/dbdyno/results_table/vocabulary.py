"""The words of headings and summaries, in English, Chinese and German."""

from __future__ import annotations

import re

from dbdyno.results_table.model import Kind, Role, Summary

INNER_UNIT = re.compile(
    r"[(\[]\s*(ms|s|sec|us|µs|k|m|万|千|%|1/s|txn/s|ops/s|tps|qps|[kmg]i?b(/s)?)\s*[)\]]", re.I
)
"""A unit in parentheses before the end of a heading."""
UNIT = re.compile(r"[(\[]([^()\[\]]*)[)\]]\s*$")
ROUND = re.compile(
    r"(?:round|run|rep|repetition|iteration|trial|test run|lauf|runde|r|#)[ _#]*(\d+)"
    r"|第?\s*(\d+)\s*[轮次]"
)
LOAD_LEVEL = re.compile(
    r"(\d+)\s*(?:threads?|thr|t|clients?|terminals?|connections?|conns?|"
    r"users?|vus?|virtual users?|并发|线程|连接)?|"
    r"(?:threads?|clients?|terminals?|connections?|并发|线程)\s*[=:]?\s*(\d+)"
)

ROLES = {
    Role.SUBJECT: r"system|dbms|database|db|engine|storage engine|product|version|release|vendor|"
    r"server version|subject|target|system under test|server|fork|flavou?r|"
    r"distribution|build|software|数据库(版本|类型|名称)?|产品|系统|版本|(存储)?引擎|软件|datenbank(system)?|produkt|software",
    Role.LOAD: r"(n |num |number of )?(threads?|terminals?|clients?|connections?|concurrency|"
    r"users?|virtual users?|vus?|sessions?|workers)( per \w+| count)?|thds?|"
    r"并发(线程|用户)?数?|线程数?|用户数|连接数|终端数?|nebenläufigkeit|verbindungen|klienten|(be)?nutzer|sitzungen",
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
PATTERNS = {role: re.compile(pattern) for role, pattern in ROLES.items()}

PERCENTILE = re.compile(
    r"\b(p\s?\d{2}(?:\.\d+)?)|(\d{2}(?:\.\d+)?)(?:(?:th|st)? ?(?:percentile|分位|%ile)| ?%)"
)
METRICS: tuple[tuple[str, Kind, str], ...] = (
    ("success", Kind.SUCCESS, r"success( rate| share)?|成功率|erfolgsquote"),
    ("errors", Kind.ERRORS, r"errors?|failed|failures|失败数?|错误数?|fehler"),
    ("tpm_total", Kind.THROUGHPUT, r"tpm ?total|total tpm|tpm"),
    ("tpmc", Kind.THROUGHPUT, r"tpm-?c"),
    ("nopm", Kind.THROUGHPUT, r"nopm"),
    (
        "tps",
        Kind.THROUGHPUT,
        r"tps|(transactions?|trx|txns?|tx)(/| per )s(ec(ond)?)?|transaktionen/s|每秒事务数?",
    ),
    ("qps", Kind.THROUGHPUT, r"qps|queries(/| per )s(ec(ond)?)?|每秒查询数?"),
    (
        "ops",
        Kind.THROUGHPUT,
        r"ops?(/ ?s(ec(ond)?)?)|ops|operations(/| per )s(ec(ond)?)?|requests?(/| per )s(ec(ond)?)?",
    ),
    (
        "elapsed",
        Kind.RESPONSE,
        r"(elapsed|execution|load|total|wall|run) ?time|elapsed|耗时|laufzeit",
    ),
    ("throughput", Kind.THROUGHPUT, r"throughput|durchsatz|吞吐量?"),
)
METRIC_PATTERNS = [
    (name, kind, re.compile(rf"(?<![a-z]){pattern}(?![a-z])")) for name, kind, pattern in METRICS
]
RESPONSE = re.compile(
    r"latency|response( time)?|\brt\b|lat\b|service time|延迟|时延|响应时间|latenz|antwortzeit"
)
STATISTICS = {
    "mean": r"\b(avg|mean|average|mittel\w*)\b|平均",
    "min": r"\b(min|minimum)\b|最小",
    "max": r"\b(max|maximum)\b|最大",
    "median": r"\bmedian\b|中位",
}
CLAIM = re.compile(
    r"improve(ment|d)?|\bgain\b|increase|\bchange\b|speed-?up|\bdiff(erence)?\b|uplift|delta|"
    r"faster|slower|reduction|decrease|degradation|提升|提高|增幅|下降|降低|变化率?|verbesserung|"
    r"steigerung|änderung|rückgang|\bratio\b|\b(vs\.?|versus)\b|倍数|^\S+ ?/ ?\S+$"
)
NO_CLAIM = re.compile(
    r"hit|compress|cache|size|read/write|error|success|"
    r"^[\w ]+/ ?(s|sec|second|min|minute|h|秒|分钟)$"
)
FACTOR = re.compile(
    r"\b(memory|mem|ram|pool|buffer|block size|page size|batch|dataset|nodes?|"
    r"warehouses?|v?cpus|cores?|tables?|rows?|scale|duration|warm-?up|window|seconds|minutes|shards?|replicas?|members?|servers?|year)\b|"
    r"内存|节点|仓库|缓冲池|时长|预热|speicher|knoten|dauer"
)
CLAIM_WORDS = r"\b(claimed|ratio|percent|improvement|gain|change|diff|of|speed-?up|faster)\b"
REDUCTION = re.compile(r"reduction|decrease|degradation|slower|下降|降低|rückgang")
SPEED_UP = re.compile(r"speed-?up")
RATIO = re.compile(r"ratio|speed-?up|倍|factor|times| / |^\S+/\S+$")
PERCENT = re.compile(r"percent|%|pct|prozent|百分")
AGAINST = r"\bvs\.?|\bversus\b|\bover\b|\bagainst\b|相比|对比"
SIDES = re.compile(rf"^(?P<above>.*?)\s*(?:/|\bto\b|{AGAINST})\s*(?P<below>.+)$")
CHANGE_SIDES = re.compile(rf"^(?P<above>.*?)\s*(?:{AGAINST})\s*(?P<below>.+)$")
"""A change from one to another one is no ratio of the first to the second."""
_CHANGES = r"improvement|gain|change|speed-?up|increase|uplift|difference|diff|delta|ratio"
SUMMARIES = {
    Summary.MEAN: r"((arithmetic|geometric|geo) ?)?(avg|mean|average)\.?( value| of .*)?|"
    rf"(avg|mean|average)\.?( \w+)? ({_CHANGES})|平均(提升|提高|增幅|变化|下降|降低)(率|幅度)?|"
    r"(mittlere|durchschnittliche) (verbesserung|steigerung|änderung)|"
    r"(tps|tpmc|nopm|qps)? ?(平均值?|均值)( ?(tps|tpmc|nopm|qps|吞吐量?))?|"
    r"mittelwert|mittel|durchschnitt|ø|"
    r"(tps|tpmc|nopm|qps)? ?(avg|mean|average)( tps| tpmc| nopm| qps)?",
    Summary.MEDIAN: r"median|中位数",
    Summary.TOTAL: r"(grand )?(total|sum)\b.*|合计|总计|总和|summe|gesamt",
    Summary.SPREAD: r"min(imum)?|max(imum)?|best|worst|std\.? ?(dev(iation)?)?|stdev|stddev|"
    r"cv( %)?|range|variance|variation|coefficient of variation|"
    r"最大值?|最小值?|标准差|变异系数|极差|standardabweichung",
    Summary.ALL: r"all|overall|全部|整体|alle",
}
SUMMARY_PATTERNS = {summary: re.compile(pattern) for summary, pattern in SUMMARIES.items()}
MEAN_OF = re.compile(
    r"(?P<before>.*\S)\s*(?:\b(?:mean|avg|average)\b|平均值?|均值)|"
    r"(?:\b(?:mean|avg|average)\b|平均)\s*(?P<behind>\S.*)",
    re.I,
)
