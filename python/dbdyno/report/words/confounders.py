"""What else differs between compared cells, in words."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.confounders.model import (
    LISTS_SEPARATOR,
    LOG,
    NONE,
    OFF,
    ON,
    SCHEMA_ASPECTS,
    TABLES,
    Aspect,
    Confounder,
)
from dbdyno.analysis.confounders.set_by import is_for_own_commands
from dbdyno.analysis.differences import setting_names, shared_and_own
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.language import listed, message, say, say_count
from dbdyno.report.words.durability import promise

SETTINGS_NAMED = 3

_ASPECTS = {
    Aspect.PRODUCT: message("product"),
    Aspect.VERSION: message("version"),
    Aspect.BUILD: message("build"),
    Aspect.FRONT: message("what answers clients"),
    Aspect.DURABILITY: message("durability of commits"),
    Aspect.ISOLATION: message("isolation level"),
    Aspect.COLLATION: message("collation"),
    Aspect.CACHE_MEMORY: message("memory for caches"),
    Aspect.CHECKSUMS: message("checksums of pages"),
    Aspect.TORN_PAGES: message("protection against torn pages"),
    Aspect.COMPRESSION: message("compression"),
    Aspect.KEPT_LOG: message("binary log or archived WAL"),
    Aspect.TRANSPORT: message("transport"),
    Aspect.PROTOCOL: message("protocol of statements"),
    Aspect.DRIVER: message("options of the driver"),
    Aspect.DATASET: message("data that were loaded"),
    Aspect.KEYS: message("keys and indexes of the tables"),
    Aspect.COLUMNS: message("columns of the tables"),
    Aspect.STORAGE: message("storage engine of the tables"),
    Aspect.START: message("start of each trial"),
    Aspect.CACHES: message("caches at the start"),
    Aspect.CPUS: message("CPUs that the server is bound to"),
    Aspect.CPU_LIMIT: message("CPU limit of the server"),
    Aspect.MEMORY_LIMIT: message("memory limit of the server"),
    Aspect.FILE_SYSTEM: message("file system of the data"),
    Aspect.GENERATORS: message("number of generators"),
    Aspect.HOST: message("host"),
}

_CODES = {
    ON: message("on"),
    OFF: message("off"),
    TABLES: message("tables"),
    LOG: message("log"),
}
"""The values of what settings mean, but for sizes and names."""

_WITHOUT = {
    Aspect.COMPRESSION: message("without"),
    Aspect.DRIVER: message("without"),
    Aspect.KEYS: message("without"),
    Aspect.COLUMNS: message("without"),
    Aspect.STORAGE: message("without"),
    Aspect.CPUS: message("none named"),
    Aspect.CPU_LIMIT: message("no limit"),
    Aspect.MEMORY_LIMIT: message("no limit"),
}
"""What stands where it is known that there is none."""


def aspect_name(aspect: Aspect) -> str:
    """Return what an aspect is called."""
    return say(_ASPECTS[aspect])


def differs_line(findings: Findings, factor: str, apart: Aspect | None = None) -> str:
    """Return in one line what differs between the cells compared by a factor, besides it.

    ``apart`` is what the reader has read in a line of its own.
    """
    parts = [_aspect(each) for each in unexpected(findings, factor, apart)]
    if settings := setting_names(findings.differences):
        parts.append(_settings(settings))
    parts += _defaults(findings)
    if findings.is_of_two_results:
        return _of_two_results(findings, parts)
    if not parts:
        return say("Nothing else that was looked at differs between the compared cells.")
    if _is_for_own_commands(findings, factor):
        return say(
            "Commands make the levels of {factor}. Compared cells differ in: {differences}.",
            factor=factor,
            differences=listed(parts),
        )
    return say(
        "Besides {factor}, compared cells differ in: {differences}.",
        factor=factor,
        differences=listed(parts),
    )


def _defaults(findings: Findings) -> Iterator[str]:
    """Yield what differs although nobody set it: other values, and settings of one server."""
    shared, of_one = map(setting_names, shared_and_own(findings.default_differences))
    if shared:
        yield say_count(
            "{count} setting that nobody set ({named})",
            "{count} settings that nobody set ({named})",
            len(shared),
            named=_named(shared),
        )
    if of_one:
        yield say_count(
            "{count} setting that only one of the servers knows",
            "{count} settings that only one of the servers knows",
            len(of_one),
        )


def _of_two_results(findings: Findings, parts: list[str]) -> str:
    if not parts and findings.imported is not None:
        return say(
            "Nothing that both sources tell differs between the two. Logs do not tell the server, "
            "its settings or its data."
        )
    if not parts:
        return say("Nothing that was looked at differs between the two results.")
    return say(
        "The two results differ in: {differences}. Each of these may be the cause of an effect, "
        "and so may what changed on the machine in between.",
        differences=listed(parts),
    )


def durability_line(findings: Findings, factor: str) -> str:
    """Return how the promises about committed data differ; "" where they are the same."""
    for each in findings.confounders:
        if each.factor == factor and each.aspect is Aspect.DURABILITY:
            return say(
                "{value}, against {baseline}. The weaker of the two may be faster because it "
                "promises less about committed data.",
                value=aspect_value(each.aspect, each.value),
                baseline=aspect_value(each.aspect, each.baseline_value),
            )
    return ""


def is_confounded(findings: Findings, factor: str, apart: Aspect | None = None) -> bool:
    """Tell whether something differs, besides the factor, that a user has chosen.

    Where the user's own commands make the factor, the settings that differ are theirs.
    """
    is_set_apart = bool(findings.differences) and not _is_for_own_commands(findings, factor)
    return bool(unexpected(findings, factor, apart)) or is_set_apart


def _is_for_own_commands(findings: Findings, factor: str) -> bool:
    return any(each.name == factor and is_for_own_commands(each.sets) for each in findings.factors)


def unexpected(findings: Findings, factor: str, apart: Aspect | None = None) -> list[Confounder]:
    """Return what differs in a factor's comparisons and is not set by the factor."""
    return [
        each
        for each in findings.confounders
        if each.factor == factor and not each.is_expected and each.aspect is not apart
    ]


