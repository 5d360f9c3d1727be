"""A file of properties as BenchmarkSQL ships it, filled in."""

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


def write(folder: Path, *changes: str) -> Path:
    """Write the file with lines changed or added (``name=value``), or taken out (``-name``)."""
    lines = PROPERTIES.splitlines()
    for change in changes:
        name, equals, _ = change.lstrip("-").partition("=")
        lines = [line for line in lines if not line.startswith(f"{name}=")]
        if equals:
            lines.append(change)
    path = folder / "props.mysql"
    path.write_text("\n".join([*lines, ""]), encoding="latin-1")
    return path
