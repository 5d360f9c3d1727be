"""What else differs between two cells that are compared: the settings besides the factor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from dbdyno.analysis.confounders.meaning import is_of_one_family
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.store.model import StoredTrial

UNIMPORTANT = frozenset(
    {
        "auto_increment_offset",
        "basedir",
        "bind_address",
        "character_sets_dir",
        "datadir",
        "general_log_file",
        "hostname",
        "innodb_data_home_dir",
        "innodb_log_group_home_dir",
        "innodb_tmpdir",
        "lc_messages_dir",
        "log_bin_basename",
        "log_bin_index",
        "log_error",
        "pid_file",
        "plugin_dir",
        "port",
        "pseudo_thread_id",
        "relay_log_basename",
        "relay_log_index",
        "report_host",
        "report_port",
        "secure_file_priv",
        "server_id",
        "server_uuid",
        "slave_load_tmpdir",
        "replica_load_tmpdir",
        "slow_query_log_file",
        "socket",
        "timestamp",
        "tmpdir",
        "wsrep_data_home_dir",
        "wsrep_node_address",
        "wsrep_node_incoming_address",
        "wsrep_node_name",
        "wsrep_provider_options.base_dir",
        "wsrep_provider_options.base_host",
        "wsrep_provider_options.gcache.dir",
        "wsrep_provider_options.gmcast.listen_addr",
        "wsrep_provider_options.ist.recv_addr",
        "wsrep_provider_options.ist.recv_bind",
        "wsrep_sst_receive_address",
        "wsrep_start_position",
    }
)
"""Names, places and moments: they differ from server to server and change no figure."""

OFTEN_DECISIVE = (
    *("innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "innodb_doublewrite"),
    *("innodb_buffer_pool_size", "innodb_redo_log_capacity", "innodb_log_file_size"),
    *("innodb_flush_method", "innodb_io_capacity", "innodb_io_capacity_max"),
    "performance_schema",
    *("innodb_flush_neighbors", "innodb_adaptive_hash_index", "innodb_change_buffering"),
    *("innodb_log_buffer_size", "innodb_lru_scan_depth", "innodb_purge_threads"),
    *("innodb_page_cleaners", "innodb_read_io_threads", "innodb_write_io_threads"),
    *("transaction_isolation", "tx_isolation", "thread_handling"),
    *("query_cache_type", "binlog_format", "binlog_row_image", "gtid_mode"),
    *("character_set_server", "collation_server", "table_open_cache", "optimizer_switch"),
    *("fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_compression"),
    *("shared_buffers", "max_wal_size", "checkpoint_timeout", "checkpoint_completion_target"),
    *("effective_io_concurrency", "random_page_cost", "work_mem", "jit", "autovacuum"),
)
"""Settings that are known to change throughput much; differences in them come first."""

KEPT_SETTINGS = 100
"""As many servers as an experiment may have cells; each has some hundred settings."""

_WEIGHT = {name: rank for rank, name in enumerate(OFTEN_DECISIVE)}

Difference = tuple[str, str, str | None, str | None]
"""Setting, cell, its value and the baseline's; None is a setting that a server does not know."""
RoundsOfCells = Mapping[Cell, Mapping[int, StoredTrial]]
"""The valid trials of each cell, by round."""


def setting_differences(
    factors: Sequence[FactorLevels], rounds_of: RoundsOfCells
) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
    """Return setting, cell, its value and the baseline's, for all compared cells of one family.

    Cells are compared within rounds, and so are their settings: a setting that differs in any round
    is a difference, with the values of the first such round. The setting that a factor itself sets
    is no difference *besides* the factor, and is left out of that factor's comparisons. Those that
    targets set which are compared come apart from all others, as the second. Servers of two
    families have no setting in common: what their settings mean is compared
    (``confounders/meaning.py``).
    """
    sets = {factor.name: _set_by(factor) for factor in factors}
    targets = {factor.name for factor in factors if factor.sets == "target"}
    found: dict[tuple[str, str, str], Difference] = {}
    of_targets: dict[tuple[str, str, str], Difference] = {}
    for factor, cell, baseline, own, other in pairs_of_trials(factors, rounds_of):
        if not is_of_one_family(own, other):
            continue
        asked = _set_of_target(own) | _set_of_target(other) if factor in targets else frozenset()
        for difference in _differences(
            cell.label(), settings_of(own), settings_of(other), sets[factor]
        ):
            is_of_target = not asked.isdisjoint(_asked_as(difference[0]))
            place = difference[0], cell.label(), baseline.label()
            (of_targets if is_of_target else found).setdefault(place, difference)
    return tuple(found.values()), tuple(of_targets.values())


