"""Reads what tpcc_start and BenchmarkSQL print, byte for byte: another form is an error.

One reader for the tools' own output and for dbdyno's. The files in ``tests/data/peers`` are what
the tools printed, BenchmarkSQL's with most of its status lines left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NUMBER = r"(\d+)"
MS = r"(\d+\.\d{3})"

START_PARAMETERS = (
    r"\*{39}\n\*\*\* ###easy### TPC-C Load Generator \*\*\*\n\*{39}\n"
    r"(?P<options>(?:option . with value '.*'\n)*)"
    r"<Parameters>\n     \[server\]: .*\n     \[port\]: \d+\n     \[DBname\]: .*\n"
    r"       \[user\]: .*\n       \[pass\]: (?P<password>.*)\n"
    r"  \[warehouse\]: \d+\n \[connection\]: (?P<connections>\d+)\n"
    r"     \[rampup\]: (?P<rampup>\d+) \(sec\.\)\n    \[measure\]: \d+ \(sec\.\)\n"
    r"\nRAMP-UP TIME\.\((?P=rampup) sec\.\)\n\nMEASURING START\.\n\n"
)
INTERVAL = (
    rf" *{NUMBER}, trx: {NUMBER}, 95%: {MS}, 99%: {MS}, max_rt: {MS}, "
    rf"{NUMBER}\|{MS}, {NUMBER}\|{MS}, {NUMBER}\|{MS}, {NUMBER}\|{MS}\n"
)
RAW = r"  \[(\d)\] sc:(\d+) lt:(\d+)  rt:(\d+)  fl:(\d+) avg_rt: (\d+\.\d) \((\d+)\)\n"
SUM = r"  \[(\d)\] sc:(\d+)  lt:(\d+)  rt:(\d+)  fl:(\d+) \n"
PERCENT = r"(\d+\.\d\d)"
VERDICT = r"(\[OK\]|\[NG\] \*)"
SHARES = (
    rf"        Payment: {PERCENT}% \(>=43\.0%\) {VERDICT}\n",
    rf"   Order-Status: {PERCENT}% \(>= 4\.0%\) {VERDICT}\n",
    rf"       Delivery: {PERCENT}% \(>= 4\.0%\) {VERDICT}\n",
    rf"    Stock-Level: {PERCENT}% \(>= 4\.0%\) {VERDICT}\n",
)
TITLES = (
    "      New-Order",
    "        Payment",
    "   Order-Status",
    "       Delivery",
    "    Stock-Level",
)
RESULTS = (
    r"\nSTOPPING THREADS(?P<dots>\.*)\n\n<Raw Results>\n(?P<raw>(?:"
    + RAW.replace("(", "(?:").replace(r"\(?:", r"\(")
    + r"){5}) in (?P<seconds>\d+) sec\.\n\n<Raw Results2\(sum ver\.\)>\n(?P<sums>(?:"
    + SUM.replace("(", "(?:")
    + r"){5})\n<Constraint Check> \(all must be \[OK\]\)\n \[transaction percentage\]\n"
    r"(?P<shares>(?:.*\n){4}) \[response time \(at least 90% passed\)\]\n(?P<passed>(?:.*\n){5})"
    r"\n<TpmC>\n {17}(?P<tpmc>\d+\.\d{3}) TpmC\n?"
)


@dataclass
class StartOutput:
    """What tpcc_start printed: numbers as they stand there."""

    password: str
    rampup_s: int
    intervals: list[tuple[str, ...]]
    raw: list[tuple[int, ...]]
    """Number, success, late, retries, failures of each kind."""
    mean_ms: list[float]
    limits: list[int]
    seconds: int
    shares: list[tuple[str, ...]]
    passed: list[tuple[str, ...]]
    tpmc: float


def read_start(text: str) -> StartOutput:
    """Read all of tpcc_start's standard output."""
    found = re.fullmatch(f"{START_PARAMETERS}(?P<intervals>(?:.*\n)*?){RESULTS}", text)
    if found is None:
        raise ValueError(f"not tpcc_start's: {text!r}")
    if len(found["dots"]) != int(found["connections"]):
        raise ValueError("there is a dot for each connection")
    raw = _lines(RAW, found["raw"])
    if [row[:5] for row in raw] != _lines(SUM, found["sums"]):
        raise ValueError("the sums are others than the results")
    return StartOutput(
        password=found["password"],
        rampup_s=int(found["rampup"]),
        intervals=_lines(INTERVAL, found["intervals"]),
        raw=[tuple(map(int, row[:5])) for row in raw],
        mean_ms=[float(row[5]) for row in raw],
        limits=[int(row[6]) for row in raw],
        seconds=int(found["seconds"]),
        shares=_each(SHARES, found["shares"]),
        passed=_each([rf"{title}: {PERCENT}%  {VERDICT}\n" for title in TITLES], found["passed"]),
        tpmc=float(found["tpmc"]),
    )


