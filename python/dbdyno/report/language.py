"""The languages of a report: each message in each of them, and what a language does to figures.

Texts stand in the code in English, inside ``say``, ``say_count`` or ``message``. A writer picks the
language for all that it writes by ``in_language``. The catalogues are in ``catalogue``, a PO file a
language; a message without a translation is written in English.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cache, reduce
from importlib.resources import files

from babel import Locale
from babel.dates import format_datetime
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from dbdyno.experiment.translated import Translated, text_in

LANGUAGES = ("en", "zh")
"""As ``--lang`` and ``report.languages`` name them."""


@dataclass(frozen=True)
class Language:
    """A language with its catalogue. ``tag`` is what HTML calls it (BCP 47)."""

    name: str
    tag: str
    catalogue: Catalog | None
    comma: str
    """Between the parts of a list."""
    semicolon: str
    colon: str
    between_sentences: str
    percent_sign: str

    @property
    def locale(self) -> Locale:
        """Return what Babel knows of it."""
        return Locale.parse(self.tag, sep="-")


@cache
def language(name: str) -> Language:
    """Return a language of ``LANGUAGES``. Its catalogue is read once."""
    if name == "en":
        return Language("en", "en", None, ", ", "; ", ": ", " ", "\N{NO-BREAK SPACE}%")
    source = files("dbdyno.report") / "catalogue" / "zh_Hans.po"
    with source.open("rb") as file:
        return Language("zh", "zh-Hans", read_po(file, "zh_Hans"), "、", "；", "：", "", "%")


_current: ContextVar[Language | None] = ContextVar("language", default=None)


def translated(text: Translated) -> str:
    """Return what an experiment file says, in the current language if it has that."""
    return text_in(text, current().name)


def current() -> Language:
    """Return the language that is written now; English where nobody has picked one."""
    return _current.get() or language("en")


@contextmanager
def in_language(picked: Language) -> Iterator[None]:
    """Write all messages in this language until the block ends."""
    token = _current.set(picked)
    try:
        yield
    finally:
        _current.reset(token)


def message(text: str) -> str:
    """Mark a text that is said later, by ``say``, and return it as it is."""
    return text


def messages(one: str, many: str) -> tuple[str, str]:
    """Mark a text for one thing and for several that is said later, by ``say_count``."""
    return one, many


def say(text: str, /, **values: object) -> str:
    """Return a message in the current language, with ``{name}`` replaced by its value."""
    return template(text).format(**values)


def template(text: str) -> str:
    """Return a message in the current language with its placeholders still in it."""
    return _translated(text) or text


def say_count(one: str, many: str, /, count: int, **values: object) -> str:
    """Return the message for one thing or for several of them; ``{count}`` is their number."""
    chosen = _translated((one, many)) or (one if count == 1 else many)
    return chosen.format(count=f"{count:,}", **values)


def _translated(text: str | tuple[str, str]) -> str | None:
    """Return the first form of a translation: Chinese has one for all numbers."""
    catalogue = current().catalogue
    found = None if catalogue is None else catalogue.get(text)
    if found is None or found.fuzzy or not found.string:
        return None
    string = found.string
    return string if isinstance(string, str) else string[0]


def listed(texts: Iterable[str]) -> str:
    """Return ``a, b, c`` as the language writes it."""
    return current().comma.join(texts)


def either(texts: Iterable[str]) -> str:
    """Return ``a or b or c``, each text once."""
    found = list(dict.fromkeys(texts))
    return reduce(_or, found) if found else ""


def _or(one: str, other: str) -> str:
    return say("{one} or {other}", one=one, other=other)


def clauses(texts: Iterable[str]) -> str:
    """Return ``a; b; c`` as the language writes it; empty texts are left out."""
    return current().semicolon.join(filter(None, texts))


def labelled(label: str, text: str) -> str:
    """Return ``label: text`` as the language writes it."""
    return f"{label}{current().colon}{text}"


def sentences(texts: Iterable[str]) -> str:
    """Return sentences as one paragraph; empty ones are left out."""
    return current().between_sentences.join(filter(None, texts))


def moment(instant: datetime) -> str:
    """Return date and time with the time zone, as the language writes it."""
    if current().name == "en":
        return instant.strftime("%Y-%m-%d %H:%M %Z").strip()
    return format_datetime(instant, "y年M月d日 HH:mm z", locale=current().locale)
