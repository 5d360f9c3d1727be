"""Section: in which settings compared cells differ besides the factor, or in what these mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbdyno.analysis.confounders.model import BY_MEANING, Aspect, LevelMeanings
from dbdyno.analysis.differences import Difference, setting_names, shared_and_own
from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import FactorLevels, level_in_words
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.marks import marked
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Column,
    Details,
    Link,
    Paragraph,
    Role,
    Section,
    Table,
)
from dbdyno.report.language import either, listed, message, say, say_count
from dbdyno.report.words.confounders import aspect_name, aspect_value
from dbdyno.report.words.settings import setting_value, values_in_words


def section(findings: Findings) -> Section | None:
    """Return the section; None where nothing differs."""
    blocks = [*_products(findings.meanings), *_settings(findings)]
    title = say("What differs between cells")
    return Section("differences", title, blocks, name=say("Differences")) if blocks else None


def _products(meanings: Sequence[LevelMeanings]) -> Iterator[Block]:
    """Yield a table for each factor that has levels of unlike products, a column for each level."""
    for factor in dict.fromkeys(each.factor for each in meanings):
        levels = [each for each in meanings if each.factor == factor]
        text = message(
            "Servers of unlike products have no settings in common, so what their settings mean is "
            "compared here. The settings of each are in {link}."
        )
        link = Link(say("What was tested on what"), "tested")
        yield Paragraph(marked(text, link=link), Role.MUTED)
        caption = say(
            "What the settings of {levels} mean", levels=listed([each.level for each in levels])
        )
        rows = [
            [cells.header(aspect_name(aspect)), *(Cell(_values(aspect, each)) for each in levels)]
            for aspect in BY_MEANING
        ]
        columns = [Column(""), *(Column(each.level) for each in levels)]
        yield Table(caption, caption, columns, [Body(rows)], id=f"meanings-{factor}")


def _values(aspect: Aspect, level: LevelMeanings) -> str:
    values = [aspect_value(aspect, value) for value in level.values[aspect]]
    return values_in_words(values) if values else figures.ABSENT


def _settings(findings: Findings) -> Iterator[Block]:
    own, defaults = findings.differences, findings.default_differences
    of_targets = findings.target_differences
    if own or defaults or of_targets:
        meaning = say(
            "Settings in which compared cells differ, besides the one that the factor compared "
            "sets. Each may be the true cause of a difference above, unless targets or commands "
            "set it to make the very difference that is compared."
        )
        yield Paragraph(meaning, Role.MUTED)
    if own:
        caption = say("Settings that differ besides the factors")
        yield _table(own, findings.factors, caption, "differing-settings")
    if of_targets:
        caption = say("Settings that the compared targets have in the experiment file")
        yield _table(of_targets, findings.factors, caption, "settings-of-targets")
    yield from _defaults(defaults, findings.factors)


def _defaults(defaults: Sequence[Difference], factors: Sequence[FactorLevels]) -> list[Block]:
    """Return what nobody set, folded: other values, and settings that only one server knows."""
    shared, of_one = shared_and_own(defaults)
    blocks: list[Block] = []
    if shared:
        folded = say(
            "Settings that nobody set and that differ: defaults of a version, or what follows from "
            "other settings ({count})",
            count=len(setting_names(shared)),
        )
        caption = say("Defaults that differ")
        blocks.append(Details(folded, [_table(shared, factors, caption, "differing-defaults")]))
    if of_one:
        folded = say(
            "Settings that nobody set and that only one of the compared servers knows ({count})",
            count=len(setting_names(of_one)),
        )
        caption = say("Settings of one server alone")
        blocks.append(Details(folded, [_table(of_one, factors, caption, "settings-of-one")]))
    return blocks


def _table(
    differences: Sequence[Difference], factors: Sequence[FactorLevels], caption: str, name: str
) -> Table:
    """Return a row for each setting and pair of values, whatever the number of cells."""
    cells_of: dict[tuple[str, str | None, str | None], list[str]] = {}
    for setting, cell, value, other in differences:
        cells_of.setdefault((setting, value, other), []).append(cell)
    place = {setting: at for at, setting in enumerate(setting_names(differences))}
    rows = [
        [
            cells.header(setting, is_code=True),
            Cell(_cells_in_words(labels, factors)),
            Cell(setting_value(value)),
            Cell(setting_value(other)),
        ]
        for (setting, value, other), labels in sorted(
            cells_of.items(), key=lambda item: place[item[0][0]]
        )
    ]
    columns = [
        Column(say("setting")),
        Column(say("cell")),
        Column(say("value there")),
        Column(say("value of its baseline")),
    ]
    return Table(caption, caption, columns, [Body(rows)], id=name)


def _cells_in_words(labels: Sequence[str], factors: Sequence[FactorLevels]) -> str:
    """Return a cell's label; of several cells the levels that they have, and how many they are.

    A factor is left out of which they have all levels.
    """
    distinct = list(dict.fromkeys(labels))
    if len(distinct) == 1:
        return distinct[0]
    each_has = [label.split(", ") for label in distinct]
    shared = [level for level in each_has[0] if all(level in other for other in each_has)]
    known = {level for levels in each_has for level in levels}
    had = [
        (factor, [level for level in factor.levels if level_in_words(factor.name, level) in known])
        for factor in factors
    ]
    narrowed = [
        level_in_words(factor.name, either(levels))
        for factor, levels in had
        if 0 < len(levels) < len(factor.levels)
    ]
    return say_count(
        "{levels} ({count} cell)",
        "{levels} ({count} cells)",
        len(distinct),
        levels=listed(dict.fromkeys((*shared, *narrowed))) or say("all levels"),
    )