def _lines(form: str, text: str) -> list[tuple[str, ...]]:
    """Return the fields of lines that all have one form."""
    return [fields for line in text.splitlines(keepends=True) for fields in _each([form], line)]


def _each(forms: list[str] | tuple[str, ...], text: str) -> list[tuple[str, ...]]:
    fields = []
    for form, line in zip(forms, text.splitlines(keepends=True), strict=True):
        found = re.fullmatch(form, line)
        if found is None:
            raise ValueError(f"{line!r} has not the form {form!r}")
        fields.append(found.groups())
    return fields


LOG_LINE = re.compile(
    r"\d\d:\d\d:\d\d,\d{3} \[(?:main|Thread-\d+)\] (?:INFO |ERROR)  (\w+) : (.*)", re.DOTALL
)
STATUS = re.compile(
    r"Term-00, Running Average tpmTOTAL: (\d+\.\d\d)    Current tpmTOTAL: (\d+)    "
    r"Memory Usage: (\d+)MB / (\d+)MB {10}(\x08+)"
)
MEASURED = {
    "tpmC (NewOrders)": r"Measured tpmC \(NewOrders\) = (\d+\.\d{1,2})",
    "tpmTOTAL": r"Measured tpmTOTAL = (\d+\.\d{1,2})",
    "start": r"Session Start     = (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)",
    "end": r"Session End       = (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)",
    "count": r"Transaction Count = (\d+)",
}
HEADER = (
    *("db", "driver", "conn", "user", "warehouses", "terminals"),
    *("runMins|runTxnsPerTerminal", "limitTxnsPerMin", "terminalWarehouseFixed"),
    *("newOrderWeight", "paymentWeight", "orderStatusWeight", "deliveryWeight"),
    *("stockLevelWeight", "resultDirectory", "osCollectorScript"),
)


@dataclass
class RunLog:
    """What BenchmarkSQL printed."""

    header: dict[str, str] = field(default_factory=dict)
    statuses: list[tuple[str, ...]] = field(default_factory=list)
    measured: dict[str, str] = field(default_factory=dict)
    c_load: int = -1
    c_run: int = -1


def read_run_log(text: str) -> RunLog:
    """Read BenchmarkSQL's standard output; traces of Java and lines of forks are passed over."""
    log = RunLog()
    for status in STATUS.finditer(text):
        *numbers, backspaces = status.groups()
        if len(backspaces) != len(status[0]) - len(backspaces) + 1:
            raise ValueError(f"the wrong number of backspaces: {status[0]!r}")
        log.statuses.append(tuple(numbers))
    said = []
    for line in STATUS.sub("", text).split("\n"):
        found = LOG_LINE.fullmatch(line)
        if found is None or found[1] != "jTPCC":
            continue
        message = found[2].removeprefix("Term-00,")
        said.append(message.removeprefix(" "))
    _read_header(log, said)
    _read_measured(log, said)
    return log


def _read_header(log: RunLog, said: list[str]) -> None:
    if said[1:3] != ["+" + "-" * 61 + "+", "     BenchmarkSQL v5.0"]:
        raise ValueError(f"not BenchmarkSQL's first lines: {said[:3]}")
    properties = iter(said)
    for name in HEADER:
        found = next(
            (match for line in properties if (match := re.fullmatch(f"({name})=(.*)", line))), None
        )
        if found is None:
            raise ValueError(f"no line {name}=, or not in its place")
        log.header[found[1]] = found[2]
    for line in said:
        if match := re.fullmatch(r"C value for C_LAST during load: (\d+)", line):
            log.c_load = int(match[1])
        if match := re.fullmatch(r"C value for C_LAST this run:    (\d+)", line):
            log.c_run = int(match[1])


def _read_measured(log: RunLog, said: list[str]) -> None:
    begin = next(at for at, line in enumerate(said) if line.startswith("Measured tpmC"))
    if said[begin - 2 : begin] != ["", ""]:
        raise ValueError("two empty lines come before the figures")
    for (name, form), line in zip(MEASURED.items(), said[begin:], strict=False):
        found = re.fullmatch(form, line)
        if found is None:
            raise ValueError(f"{line!r} has not the form {form!r}")
        log.measured[name] = found[1]
