"""Nothing is invented: clean tables by the hundred, with noise, rounds and honest claims."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dbdyno.analysis.audit.changes import resolve_claims
from dbdyno.analysis.audit.join import join_tables
from dbdyno.results_table.read import read_tables
from tests.unit.audit import honest
from tests.unit.audit.tables import FORMATS, Sheet, codes

HONEST = {name: sheet for name, sheet in vars(honest).items() if isinstance(sheet, Sheet)}
SEEDS = 300


def simulated(seed: int) -> Sheet:
    """Return a table of random shape, noise and rounding, whose claims follow from its figures."""
    random = np.random.default_rng(seed)
    pool = seed % 4 == 0
    levels = list(
        product(("8", "16", "32", "64")[: 2 + seed // 3 % 3], ("16", "64") if pool else ("",))
    )
    rounds = int(random.choice([1, 3, 5, 8]))
    decimals = int(random.integers(0, 3))
    gain = float(random.uniform(1.25, 1.6))
    noise = float(random.uniform(0.005, 0.03))
    rows, claims = [], []
    for place, (threads, memory) in enumerate(levels):
        centre = 1000.0 * (place + 1) * random.uniform(0.9, 1.1)
        means = []
        for system, scale in (("Old", 1.0), ("New", gain)):
            values = centre * scale * np.exp(random.normal(0, noise, rounds))
            values = np.round(values, decimals)
            means.append(float(values.mean()))
            for number, value in enumerate(values, 1):
                time = 1000 * float(threads) / value
                levels_here = [threads, memory] if pool else [threads]
                rows.append(
                    (system, *levels_here, str(number), f"{value:.{decimals}f}", f"{2 * time:.2f}")
                )
        claim = f"{100 * (means[1] / means[0] - 1):.{int(random.integers(0, 3))}f}"
        claims.append((threads, *([memory] if pool else []), claim))
    factors = ["threads", *(["memory_gib"] if pool else [])]
    return Sheet(
        headings=("system", *factors, "round", "tps", "p95_ms"),
        rows=tuple(rows),
        others=(
            Sheet(
                name="results-claims",
                headings=(*factors, "claimed_tps_improvement_percent"),
                rows=tuple(claims),
            ),
        ),
    )


def simulated_page(seed: int) -> Sheet:
    """Return a table with a column a system, single runs, improvements and a geometric mean."""
    random = np.random.default_rng(1000 + seed)
    rows, ratios = [], []
    for place in range(int(random.integers(2, 7))):
        old = float(np.round(random.uniform(500, 900) * 2**place, 1))
        new = float(np.round(old * random.uniform(1.1, 1.9), 1))
        ratios.append(new / old)
        rows.append(
            (str(8 * 2**place), f"{old:,.1f}", f"{new:,.1f}", f"{100 * (new / old - 1):.1f}")
        )
    mean = 100 * (float(np.exp(np.mean(np.log(ratios)))) - 1)
    rows.append(("geometric mean", "", "", f"{mean:.1f}"))
    return Sheet(headings=("Threads", "Old TPS", "New TPS", "Improvement (%)"), rows=tuple(rows))


def simulated_means(seed: int) -> Sheet:
    """Return a table of rounds with a row of means below those of each system."""
    random = np.random.default_rng(2000 + seed)
    rounds, decimals = int(random.integers(2, 9)), int(random.integers(0, 3))
    rows: list[tuple[str, ...]] = []
    for system in ("A", "B", "C")[: int(random.integers(1, 4))]:
        values = np.round(random.normal(5000, 150, rounds), decimals)
        rows += [(system, str(n), f"{v:.{decimals}f}") for n, v in enumerate(values, 1)]
        rows.append((system, "average", f"{values.mean():.{decimals}f}"))
    return Sheet(headings=("DB", "Run", "Throughput"), rows=tuple(rows))


MAKERS = (simulated, simulated_page, simulated_means)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", HONEST)
def test_honest_tables_give_nothing(name: str, form: str, tmp_path: Path) -> None:
    assert codes(HONEST[name], tmp_path, form) == []


@pytest.mark.parametrize("name", HONEST)
def test_honest_tables_are_read_alike_in_all_formats(name: str, tmp_path: Path) -> None:
    read = []
    for form in FORMATS:
        tables = read_tables(HONEST[name].write(tmp_path, form), None)
        read.append(
            [
                [(f.metric, f.number.value, f.subject, f.levels, f.round) for f in table.figures]
                + [(c.number.value, c.levels, c.over) for c in table.claims]
                for table in tables
            ]
        )
    assert read[0] == read[1] == read[2]
    assert any(read[0])


def test_simulated_clean_tables_give_nothing(tmp_path: Path) -> None:
    found = {}
    for seed in range(SEEDS):
        make = MAKERS[seed % len(MAKERS)]
        invented = codes(make(seed), tmp_path / make.__name__, FORMATS[seed // 3 % len(FORMATS)])
        if invented:
            found[seed] = invented
    assert found == {}


def test_what_is_simulated_is_read_with_its_claims(tmp_path: Path) -> None:
    for make in MAKERS:
        tables = read_tables(make(7).write(tmp_path / make.__name__, "csv"), None)
        (joined,) = join_tables(tables)
        judged = [each for column in resolve_claims(joined) for each in column if each.matched]
        means = [each for each in joined.data.figures if each.summary is not None]
        assert judged or means
