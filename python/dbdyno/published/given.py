"""The published tables that an experiment file names: read, and held against the experiment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.published import Match, Published
from dbdyno.experiment.model import Experiment
from dbdyno.published.model import MatchedFactor, PublishedTables
from dbdyno.refusal import suggest
from dbdyno.results_table.evidence import to_evidence
from dbdyno.results_table.model import ResultsTable
from dbdyno.results_table.read import read_tables


def read_given(experiment: Experiment) -> tuple[PublishedTables, ...]:
    """Return all tables that the file names; FieldError for the first thing that is wrong."""
    return tuple(
        _read(published, ("report", "published", place), experiment)
        for place, published in enumerate(experiment.report.published)
    )


def paths_of(published: Published, directory: Path) -> list[Path]:
    """Return the paths of the tables; in the file they are relative to the file."""
    return [directory / file for file in published.files]


def columns_of(published: Published, directory: Path) -> Path | None:
    """Return the path of the description of columns; None where none is named."""
    return None if published.columns is None else directory / published.columns


def _read(published: Published, location: Location, experiment: Experiment) -> PublishedTables:
    directory = experiment.path.parent
    paths, columns = paths_of(published, directory), columns_of(published, directory)
    for place, path in enumerate(paths):
        _check_file(path, (*location, "files", place))
        _refuse_same_name(paths[:place], path, (*location, "files", place))
    if columns is not None and not columns.exists():
        raise FieldError((*location, "columns"), f"there is no file {columns}; {_RELATIVE}")
    try:
        tables = read_tables(paths, columns)
    except InputError as error:
        raise FieldError((*location, "files"), str(error)) from None
    _check_match(published.match, tables, (*location, "match"), experiment)
    _check_fixed(published, (*location, "at"), experiment)
    _check_further(published, (*location, "match"), experiment)
    return PublishedTables(
        published.source,
        tuple(tables),
        matched_factors(published),
        published.at,
    )


def matched_factors(published: Published) -> dict[str, MatchedFactor]:
    """Return the factor that each matched column stands for."""
    return {
        name: MatchedFactor(match.factor, match.levels, match.at)
        for name, match in published.match.items()
    }


_RELATIVE = "the path is relative to the experiment file"


def _check_file(path: Path, location: Location) -> None:
    if path.is_dir():
        raise FieldError(location, f"{path} is a folder; name the files in it")
    if not path.is_file():
        raise FieldError(location, f"there is no file {path}; {_RELATIVE}")


def _refuse_same_name(others: Sequence[Path], path: Path, location: Location) -> None:
    """Refuse what cannot be together in one folder of a result."""
    for other in others:
        # Both would be described by one NAME.audit.yaml.
        is_alike = other.stem == path.stem and other.parent != path.parent
        if other.name == path.name or is_alike:
            raise FieldError(
                location, f"has the name of {other}; rename one, or make it a source of its own"
            )


def _check_match(
    matches: Mapping[str, Match],
    tables: Sequence[ResultsTable],
    location: Location,
    experiment: Experiment,
) -> None:
    told = _levels_of(tables)
    own = _own_levels(experiment)
    columns: dict[str, str] = {}
    for column, match in matches.items():
        place = (*location, column)
        if column not in told:
            known = suggest(column, told) if told else "none has any that describes its cells"
            raise FieldError(place, f"no table has such a column; {known}")
        _refuse_unknown_level(match.levels, told[column], (*place, "levels"))
        _refuse_unknown_level(match.at, told[column], (*place, "at"))
        _refuse_twice(match, (*place, "levels"))
        if match.factor in columns:
            other = columns[match.factor]
            raise FieldError(place, f"{other} stands for {match.factor} already; keep one of them")
        columns[match.factor] = column
        if _is_whole(experiment):
            _check_factor(match.factor, own, (*place, "factor"))
            for level_told, level in match.levels.items():
                _check_level(match.factor, level, own, (*place, "levels", level_told))


def _check_fixed(published: Published, location: Location, experiment: Experiment) -> None:
    own = _own_levels(experiment)
    matched = {match.factor: column for column, match in published.match.items()}
    for factor, level in published.at.items():
        if factor in matched:
            told = f"the column {matched[factor]} stands for it; remove one of the two"
            raise FieldError((*location, factor), told)
        if _is_whole(experiment):
            _check_factor(factor, own, (*location, factor))
            _check_level(factor, level, own, (*location, factor))


def _check_further(published: Published, location: Location, experiment: Experiment) -> None:
    """Check the levels of further factors that a level of a column stands for, too."""
    own = _own_levels(experiment)
    levels = (
        ((*location, column, "at", told, factor), factor, level)
        for column, match in published.match.items()
        for told, further in match.at.items()
        for factor, level in further.items()
    )
    for place, factor, level in levels:
        if _is_whole(experiment):
            _check_factor(factor, own, place)
            _check_level(factor, level, own, place)
        if factor not in published.at:
            raise FieldError(
                place, f"name the level of {factor} for all others in at, beside match"
            )


def _is_whole(experiment: Experiment) -> bool:
    """Tell whether nothing stands in, at smoke size, for the servers and sizes of the tables."""
    return not (experiment.is_smoke or experiment.is_stand_in)


def _own_levels(experiment: Experiment) -> dict[str, list[str]]:
    return {each.name: [level.label for level in each.levels] for each in experiment.factors}


def _check_factor(factor: str, own: Mapping[str, Sequence[str]], location: Location) -> None:
    if factor not in own:
        known = suggest(factor, own) if own else "the file has none"
        raise FieldError(location, f"{factor!r} is no factor; {known}")


def _check_level(
    factor: str, level: str, own: Mapping[str, Sequence[str]], location: Location
) -> None:
    if level not in own[factor]:
        raise FieldError(
            location, f"{level!r} is no level of {factor}; {suggest(level, own[factor])}"
        )


def _refuse_unknown_level(levels: Iterable[str], known: Sequence[str], location: Location) -> None:
    for level in levels:
        if level not in known:
            raise FieldError(
                (*location, level), f"the column has no such level; {suggest(level, known)}"
            )


def _refuse_twice(match: Match, location: Location) -> None:
    known: list[tuple[str, Mapping[str, str]]] = []
    for told, level in match.levels.items():
        stands_for = level, match.at.get(told, {})
        if stands_for in known:
            raise FieldError(
                (*location, told), f"another level stands for {level!r} already; keep one of them"
            )
        known.append(stands_for)


def _levels_of(tables: Sequence[ResultsTable]) -> dict[str, list[str]]:
    """Return the levels of each column that describes the cells of a table."""
    found: dict[str, list[str]] = {}
    for name, level in _all_levels(tables):
        known = found.setdefault(name, [])
        if level not in known:
            known.append(level)
    return found


def _all_levels(tables: Sequence[ResultsTable]) -> Iterator[tuple[str, str]]:
    for table in tables:
        for trial in to_evidence(table).trials if table.figures else ():
            yield from trial.levels
            yield from trial.options.items()
