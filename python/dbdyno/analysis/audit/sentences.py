"""Claims in sentences beside a table: ``At 64 threads A is 20 % faster than B``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from statistics import fmean

from dbdyno.analysis.audit.amounts import Amount, amounts_of, has_amount
from dbdyno.analysis.audit.cells import cells_of, main_metric
from dbdyno.analysis.audit.change_checks import geometric_mean
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.analysis.audit.ratios import Range, Rounded, ratio_range
from dbdyno.results_table.model import Kind, Place
from dbdyno.results_table.numbers import Number

_CHANGED = re.compile(
    r"faster|slower|higher|lower|better|worse|improv|increas|gain|reduc|decreas|drop|outperform|"
    r"speed-?up|\btimes\b|向上|改善|提升|提高|增加|增长|低下|下降|降低|減少|减少|倍",
    re.I,
)
_SHARE = re.compile(r"cpu|memory|disk|hit|success|error|percentile|内存|成功|命中|メモリ", re.I)
"""Is of something else than the rates or times of a table."""
_RATE = re.compile(r"throughput|tps|qps|tpm|rate|吞吐|スループット", re.I)
_TIME = re.compile(r"latenc|response time|p9\d|\btime\b|レイテンシ|応答時間|延迟|延遲|响应", re.I)
_ABOUT = re.compile(
    r"about|around|approx|nearly|almost|roughly|over|more than|约|約|近|超过|以上|ほぼ"
)
_LOAD_UNIT = r"\s*(?:threads?|clients?|connections?|terminals?|users?|スレッド|并发|线程|並發|線程)"
_LOAD_WORD = (
    r"(?:threads?|clients?|connections?|terminals?|スレッド数?|并发数?|线程数?)\s*[=:为は]?\s*"
)


@dataclass(frozen=True)
class Sentence:
    """An amount in a sentence, what the table gives, and whether it says so.

    ``follows`` is None where it is not clear which figures the sentence is of.
    """

    place: Place
    text: str
    amount: str
    number: Number | None
    """The amount where it is one number."""
    follows: bool | None
    low: float = 0.0
    high: float = 0.0


def check_sentences(joined: Joined) -> Iterator[AuditFinding]:
    """Yield sentences whose amount the figures of the table do not give."""
    lines = tuple(
        Line(
            "sentence",
            line=each.place.line,
            stated=each.amount,
            text=each.text,
            low_change_percent=each.low,
            high_change_percent=each.high,
        )
        for each in sentences_of(joined)
        if each.follows is False
    )
    if lines:
        yield AuditFinding(Code.SENTENCE_WRONG, joined.data.name, lines)


def sentences_of(joined: Joined) -> list[Sentence]:
    """Return the sentences beside a table that claim a change of its rates or times.

    Those that are a mean of its claims are claims themselves.
    """
    means = {(each.place.line, each.number) for each in joined.claims if not each.place.column}
    return [
        claim
        for each in joined.data.texts
        for sentence in re.split(r"(?<=[.!?;])\s+|[。！？；\n]", each.text)
        if has_amount(sentence) and _CHANGED.search(sentence) and not _SHARE.search(sentence)
        for claim in _judged(joined, each.line, sentence.strip())
        if claim.number is None or (each.line, claim.number) not in means
    ]


def _judged(joined: Joined, line: int, sentence: str) -> Iterator[Sentence]:
    """Yield each amount of a sentence. What the words beside it leave out, other words name."""
    place = Place(joined.data.name, line, "")
    amounts = amounts_of(sentence)
    of_all = _named(joined.data.subjects, sentence)
    levels = {level for each in joined.data.rounds for _, level in each.levels}
    is_of_levels = any(_names_level(level, sentence) for level in levels)
    metric = ""
    for amount in amounts:
        number = amount.ends[0] if len(amount.ends) == 1 else None
        unclear = Sentence(place, sentence, amount.text, number, follows=None)
        if amount.words is None or not amount.ends:
            yield unclear
            continue
        words = amount.words
        if not _TIME.search(words) and not _RATE.search(words):
            words += metric
        metric = "".join(f" {each}" for each in (*_TIME.findall(words), *_RATE.findall(words)))
        named = _named(joined.data.subjects, words) or of_all
        has_levels = any(_names_level(level, words) for level in levels)
        yield _of_words(
            joined, unclear, amount, words, named, is_whole=has_levels or not is_of_levels
        )


def _of_words(
    joined: Joined,
    unclear: Sentence,
    amount: Amount,
    words: str,
    named: Sequence[str],
    *,
    is_whole: bool,
) -> Sentence:
    """Return whether an amount follows from the figures that its words name."""
    subjects = joined.data.subjects
    known = tuple(subjects) if len(subjects) == 2 and len(named) < 2 else tuple(named)
    ratios, is_one_cell = _ratios(joined, known, words)
    if len(known) != 2 or not ratios:
        return unclear
    usual = [each for each in (geometric_mean(ratios), _mean(ratios)) if each is not None]
    step = 2.0 if _ABOUT.search(words) else 1.0
    if all(
        any(_says(end, step, each, is_ratio=amount.is_ratio) for each in (*ratios, *usual))
        for end in amount.ends
    ):
        follows: bool | None = True
    else:
        # Within the range of several cells, it may be of some of them.
        is_beyond = is_one_cell or _is_beyond(amount.ends[-1], ratios, is_ratio=amount.is_ratio)
        follows = False if len(named) == 2 and is_beyond and is_whole else None
    changes = [100 * (each.exact - 1) for each in ratios]
    return replace(unclear, follows=follows, low=min(changes), high=max(changes))


def _named(subjects: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the subjects that a text names; of ``MySQL`` and ``MySQL 8`` the longer one."""
    left, found = text.lower(), []
    for subject in sorted(subjects, key=len, reverse=True):
        if re.search(rf"(?<![\w.]){re.escape(subject.lower())}(?![\w.]*\d)", left, re.ASCII):
            found.append(subject)
            left = left.replace(subject.lower(), " ")
    return tuple(each for each in subjects if each in found)


