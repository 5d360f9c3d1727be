"""The words of headings and summaries, in English, Chinese, Japanese and German."""

from __future__ import annotations

import re

from dbdyno.results_table.model import Kind, Role, Summary

INNER_UNIT = re.compile(
    r"[(\[]\s*(ms|s|sec|us|µs|ns|ミリ秒|毫秒|秒|k|m|万|千|%|1/s|txn/s|[km]?ops/s|tps|qps|[kmg]i?b(/s)?)"
    r"\s*[)\]]",
    re.I,
)
"""A unit in parentheses before the end of a heading."""
UNIT = re.compile(r"[(\[]([^()\[\]]*)[)\]]\s*$")
ROUND = re.compile(
    r"(?:round|run|rep|repetition|iteration|trial|test run|lauf|runde|r|#)[ _#]*(\d+)"
    r"|第?\s*(\d+)\s*[轮次]"
)
LOAD_LEVEL = re.compile(
    r"(\d+)\s*(?:threads?|thr|th|t|clients?|terminals?|connections?|conns?|"
    r"users?|vus?|virtual users?|并发|线程|连接|並發|線程|執行緒|スレッド|接続)?|"
    r"(?:threads?|clients?|terminals?|connections?|并发|线程|並發|線程|執行緒|スレッド)\s*[=:]?\s*(\d+)"
)

ROLES = {
    Role.SUBJECT: r"system|dbms|database|db|engine|storage engine|product|version|release|vendor|"
    r"server version|subject|target|system under test|server|fork|flavou?r|"
    r"distribution|build|software|データベース|バージョン|エンジン|製品|システム|資料庫|數據庫|產品|系統|"
    r"数据库(版本|类型|名称)?|产品|系统|版本|(存储)?引擎|软件|datenbank(system)?|produkt|software",
    Role.LOAD: r"((n|num|number of|sysbench|client|concurrent|total|parallel|user|benchmark) )*"
    r"(threads?|terminals?|clients?|connections?|concurrency|"
    r"users?|virtual users?|vus?|sessions?|workers)( per \w+| count)?|thds?|"
    r"并发(线程|用户|连接)?数?|(压测|测试|工作)?线程数?|用户数|连接数|终端数?|並發數?|線程數?|執行緒數?|連線數|スレッド数?|接続数|"
    r"クライアント数|同時(接続|実行)数|nebenläufigkeit|verbindungen|klienten|(be)?nutzer|sitzungen",
    Role.ROUND: r"round|run|repetition|rep|repeat|iteration|trial|轮次?|次数|第几轮|lauf|durchlauf|"
    r"runde|wiederholung|(round|run) (no|number|id)",
    Role.METRIC: r"metric|measure|indicator|指标|指標|項目|kennzahl|messgröße",
    Role.VALUE: r"value|figure|数值|值|wert",
    Role.QUANTITY: r"quantity|claim|statement",
    Role.CASE: r"query|operation|command|statement|クエリー?|"
    r"case|test|test case|scenario|case id|id|no|nr|用例|编号|序号|szenario",
    Role.PART: r"variant|generator|loader|load machine|load generator|process|instance|"
    r"压测机|发压机|lastgenerator",
    Role.NOTE: r"dates?|timestamp|(start|end)( time)?|日期|时间|datum|notes?|"
    r"comments?|remarks?|备注|說明|说明|備註|備考|状态|狀態|状況|结论|結論|bemerkung|anmerkung|status|result|"
    r"verdict|winner|outcome|target|observations?|conclusion|cost|price|费用|價格|价格|コスト|[✓✅]",
}
PATTERNS = {role: re.compile(pattern) for role, pattern in ROLES.items()}

