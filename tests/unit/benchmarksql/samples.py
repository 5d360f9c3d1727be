"""Files of properties as BenchmarkSQL 5.0 and 6.0 ship them, filled in."""

from __future__ import annotations

from pathlib import Path

PROPERTIES = """\
db=mysql
driver=com.mysql.cj.jdbc.Driver
conn=jdbc:mysql://db:3307/bsql?useSSL=false&useServerPrepStmts=true
user=me
password=secret

warehouses=4
loadWorkers=3

terminals=8
//To run specified transactions per terminal- runMins must equal zero
runTxnsPerTerminal=0
//To run for specified minutes- runTxnsPerTerminal must equal zero
runMins=5
//Number of total transactions per minute
limitTxnsPerMin=0

terminalWarehouseFixed=true

newOrderWeight=45
paymentWeight=43
orderStatusWeight=4
deliveryWeight=4
stockLevelWeight=4

resultDirectory=my_result_%tY-%tm-%td_%tH%tM%tS
"""


VERSION_6 = """\
# As version 6 ships it, with everything that it knows.
db=postgres
driver=org.postgresql.Driver
application=Generic
conn=jdbc:postgresql://db:5432/bsql?sslmode=disable
user=me
password=secret

warehouses=5
useWarehouseFrom=-1
useWarehouseTo=-1
loadWorkers=8
monkeys=2
sutThreads=16
maxDeliveryBGThreads=12
maxDeliveryBGPerWarehouse=1
rampupMins=10
rampupSUTMins=5
rampupTerminalMins=5
runMins=30
reportIntervalSecs=30
restartSUTThreadProbability=0.0
keyingTimeMultiplier=1.0
thinkTimeMultiplier=0.5
terminalMultiplier=1
traceTerminalIO=false

paymentWeight=43.2
orderStatusWeight=4.2
deliveryWeight=4.2
stockLevelWeight=4.2
rollbackPercent=1.01

resultDirectory=my_result_%tY-%tm-%td_%tH%tM%tS
reportScript=./generateReport.py -t report_simple.html
"""


def write(folder: Path, *changes: str, text: str = PROPERTIES) -> Path:
    """Write the file with lines changed or added (``name=value``), or taken out (``-name``)."""
    lines = text.splitlines()
    for change in changes:
        name, equals, _ = change.lstrip("-").partition("=")
        lines = [line for line in lines if not line.startswith(f"{name}=")]
        if equals:
            lines.append(change)
    path = folder / "props.mysql"
    path.write_text("\n".join([*lines, ""]), encoding="latin-1")
    return path
