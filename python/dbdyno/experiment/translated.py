"""Texts of an experiment file that a reader sees: in one language, or in several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from dbdyno.experiment.file.quantity import check_printable, describe
from dbdyno.password import without_passwords
from dbdyno.refusal import refusal

LanguageCode: TypeAlias = Literal["en", "zh"]
Translated: TypeAlias = str | Mapping[LanguageCode, str]
"""A text; or by language what it is there."""


def _without_password(text: str) -> str:
    if without_passwords(text) != text:
        raise refusal("holds a password; take it out")
    return text


_Line = Annotated[
    str, Field(min_length=1), AfterValidator(check_printable), AfterValidator(_without_password)
]


def _text_or_texts(value: object) -> object:
    if isinstance(value, str | Mapping):
        return value
    raise refusal(f"must be text, or a text for each language, not {describe(value)}")


def _form(value: object) -> str:
    return "<mapping>" if isinstance(value, Mapping) else "<text>"


WrittenText: TypeAlias = Annotated[
    Annotated[_Line, Tag("<text>")]
    | Annotated[Mapping[LanguageCode, _Line], Field(min_length=1), Tag("<mapping>")],
    Discriminator(_form),
    BeforeValidator(_text_or_texts),
]
"""How a file has it: ``Is it faster?``, or ``{en: Is it faster?, zh: 是否更快？}``."""


def all_texts(text: Translated) -> tuple[str, ...]:
    """Return what a text is, in each language that it has."""
    return (text,) if isinstance(text, str) else tuple(text.values())


def text_in(text: Translated, language: str = "en") -> str:
    """Return a text in a language; in English, or the first, where it has none there."""
    if isinstance(text, str):
        return text
    found = {str(code): words for code, words in text.items()}
    return found.get(language) or found.get("en") or next(iter(found.values()))
