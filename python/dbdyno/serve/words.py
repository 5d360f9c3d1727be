"""What the pages say, in the language that they were asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from dbdyno.report.language import current, message, moment, say, say_count, template
from dbdyno.serve.run_state import Standing
from dbdyno.store.model import TrialStatus
from dbdyno.time_left import Left

STANDINGS: Mapping[Standing, str] = {
    Standing.WAITING: message("not begun"),
    Standing.RUNNING: message("running"),
    Standing.SILENT: message("stopped"),
    Standing.COMPLETE: message("complete"),
    Standing.INTERRUPTED: message("interrupted"),
    Standing.FAILED: message("failed"),
}

PHASES: Mapping[str, str] = {
    "starting": message("starting the servers"),
    "loading": message("loading the data"),
    "taking_snapshot": message("taking a snapshot"),
    "restoring_snapshot": message("restoring the snapshot"),
    "dropping_caches": message("dropping caches"),
    "warming_caches": message("warming caches"),
    "checking": message("checking the tables"),
    "resting": message("resting"),
    "waiting_for_host": message("waiting for a host"),
}

PARTS: Mapping[str, str] = {
    "warmup": message("warm-up"),
    "window": message("window"),
    "drain": message("drain"),
}

STATUSES: Mapping[str, str] = {
    "completed": message("completed"),
    "interrupted": message("interrupted"),
    "failed": message("failed"),
}

BAD: Mapping[TrialStatus, str] = {
    TrialStatus.FAILED: message("{count} failed"),
    TrialStatus.INTERRUPTED: message("{count} interrupted"),
}

MARKS: Mapping[str, str] = {
    "late": message("generator {name} is late"),
    "back": message("generator {name} is back"),
    "lost": message("generator {name} is lost"),
    "reconnects": message("clients connected again"),
}


def labels() -> dict[str, str]:
    """Return the fixed words of both pages, by name."""
    return {
        "results": say("Results"),
        "all_results": say("all results"),
        "search": say("Search"),
        "search_hint": say("Name, question or factor"),
        "started": say("Started"),
        "state": say("State"),
        "trials": say("Trials"),
        "factors": say("Factors"),
        "live": say("live page"),
        "select": say("Select"),
        "compare": say("Compare two results"),
        "compare_how": say(
            "Select two results to see the command that compares them: a verdict for each cell."
        ),
        "none": say("There is no result here yet. One that begins is shown by itself."),
        "no_match": say("No result has these words."),
        "whole_trial": say("The whole trial"),
        "last_minutes": say("The last five minutes"),
        "throughput": say("Throughput, transactions/s"),
        "throughput_axis": say("transactions/s"),
        "response_log": say("Response time, ms (logarithmic)"),
        "p95": say("p95 of the response time, ms"),
        "hosts": say("Hosts"),
        "generators": say("Generators"),
        "precision": say("How exact it is so far"),
        "precision_why": say(
            "No effect is shown while rounds are missing: who looks at effects early, and stops at "
            "one, finds differences that are not there. This is by the throughput of all trials "
            "that are completed so far."
        ),
        "comparison": say("Comparison"),
        "width": say("Interval of ratio"),
        "rounds": say("Rounds"),
        "rounds_left": say("Rounds left"),
        "trial": say("Trial"),
        "round": say("Round"),
        "cell": say("Cell"),
        "outcome": say("Outcome"),
        "resource": say("Resource"),
        "use": say("Use"),
        "limit": say("Limit"),
        "of_limit": say("Of the limit"),
        "generator": say("Generator"),
        "lag": say("Lag p99, ms"),
        "headroom": say("Headroom"),
        "clock": say("Clock error, ms"),
        "heard": say("Last heard"),
        "intervals": say("The last ten intervals as a table"),
        "phase": say("Phase"),
        "second": say("Second"),
        "errors": say("Errors/s"),
        "in_flight": say("In flight"),
        "theme": say("Light or dark"),
        "legend_lowest": say("band: from the lowest to the highest interval"),
        "legend_ghost": say("earlier rounds of this cell"),
        "legend_marks": say("tick: errors"),
        "legend_events": say("triangle: a generator late or lost, connections made again"),
        "chart_recent_throughput": say(
            "Transactions per second in each interval of the last five minutes. A gap is the time "
            "between two trials."
        ),
        "chart_recent_response": say(
            "Response time of each interval of the last five minutes on a logarithmic scale: "
            "p50, p95 and p99."
        ),
        "chart_whole_throughput": say(
            "Transactions per second over the whole trial, from its warm-up on; second 0 is the "
            "start of the window."
        ),
        "chart_whole_p95": say(
            "The p95 of single intervals over the whole trial, from the lowest to the highest."
        ),
        "script_needed": say(
            "Without JavaScript this page shows how it was when it was loaded, and loads again "
            "every ten seconds; charts need JavaScript."
        ),
        "while_running": say("No generator is heard at the moment."),
        "not_watched": say("No host is watched, or none has told anything yet."),
        "nothing_compared": say("This experiment compares no cells."),
        "none_ended": say("No trial has ended yet."),
        "all_there": say("All rounds are there. The verdicts stand in the report:"),
        "reports": say("Reports"),
        "no_points": say("No interval has been told yet."),
    }


def script_words() -> dict[str, str]:
    """Return what the page's script says, with placeholders for it to fill."""
    return {
        "stale": template(message("Stale: nothing has come for {seconds} s. Connecting again …")),
        "fresh": say("Connected again."),
        "errors": template(message("{count} errors")),
        "compare": template(message("Two results are selected.")),
    }


