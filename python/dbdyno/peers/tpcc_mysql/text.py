"""tpcc_load's and tpcc_start's output, byte for byte in form.

Only one thing differs: a password is not printed.
"""

from __future__ import annotations

from dbdyno.password import without_passwords
from dbdyno.peers.call.totals import KindTotals, Totals
from dbdyno.peers.tpcc.kinds import KINDS, count_finished, new_orders_per_minute
from dbdyno.peers.tpcc_mysql.arguments import Arguments
from dbdyno.peers.tpcc_mysql.request import StartRequest

MASK = "***"

SHARES = (
    ("payment", "        Payment", 43.0, "(>=43.0%)"),
    ("order_status", "   Order-Status", 4.0, "(>= 4.0%)"),
    ("delivery", "       Delivery", 4.0, "(>= 4.0%)"),
    ("stock_level", "    Stock-Level", 4.0, "(>= 4.0%)"),
)
"""Kinds, their titles, what they must at least have of the mix, and how that is written."""

TITLES = ("      New-Order", *(title for _, title, _, _ in SHARES))
PASSED_PERCENT = 90.0


def banner(command: str) -> str:
    """Return the first lines."""
    if command == "load":
        return (
            "*************************************\n"
            "*** TPCC-mysql Data Loader        ***\n"
            "*************************************\n"
        )
    return (
        "***************************************\n"
        "*** ###easy### TPC-C Load Generator ***\n"
        "***************************************\n"
    )


def opening(arguments: Arguments) -> str:
    """Return what is said before anything is done; a word in a wrong place may be a password."""
    said = banner(arguments.command) + options(arguments) + parameters(arguments)
    return without_passwords(said)


def options(arguments: Arguments) -> str:
    """Repeat the options that were given by a letter."""
    return "".join(
        f"option {name} with value '{MASK if name == 'p' else value}'\n"
        for name, value in arguments.given
        if len(name) == 1
    )


def parameters(arguments: Arguments) -> str:
    """Return the block <Parameters>."""
    server = (
        ""
        if arguments.text("h") == "l"
        else f"     [server]: {arguments.text('h')}\n     [port]: {arguments.text('P')}\n"
    )
    lines = (
        f"<Parameters>\n{server}"
        f"     [DBname]: {arguments.text('d')}\n"
        f"       [user]: {arguments.text('u')}\n"
        f"       [pass]: {MASK}\n"
        f"  [warehouse]: {arguments.text('w')}\n"
    )
    if arguments.command == "load":
        return lines
    return (
        f"{lines} [connection]: {arguments.text('c')}\n"
        f"     [rampup]: {arguments.text('r')} (sec.)\n"
        f"    [measure]: {arguments.text('l')} (sec.)\n"
    )


def interval(time_s: float, totals: Totals) -> str:
    """Return the line of one interval; all times are response times in milliseconds."""
    new_order = totals.of("new_order")
    others = ", ".join(f"{each.finished}|{each.max_ms:.3f}" for each in map(totals.of, KINDS[1:]))
    return (
        f"{time_s:4.0f}, trx: {new_order.finished}, "
        f"95%: {new_order.percentile_ms(95) or 0.0:.3f}, "
        f"99%: {new_order.percentile_ms(99) or 0.0:.3f}, "
        f"max_rt: {new_order.max_ms:.3f}, {others}\n"
    )


def summary(totals: Totals, start: StartRequest) -> str:
    """Return everything from <Raw Results> on."""
    limited = list(zip(map(totals.of, KINDS), start.limits_s, strict=True))
    counted = [_counted(kind, limit_s) for kind, limit_s in limited]
    raw = [
        f"  [{index}] sc:{success} lt:{late}  rt:{kind.retries}  fl:{kind.failed} "
        f"avg_rt: {kind.mean_ms:.1f} ({limit_s})\n"
        for index, ((kind, limit_s), (success, late)) in enumerate(
            zip(limited, counted, strict=True)
        )
    ]
    sums = [
        f"  [{index}] sc:{success}  lt:{late}  rt:{kind.retries}  fl:{kind.failed} \n"
        for index, ((kind, _), (success, late)) in enumerate(zip(limited, counted, strict=True))
    ]
    return "".join(
        [
            "\n<Raw Results>\n",
            *raw,
            f" in {totals.elapsed_s:.0f} sec.\n",
            "\n<Raw Results2(sum ver.)>\n",
            *sums,
            "\n<Constraint Check> (all must be [OK])\n [transaction percentage]\n",
            *_shares(totals),
            " [response time (at least 90% passed)]\n",
            *(
                f"{title}: {_percent(success, success + late):3.2f}%  "
                f"{_verdict(_percent(success, success + late), PASSED_PERCENT)}\n"
                for title, (success, late) in zip(TITLES, counted, strict=True)
            ),
            f"\n<TpmC>\n                 {new_orders_per_minute(totals):.3f} TpmC\n",
        ]
    )


def _counted(kind: KindTotals, limit_s: int) -> tuple[int, int]:
    """Return how many ended within the limit, and how many later.

    Counts belong to the time of the end and response times to that of the start, so that some times
    belong to transactions that ended in the drain. The sum is what ended, as in all other lines.
    """
    late = min(kind.later_than(1000.0 * limit_s), kind.finished)
    return kind.finished - late, late


def _shares(totals: Totals) -> list[str]:
    whole = count_finished(totals)
    return [
        f"{title}: {_percent(totals.of(kind).finished, whole):3.2f}% {range_} "
        f"{_verdict(_percent(totals.of(kind).finished, whole), least)}\n"
        for kind, title, least, range_ in SHARES
    ]


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0


def _verdict(percent: float, least: float) -> str:
    return "[OK]" if percent >= least else "[NG] *"
