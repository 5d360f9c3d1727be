"""A text of the experiment file in several languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dbdyno.experiment.translated import Translated, text_in
from dbdyno.report.document.build import build_document
from dbdyno.report.language import language
from tests.unit.report.report_examples import two_factors

BOTH: Translated = {"en": "Is it faster?", "zh": "是否更快？"}


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("Is it?", "Is it?", "Is it?"),
        (BOTH, "Is it faster?", "是否更快？"),
        ({"zh": "是否更快？"}, "是否更快？", "是否更快？"),
        ({"en": "Is it?"}, "Is it?", "Is it?"),
    ],
)
def test_a_language_without_a_text_has_that_of_another(
    text: Translated, english: str, chinese: str
) -> None:
    assert (text_in(text, "en"), text_in(text, "zh")) == (english, chinese)


def test_a_report_has_the_question_in_its_language() -> None:
    findings = replace(two_factors(), question=BOTH)
    documents = [
        build_document(findings, datetime(2025, 11, 20, tzinfo=UTC), language(name))
        for name in ("en", "zh")
    ]
    assert [each.question for each in documents] == ["Is it faster?", "是否更快？"]
