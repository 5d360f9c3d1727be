"""Words of the evidence of an audit, by the kind of its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from dbdyno.analysis.audit.model import FigureValue
from dbdyno.report.language import message

Choice: TypeAlias = Callable[[Mapping[str, FigureValue]], str]

_LEFT_OUT = {
    ("lowest", False): message(
        "{name}: {stated} ({table}, line {line}) leaves out rounds {rounds}, the {count} lowest of "
        "{of}. The mean of all is {mean_of_all}."
    ),
    ("highest", False): message(
        "{name}: {stated} ({table}, line {line}) leaves out rounds {rounds}, the {count} highest "
        "of {of}. The mean of all is {mean_of_all}."
    ),
    ("", False): message(
        "{name}: {stated} ({table}, line {line}) leaves out rounds {rounds}, {count} of {of}. The "
        "mean of all is {mean_of_all}."
    ),
    ("lowest", True): message(
        "{name}: {stated} ({table}, line {line}) leaves out round {rounds}, the lowest of {of}. "
        "The mean of all is {mean_of_all}."
    ),
    ("highest", True): message(
        "{name}: {stated} ({table}, line {line}) leaves out round {rounds}, the highest of {of}. "
        "The mean of all is {mean_of_all}."
    ),
    ("", True): message(
        "{name}: {stated} ({table}, line {line}) leaves out round {rounds} of {of}. The mean of "
        "all is {mean_of_all}."
    ),
}

_WITH_INTERVAL = {
    True: message(
        "{cell}: {subject} {figure}, {other} {other_figure} ({change_percent}, 95 % interval "
        "{low_percent} to {high_percent}): not shown"
    ),
    False: message(
        "{cell}: {subject} {figure}, {other} {other_figure} ({change_percent}, from one run each): "
        "not shown"
    ),
}

_WINDOWS = {
    (True, True): message("The window is {window_s} s, the warm-up {warmup_s} s."),
    (True, False): message("The window is {window_s} s; no warm-up is stated."),
    (False, True): message("The warm-up is {warmup_s} s; no window is stated."),
}

_RATES = {
    "warehouse": message(
        "{cell}: {figure} is {rate} per warehouse, the highest rate; TPC-C allows {most} at most."
    ),
    "terminal": message(
        "{cell}: {figure} is {rate} per terminal, the highest rate; TPC-C allows {most} at most."
    ),
}

METRICS = {
    "figure": message("the figure"),
    "mean": message("the mean response time"),
    "median": message("the median response time"),
    "min": message("the shortest response time"),
    "max": message("the longest response time"),
    "latency": message("the response time"),
    "success": message("the success"),
    "errors": message("the number of errors"),
}
"""Names of metrics that say too little by themselves."""

LINES: Mapping[str, str | Choice] = {
    "left_out": lambda figures: _LEFT_OUT[str(figures["extreme"]), figures["count"] == 1],
    "improvement": message(
        "{cell}: {subject} is {from_all_percent} above {other} by all rounds; by the stated means "
        "{from_stated_percent}."
    ),
    "unfounded": message(
        "{name}: {stated} ({table}, line {line}, {column}) is not the mean of its {of} rounds, "
        "which is {mean_of_all}."
    ),
    "unfounded_single": message(
        "{name}: {stated} ({table}, line {line}, {column}) is not the figure of the table, which "
        "is {mean_of_all}."
    ),
    "no_cell": message(
        "{cell}: {stated} ({table}, line {line}, {column}) is the figure of none of the {cells} "
        "pairs of cells, which range from {low} to {high}."
    ),
    "change_wrong_base": message(
        "{cell}: {stated} ({table}, line {line}, {column}) takes the wrong one of {figure} "
        "({subject}) and {other_figure} ({other}) as the base; right is {right}."
    ),
    "change_sign": message(
        "{cell}: {stated} ({table}, line {line}, {column}) has the wrong sign for {figure} "
        "({subject}) against {other_figure} ({other}); right is {right}."
    ),
    "change_ratio_as_change": message(
        "{cell}: {stated} ({table}, line {line}, {column}) is the ratio of {figure} ({subject}) to "
        "{other_figure} ({other}), and not the change; right is {right}."
    ),
    "change_change_as_ratio": message(
        "{cell}: {stated} ({table}, line {line}, {column}) is the change from {other_figure} "
        "({other}) to {figure} ({subject}), and not the ratio; right is {right}."
    ),
    "change_points": message(
        "{cell}: {stated} ({table}, line {line}, {column}) are percentage points between {figure} "
        "({subject}) and {other_figure} ({other}); the change is {right}."
    ),
    "change_other": message(
        "{cell}: {stated} ({table}, line {line}, {column}) does not follow from {figure} "
        "({subject}) and {other_figure} ({other}); right is {right}."
    ),
    "sum": message(
        "{cell}: {total} is {stated} (line {line}, {column}); its {parts} parts add up to {right}."
    ),
    "negative": message("{cell}: {metric} is {stated} (line {line}, {column}), below zero."),
    "above_all": message("{cell}: {metric} is {stated} (line {line}, {column}), above 100 %."),
    "above": message(
        "{cell}: {metric} is {stated} (line {line}, {column}), above {other_metric}, which is "
        "{other_stated}."
    ),
    "all_with_errors": message(
        "{cell}: {metric} is {stated} (line {line}, {column}), but {other_metric} is "
        "{other_stated}."
    ),
    "busy": message(
        "{cell}: {metric} {rate} (line {line}) at a mean of {mean_ms} ms keeps {busy} clients "
        "busy, but there are {clients} (Little’s law)."
    ),
    "per_minute": message(
        "{cell}: {minute} a minute (line {line}) is not 60 times {second} a second, which is "
        "{right}."
    ),
    "sentence": message(
        "Line {line}: {stated} in “{text}”; by the figures one is {low_change_percent} to "
        "{high_change_percent} above the other."
    ),
    "copied": message(
        "{column}: {stated} stands at {cell} and at {other_cell} (lines {lines}), equal to the "
        "last digit."
    ),
    "same_series": message(
        "{count} figures from {first} on: {cell} here (line {line}), and {other_cell} in "
        "{other_table} (line {other_line})."
    ),
    "stray_curve": message(
        "{cell} looks like {other_cell} at {count} loads, and differs by {change_percent} from "
        "{of_own}, which had more."
    ),
    "swapped": message(
        "{cell} received {received} and sent {sent} at {level}; {other_cell}, which sends on what "
        "it receives, received {passed}. Received and sent of {cell} may be swapped (at {count} of "
        "{loads} loads)."
    ),
    "two_roles": message(
        "{address} in table {table}: {role} (line {line}), and {other_role} (line {other_line})."
    ),
    "moved": message(
        "{address} makes the load (tables: {tables}), and is {role} elsewhere (tables: "
        "{other_tables}; first in line {line})."
    ),
    "mean_of_percentiles": message(
        "{stated} (line {line}, {column}) is the mean of {metric} over {rows} rows."
    ),
    "duplicate": message("{cell}: {column} stands in lines {lines}, with {values}."),
    "aggregate_wrong": message(
        "{cell}: {stated} ({table}, line {line}) over {cells} cells is neither their plain mean "
        "({plain}) nor their geometric mean ({geometric}); the cells range from {low} to {high}."
    ),
    "plain_mean": message(
        "{cell}: {stated} ({table}, line {line}) is the plain mean of {cells} cells, which range "
        "from {low} to {high}; the geometric mean is {geometric}."
    ),
    "chosen": message(
        "{cell}: {stated} is the ratio of {figure} ({subject}) to {other_figure} ({other}); all "
        "{pairs} ratios of these settings range from {low} to {high}."
    ),
    "speed_reversed": message(
        "{cell}: {subject} {figure}, {other} {other_figure} ({change_percent}): the reverse is true"
    ),
    "speed_open": lambda figures: _WITH_INTERVAL[figures["low_percent"] is not None],
    "speed_holds": message(
        "{cell}: {subject} {figure}, {other} {other_figure} ({change_percent}): holds"
    ),
    "speed_differs": message(
        "{cell}: {subject} {figure}, {other} {other_figure} ({change_percent}): they differ"
    ),
    "fall_holds": message(
        "{cell}: peak {best} ({at}), then {figure} ({subject}; {change_percent}): holds"
    ),
    "fall_open": message(
        "{cell}: peak {best} ({at}), then {figure} ({subject}; {change_percent}): not shown"
    ),
    "fall_more_holds": message(
        "{cell}: {subject} falls from {best} to {figure} ({change_percent}), {other} from "
        "{other_best} to {other_figure} ({other_change_percent}): holds"
    ),
    "fall_more_open": message(
        "{cell}: {subject} falls from {best} to {figure} ({change_percent}), {other} from "
        "{other_best} to {other_figure} ({other_change_percent}): not shown"
    ),
    "fall_more_reversed": message(
        "{cell}: {subject} falls from {best} to {figure} ({change_percent}), {other} from "
        "{other_best} to {other_figure} ({other_change_percent}): the reverse is true"
    ),
    "steady_reversed": message(
        "{cell}: the coefficient of variation is {variation_percent} for {subject} and "
        "{other_variation_percent} for {other} ({rounds} rounds, Brown-Forsythe p = {p_value}): "
        "the reverse is true"
    ),
    "steady_open": message(
        "{cell}: the coefficient of variation is {variation_percent} for {subject} and "
        "{other_variation_percent} for {other} ({rounds} rounds, Brown-Forsythe p = {p_value}): "
        "not shown"
    ),
    "steady_holds": message(
        "{cell}: the coefficient of variation is {variation_percent} for {subject} and "
        "{other_variation_percent} for {other} ({rounds} rounds, Brown-Forsythe p = {p_value}): "
        "holds"
    ),
    "together": message("Only together: {levels}."),
    "also": message(
        "{case} and {other_case} differ in {name} too: {levels} against {other_levels}."
    ),
    "parts": message(
        "{case} has the load generators {parts}; no case with one load generator has {differing}."
    ),
    "parts_changed": message(
        "{case} ({parts}; {differing}) and {other_case} ({other_parts}; {other_differing}) differ "
        "in the load generators and in other columns."
    ),
    "single": message(
        "{cell}: {metric} of {subject} against {other} {change_percent}, from one run each."
    ),
    "single_other": message(
        "{cell}: {metric} of {subject} against {other} {change_percent}, from one run each; "
        "no claim is about it."
    ),
    "unclear": message(
        "{cell}: {metric} of {subject} against {other} {change_percent}; its 95 % interval "
        "(Welch) is {low_percent} to {high_percent}."
    ),
    "slower": message(
        "{cell}: throughput of {subject} {throughput_change_percent}, but {metric} is {time_ms} "
        "ms against {other_time_ms} ms."
    ),
    "rounding": message(
        "{cell}: {stated} ({table}, line {line}) is of {figure} ({subject}) and {other_figure} "
        "({other}); with their rounding it may be anything from {low_percent} to {high_percent}."
    ),
    "durability": message("{setting}: {value} for {subject}, {other_value} for {other}."),
    "missing": message("{cell} is not in the table."),
    "blank": message("Line {line}: {column} is empty."),
    "rate": lambda figures: _RATES[str(figures["per"])],
    "window": lambda figures: _WINDOWS[
        figures["window_s"] is not None, figures["warmup_s"] is not None
    ],
}
