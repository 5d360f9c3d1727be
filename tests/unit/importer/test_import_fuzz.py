"""Damaged and hostile logs: an importer says what is wrong, or tells what is left; it never breaks.

``DBDYNO_FUZZ_FILES`` says how many files are tried; without it, a few.
"""

from __future__ import annotations

import math
import os
import random
import re
import shutil
import time
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.importer.arrange import arrange
from dbdyno.importer.benchmarksql_result import FILES as FILES_OF_RESULT
from dbdyno.importer.benchmarksql_result import RESULT, SUMMARY
from dbdyno.importer.read import read_logs
from dbdyno.report.words.import_notes import note_in_words
from dbdyno.trial_evidence import Times, TrialEvidence

from .logs import DATA, PEERS

FILES = int(os.environ.get("DBDYNO_FUZZ_FILES", "500"))
LONGEST_S = 5.0
HOSTILE = (
    *(b"nan", b"inf", b"-1", b"1e999", b"1e308", b"0", b"-0.0", b"999999999999999999999"),
    *(b"\x00", b"", b"9" * 5000, b"0x10", b"1_000", "\u0663".encode(), b"1,000", b"%s"),
)


def mutated(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Return one file with damage of one kind, or of several."""
    for _ in range(chance.randint(1, 3)):
        data = chance.choice((_cut, _flipped, _swapped, _repeated, _mixed, _renumbered))(
            data, other, chance
        )
    return data[: 1 << 20]


def _cut(data: bytes, _: bytes, chance: random.Random) -> bytes:
    begin, end = sorted(chance.randint(0, len(data)) for _ in range(2))
    return data[begin:] if chance.random() < 0.3 else data[:end]


def _flipped(data: bytes, _: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _index in range(chance.randint(1, 30) if data else 0):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _swapped(data: bytes, _: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def _repeated(data: bytes, _: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    return b"\n".join([*lines[:at], *([lines[at]] * chance.randint(1, 50)), *lines[at:]])


def _mixed(data: bytes, other: bytes, chance: random.Random) -> bytes:
    lines, others = data.split(b"\n"), other.split(b"\n")
    at = chance.randrange(len(lines))
    return b"\n".join([*lines[:at], *others[: chance.randint(0, 60)], *lines[at:]])


def _renumbered(data: bytes, _: bytes, chance: random.Random) -> bytes:
    parts = re.split(rb"(\d+(?:\.\d+)?)", data)
    for _index in range(chance.randint(1, 10) if len(parts) > 1 else 0):
        parts[chance.randrange(1, len(parts), 2)] = chance.choice(HOSTILE)
    return b"".join(parts)


def check(trial: TrialEvidence) -> None:
    """Hold what is told of a run to what can be: finite, not below zero, in words."""
    figures = [trial.measured_s, trial.throughput_per_s, trial.warmup_s, trial.began_unix_s]
    figures += [each.throughput_per_s for each in trial.intervals]
    figures += [each.failed_per_s for each in trial.intervals]
    figures += [each.duration_s for each in trial.intervals]
    for times in (trial.times, *(kind.times for kind in trial.kinds.values())):
        figures += _figures(times)
    assert all(each is None or (math.isfinite(each) and each >= 0) for each in figures), figures
    assert all(each.duration_s > 0 for each in trial.intervals)
    assert all(note_in_words(note) for note in trial.notes)


def _figures(times: Times | None) -> list[float | None]:
    if times is None:
        return []
    assert all(0 < share < 1 for share in times.quantiles_ms)
    return [*times.quantiles_ms.values(), times.mean_ms, times.min_ms, times.max_ms]


def test_damaged_results_of_benchmarksql_are_refused_or_read(tmp_path: Path) -> None:
    result = tmp_path / "result"
    shutil.copytree(DATA / "benchmarksql-result", result)
    lines = (result / RESULT).read_bytes().split(b"\n")[:200]
    (result / RESULT).write_bytes(b"\n".join(lines))
    (result / SUMMARY).write_text(
        "ttype,count,percent,mean,max,rollbacks,errors\nPAYMENT,9,1,2,3,4,5\n"
    )
    contents = {name: (result / name).read_bytes() for name in FILES_OF_RESULT}
    for seed in range(FILES // 5):
        chance = random.Random(seed)
        for name, content in contents.items():
            is_hit = chance.random() < 0.5
            (result / name).write_bytes(mutated(content, content, chance) if is_hit else content)
        if chance.random() < 0.7:
            (result / SUMMARY).unlink()
        was_read(result, seed)


def was_read(path: Path, seed: int) -> bool:
    """Read a damaged file; it is refused, or what is read holds."""
    try:
        trials = read_logs([path])
        for trial in trials:
            check(trial)
        arrange(trials)
    except InputError:
        return False
    except Exception as error:
        raise AssertionError(f"seed {seed}: {error!r}") from error
    return True


def test_damaged_logs_are_refused_or_read(tmp_path: Path) -> None:
    originals = [
        path.read_bytes()
        for path in sorted([*DATA.rglob("*"), *PEERS.rglob("*")])
        if path.is_file()
    ]
    path = tmp_path / "damaged.log"
    read = 0
    for seed in range(FILES):
        chance = random.Random(seed)
        path.write_bytes(mutated(chance.choice(originals), chance.choice(originals), chance))
        began = time.process_time()
        read += was_read(path, seed)
        assert time.process_time() - began < LONGEST_S, seed
    assert read > FILES / 4, "hardly any log was still one"