PERCENTILE = re.compile(
    r"\b(p\s?\d{2}(?:\.\d+)?)|"
    r"(\d{2}(?:\.\d+)?)(?:(?:th|st)? ?(?:percentile|分位|%ile|パーセンタイル)| ?%)"
)
METRICS: tuple[tuple[str, Kind, str], ...] = (
    ("success", Kind.SUCCESS, r"success( rate| share)?|成功(率|割合)|erfolgsquote"),
    (
        "errors",
        Kind.ERRORS,
        r"errors?|failed|failures|失败数?|错误数?|失敗數?|錯誤數?|エラー数?|fehler",
    ),
    ("tpm_total", Kind.THROUGHPUT, r"(?:tpm ?total|total tpm|tpm)"),
    ("tpmc", Kind.THROUGHPUT, r"tpm-?c"),
    ("nopm", Kind.THROUGHPUT, r"nopm"),
    (
        "tps",
        Kind.THROUGHPUT,
        r"tps|(transactions?|trx|txns?|tx)(/| per )s(ec(ond)?)?|transaktionen/s|每秒(事务|交易)数?",
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
        r"(elapsed|execution|load|total|wall|run) ?time|elapsed|耗时|耗時|用时|"
        r"(所要|処理|実行)時間|laufzeit",
    ),
    ("throughput", Kind.THROUGHPUT, r"throughput|durchsatz|吞吐量?|スループット"),
    ("hit rate", Kind.OTHER, r"((cache|buffer|pool) )*hit (rate|ratio)|命中率|ヒット率"),
    ("cpu", Kind.OTHER, r"cpu( usage| load| util(i[sz]ation)?)?(?= \(?%|$)"),
)
METRIC_PATTERNS = [
    (name, kind, re.compile(rf"(?<![a-z]){pattern}(?![a-z])")) for name, kind, pattern in METRICS
]
RESPONSE = re.compile(
    r"latency|response( time)?|\brt\b|lat\b|service time|延迟|时延|响应时间|"
    r"延遲|時延|(響|回)應時間|レイテンシー?|応答時間|latenz|antwortzeit"
)
STATISTICS = {
    "mean": r"\b(avg\.?|mean|average|mittel\w*)\b|平均",
    "min": r"\b(min|minimum)\b|最小",
    "max": r"\b(max|maximum)\b|最大",
    "median": r"\bmedian\b|中位|中央値",
}
CLAIM = re.compile(
    r"improve(ment|d)?|\bgain\b|increase|\bchange\b|speed-?up|\bdiff(erence)?\b|uplift|delta|"
    r"faster|slower|reduction|decrease|degradation|提升|提高|增幅|下降|降低|变化率?|verbesserung|"
    r"steigerung|änderung|rückgang|\bratio\b|\b(vs\.?|versus)\b|倍数|倍數|倍率|^\S+ ?/ ?\S+$|"
    r"向上|改善|差[異异距]|对比|對比|比較|変化|變化|增加|増加|减少|減少|低下|加速比|高速化|"
    r"\b(relative|normali[sz]ed|compared)\b|[δ∆]"
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
REDUCTION = re.compile(r"reduction|decrease|degradation|slower|下降|降低|减少|減少|低下|rückgang")
SPEED_UP = re.compile(r"speed-?up|faster|加速|高速化")
RATIO = re.compile(
    r"ratio|speed-?up|倍|加速比|factor|times| / |^\S+/\S+$|\b(relative|normali[sz]ed)\b"
)
EFFICIENCY = re.compile(r"efficiency|效率|効率|effizienz")
POINTS = re.compile(r"\bpp\b|percentage points?|百分点|百分點|ポイント|prozentpunkte?")
PERCENT = re.compile(r"percent(?!age point)|%(?!p)|pct|prozent(?!punkt)|百分(?!点|點)")
AGAINST = r"\bvs\.?|\bversus\b|\bover\b|\bagainst\b|相比|对比"
SIDES = re.compile(rf"^(?P<above>.*?)\s*(?:/|\bto\b|{AGAINST})\s*(?P<below>.+)$")
CHANGE_SIDES = re.compile(rf"^(?P<above>.*?)\s*(?:{AGAINST})\s*(?P<below>.+)$")
"""A change from one to another one is no ratio of the first to the second."""
_CHANGES = r"improvement|gain|change|speed-?up|increase|uplift|difference|diff|delta|ratio"
SUMMARIES = {
    Summary.MEAN: r"((arithmetic|geometric|geo) ?)?(avg|mean|average)\.?( value| of .*)?|"
    rf"(avg|mean|average)\.?( \w+)? ({_CHANGES})|"
    r"平均(提升|提高|增幅|变化|下降|降低|向上|改善|差[异異])?(率|幅度)?|"
    r"(mittlere|durchschnittliche) (verbesserung|steigerung|änderung)|"
    r"(tps|tpmc|nopm|qps)? ?(平均值?|均值)( ?(tps|tpmc|nopm|qps|吞吐量?))?|"
    r"mittelwert|mittel|durchschnitt|ø|"
    r"(tps|tpmc|nopm|qps)? ?(avg|mean|average)( tps| tpmc| nopm| qps)?",
    Summary.MEDIAN: r"median|中位数|中位數|中央値",
    Summary.TOTAL: r"(grand )?(total|sum)\b.*|合计|总计|总和|合計|總計|summe|gesamt",
    Summary.SPREAD: r"min(imum)?|max(imum)?|best|worst|std\.? ?(dev(iation)?)?|stdev|stddev|"
    r"cv( %)?|range|variance|variation|coefficient of variation|"
    r"最大[值値]?|最小[值値]?|标准差|变异系数|极差|standardabweichung",
    Summary.ALL: r"all|overall|全部|整体|alle",
}
TOTAL = re.compile(
    r"\b(total|sum|summe|gesamt)\b|合计|总计|总和|总数|总(?= ?(tpm|tps|qps|nopm|吞吐))", re.I
)
"""What heads a column of totals."""
SUMMARY_PATTERNS = {summary: re.compile(pattern) for summary, pattern in SUMMARIES.items()}
MEAN_OF = re.compile(
    r"(?P<before>.*\S)\s*(?:\b(?:mean|avg|average)\b|平均值?|均值)|"
    r"(?:\b(?:mean|avg|average)\b|平均)\s*(?P<behind>\S.*)",
    re.I,
)