def _aspect(confounder: Confounder) -> str:
    return say(
        "{aspect} ({value} against {baseline})",
        aspect=aspect_name(confounder.aspect),
        value=aspect_value(confounder.aspect, confounder.value),
        baseline=aspect_value(confounder.aspect, confounder.baseline_value),
    )


def aspect_value(aspect: Aspect, value: str) -> str:
    """Return a value in words; what a server or a file calls by a name stays that name."""
    if value == NONE:
        return say(_WITHOUT[aspect]) if aspect in _WITHOUT else figures.ABSENT
    if aspect in SCHEMA_ASPECTS:
        return _named(value.split(LISTS_SEPARATOR))
    if aspect in (Aspect.CHECKSUMS, Aspect.TORN_PAGES, Aspect.COMPRESSION, Aspect.KEPT_LOG):
        return listed(say(_CODES[each]) for each in value.split(LISTS_SEPARATOR))
    if aspect in (Aspect.MEMORY_LIMIT, Aspect.CACHE_MEMORY):
        return f"{figures.count(float(value) / 2**20)}\N{NO-BREAK SPACE}MiB"
    return promise(value)


def _settings(names: list[str]) -> str:
    return say_count(
        "{count} setting ({named})", "{count} settings ({named})", len(names), named=_named(names)
    )


def _named(names: list[str]) -> str:
    named = listed(names[:SETTINGS_NAMED])
    if len(names) <= SETTINGS_NAMED:
        return named
    more = figures.count(len(names) - SETTINGS_NAMED)
    return say("{named} and {count} more", named=named, count=more)