def standing_in_words(standing: Standing, last_unix_s: float) -> str:
    """Return how a run stands; of one without a sign of life, since when."""
    if standing is Standing.SILENT:
        return say("stopped: no sign of life since {time}", time=clock_time(last_unix_s))
    return say(STANDINGS[standing])


def started_in_words(unix_s: float | None) -> str:
    """Return when a run began."""
    return "–" if unix_s is None else moment(_instant(unix_s))


def clock_time(unix_s: float) -> str:
    """Return a time of today, or date and time of another day."""
    instant = _instant(unix_s)
    if instant.date() == datetime.now(UTC).astimezone().date():
        return instant.strftime("%H:%M:%S")
    return moment(instant)


def _instant(unix_s: float) -> datetime:
    return datetime.fromtimestamp(unix_s, UTC).astimezone()


def trials_in_words(done: int, planned: int, bad: Mapping[TrialStatus, int]) -> str:
    """Return how many trials are done, and how many of these did not end well, in its words."""
    words = [say("{done} of {planned} done", done=f"{done:,}", planned=f"{planned:,}")]
    words += (say(BAD[status], count=f"{bad[status]:,}") for status in BAD if bad.get(status))
    return current().comma.join(words)


def import_in_words(tools: Iterable[str], trials: int) -> str:
    """Return what an import has: the trials of which tools."""
    names = current().comma.join(tools)
    return say_count(
        "import: {count} trial of {tools}", "import: {count} trials of {tools}", trials, tools=names
    )


def left_in_words(left: Left | None) -> str:
    """Return how long a run will still take."""
    if left is None:
        return "–"
    text = duration(max(left.duration_s, 0.0))
    return say("at least {time}", time=text) if left.is_least else say("about {time}", time=text)


def duration(duration_s: float) -> str:
    """Return minutes and seconds, and hours where there are any: ``1:05``, ``2:00:00``."""
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def phase_part(part: str, done_s: float, duration_s: float, *, is_most: bool = False) -> str:
    """Return how far a part of a load is; ``is_most`` where it may end earlier."""
    values = {
        "phase": say(PARTS[part]),
        "done": f"{max(done_s, 0.0):.0f}",
        "total": f"{duration_s:g}",
    }
    if is_most:
        return say("{phase}, {done} of {total} s at the most", **values)
    return say("{phase}, {done} of {total} s", **values)


def ago(seconds: float) -> str:
    """Return how long something is ago."""
    return say("{seconds} s ago", seconds=f"{max(seconds, 0.0):.0f}")