def _set_of_target(trial: StoredTrial) -> frozenset[str]:
    """Return the settings that a target has of the experiment file and of option files.

    A server that was up already has been set by others.
    """
    planned, server = trial.planned, trial.server
    names = {
        *planned.server_settings,
        *(name for role in planned.role_settings.values() for name in role),
    }
    if server.file_sizes_bytes:
        # The files are looked at of servers that the experiment starts.
        names |= set(server.chosen_settings or ())
    return frozenset(map(normalised, names))


def _set_by(factor: FactorLevels) -> frozenset[str]:
    """Return the settings that a factor sets, and those that follow it."""
    names = (factor.sets.removeprefix("server."), *(each.setting for each in factor.follows))
    return frozenset(map(normalised, names))


def part_by_choice(
    differences: Iterable[Difference], trials: Iterable[StoredTrial]
) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
    """Return the differences in what somebody has set, and those in defaults.

    Where a server does not tell what was set, all may have been.
    """
    told = [trial.server.chosen_settings for trial in trials]
    chosen = {normalised(name) for names in told for name in names or ()}
    all_tell = None not in told
    own: list[Difference] = []
    defaults: list[Difference] = []
    for difference in differences:
        is_chosen = not chosen.isdisjoint(_asked_as(difference[0]))
        (defaults if all_tell and not is_chosen else own).append(difference)
    return tuple(own), tuple(defaults)


def setting_names(differences: Iterable[Difference]) -> list[str]:
    """Return the settings that differ, each once: first those that often decide."""
    names = dict.fromkeys(name for name, *_ in differences)
    return sorted(names, key=lambda name: _WEIGHT.get(name, len(_WEIGHT)))


def shared_and_own(
    differences: Iterable[Difference],
) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
    """Return the differences in settings that both servers know, and those that one knows alone."""
    shared: list[Difference] = []
    of_one: list[Difference] = []
    for difference in differences:
        (of_one if None in difference[2:] else shared).append(difference)
    return tuple(shared), tuple(of_one)


def pairs_of_trials(
    factors: Sequence[FactorLevels], rounds_of: RoundsOfCells
) -> Iterator[tuple[str, Cell, Cell, StoredTrial, StoredTrial]]:
    """Yield factor, cell, baseline, and a trial of each, for all rounds that both have."""
    for factor, cell, baseline in compared_pairs(factors, list(rounds_of)):
        for number in sorted(rounds_of[cell].keys() & rounds_of[baseline].keys()):
            yield factor, cell, baseline, rounds_of[cell][number], rounds_of[baseline][number]


def normalised(setting: str) -> str:
    """Return a setting's name in one spelling: option files have dashes where variables do not."""
    return setting.lower().replace("-", "_")


def _asked_as(setting: str) -> tuple[str, str]:
    """Return the names by which a setting may be set: its own, and that of what it is a part of.

    A part has the whole's name and a dot before its own, as Galera's options have.
    """
    return setting, setting.partition(".")[0]


def settings_of(trial: StoredTrial) -> dict[str, str]:
    """Return a server's settings by their names in one spelling.

    Trials with the same settings share what is returned: nothing may be changed in it.
    """
    return _normalised_all(tuple(trial.server.settings.items()))


@lru_cache(KEPT_SETTINGS)
def _normalised_all(settings: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {normalised(name): value for name, value in settings}


def _differences(
    label: str, own: Mapping[str, str], other: Mapping[str, str], factor_sets: frozenset[str]
) -> Iterator[Difference]:
    if own is other:
        return
    for setting in sorted((own.keys() | other.keys()) - UNIMPORTANT):
        if not factor_sets.isdisjoint(_asked_as(setting)):
            continue
        value, other_value = own.get(setting), other.get(setting)
        if not _same(value, other_value):
            yield setting, label, value, other_value


def _same(value: str | None, other: str | None) -> bool:
    """Tell whether two values mean the same: versions write ``10`` and ``10.000000``."""
    if value is None or other is None:
        return value == other
    if value.casefold() == other.casefold():
        return True
    try:
        return float(value) == float(other)
    except ValueError:
        return False