def _ratios(joined: Joined, subjects: Sequence[str], text: str) -> tuple[list[Range], bool]:
    """Return the ratios of two subjects in the cells that a text names, and whether it is one."""
    if len(subjects) != 2:
        return [], False
    metrics = {each.metric for each in joined.data.rounds}
    if _TIME.search(text):
        names = [each.name for each in metrics if each.kind is Kind.RESPONSE]
        names = [name for name in names if name in text.lower()] or names
    else:
        names = [name for name in (main_metric(joined.data),) if name]
    cells = [cell for name in names for cell in cells_of(joined.data, name)]
    if any(_names_level(level, text) for cell in cells for _, level in cell.levels):
        cells = [c for c in cells if any(_names_level(level, text) for _, level in c.levels)]
    sides = {
        (cell.metric, cell.levels, cell.subject): Rounded(cell.mean, cell.half_step)
        for cell in cells
    }
    found = []
    for one, other in permutations(subjects, 2):
        for (metric, levels, subject), above in sides.items():
            below = sides.get((metric, levels, other))
            ratio = ratio_range(above, below) if subject == one and below else None
            found += [ratio] if ratio is not None else []
    return found, len(found) == 2


def _names_level(level: str, text: str) -> bool:
    if re.fullmatch(r"[\d.,]+", level):
        number = re.escape(level)
        forms = (
            rf"(?<![\d.]){number}{_LOAD_UNIT}",
            rf"{_LOAD_WORD}{number}(?![\d.])",
            rf"\bat {number}(?=\W*$|[,;)]|\s+and\b)",
        )
        return re.search("|".join(forms), text, re.I) is not None
    return len(level) > 2 and level.lower() in text.lower()


def _mean(ratios: Sequence[Range]) -> Range:
    exact = fmean(each.exact for each in ratios)
    return Range(exact, exact, exact)


def _says(number: Number, step: float, ratio: Range, *, is_ratio: bool) -> bool:
    """Tell whether an amount is a ratio, or the change that it is, upwards or downwards."""
    tried = [ratio] if is_ratio else [ratio.mapped(100, -100), ratio.mapped(-100, 100)]
    slack = step * number.step
    return any(each.low - slack <= number.value <= each.high + slack for each in tried)


def _is_beyond(number: Number, ratios: Sequence[Range], *, is_ratio: bool) -> bool:
    """Tell whether an amount is larger than that of any cell."""
    largest = max(each.high for each in ratios)
    return number.value - number.step > (largest if is_ratio else 100 * (largest - 1))
