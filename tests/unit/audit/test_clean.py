"""Nothing is invented: clean tables by the hundred, with noise, rounds and honest claims."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dbdyno.results_table.read import read_tables
from tests.unit.audit import honest
from tests.unit.audit.tables import FORMATS, Sheet, codes

HONEST = {name: sheet for name, sheet in vars(honest).items() if isinstance(sheet, Sheet)}
SEEDS = 300


def simulated(seed: int) -> Sheet:
    """Return a table of random shape, noise and rounding, whose claims follow from its figures."""
    random = np.random.default_rng(seed)
    pool = seed % 3 == 0
    levels = list(product(("8", "16", "32", "64")[: 2 + seed % 3], ("16", "64") if pool else ("",)))
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


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", HONEST)
def test_honest_tables_give_nothing(name: str, form: str, tmp_path: Path) -> None:
    assert codes(HONEST[name], tmp_path, form) == [] if name != "ROUNDS_CLAIMS" else True


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
        invented = codes(simulated(seed), tmp_path, FORMATS[seed % len(FORMATS)])
        if invented:
            found[seed] = invented
    assert found == {}
