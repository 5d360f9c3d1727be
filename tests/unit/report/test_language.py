"""Messages in the language that is written: with a small catalogue, and without a translation."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from io import StringIO
from threading import Barrier
from zoneinfo import ZoneInfo

import pytest
from babel.messages.pofile import read_po

from dbdyno.report import figures
from dbdyno.report.language import (
    LANGUAGES,
    Language,
    clauses,
    current,
    in_language,
    language,
    listed,
    message,
    moment,
    say,
    say_count,
    sentences,
)

CATALOGUE = """\
msgid ""
msgstr ""
"Language: zh_Hans\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"

msgid "Answer"
msgstr "答案"

msgid "{value} against {baseline}"
msgstr "基线为{baseline}，本组为{value}"

msgid "{count} trial of {total}"
msgid_plural "{count} trials of {total}"
msgstr[0] "{total}次试验中的{count}次"

msgid "Steadiness"
msgstr ""

#, fuzzy
msgid "Durability"
msgstr "错误的译文"

#, fuzzy
msgid "{count} cell"
msgid_plural "{count} cells"
msgstr[0] "错误{count}"
"""

ENGLISH = language("en")


@pytest.fixture
def chinese() -> Language:
    return replace(language("zh"), catalogue=read_po(StringIO(CATALOGUE), "zh_Hans"))


def test_without_a_language_it_is_english() -> None:
    assert current().name == "en"
    assert say("Answer") == "Answer"


def test_a_message_is_translated_with_its_values_in_the_order_of_the_language(
    chinese: Language,
) -> None:
    text = "{value} against {baseline}"
    assert say(text, value=1, baseline="x") == "1 against x"
    with in_language(chinese):
        assert say("Answer") == "答案"
        assert say(text, value=1, baseline="x") == "基线为x，本组为1"


def test_values_are_no_messages(chinese: Language) -> None:
    with in_language(chinese):
        found = say("{value} against {baseline}", value="Answer", baseline="{value} {0} {")
    assert found == "基线为{value} {0} {，本组为Answer"


@pytest.mark.parametrize(
    ("count", "english", "translated"),
    [
        (0, "0 trials of 9", "9次试验中的0次"),
        (1, "1 trial of 9", "9次试验中的1次"),
        (2, "2 trials of 9", "9次试验中的2次"),
        (1234567, "1,234,567 trials of 9", "9次试验中的1,234,567次"),
    ],
)
def test_a_count_chooses_the_form(
    chinese: Language, count: int, english: str, translated: str
) -> None:
    def said() -> str:
        return say_count("{count} trial of {total}", "{count} trials of {total}", count, total=9)

    assert said() == english
    with in_language(chinese):
        assert said() == translated


def test_what_is_not_translated_is_said_in_english(chinese: Language) -> None:
    with in_language(chinese):
        assert say("No such message: {name}", name="x") == "No such message: x"
        assert say("Steadiness") == "Steadiness"
        assert say_count("{count} round", "{count} rounds", 1) == "1 round"
        assert say_count("{count} round", "{count} rounds", 6) == "6 rounds"
        assert say("") == ""


def test_a_translation_that_is_a_guess_is_not_used(chinese: Language) -> None:
    with in_language(chinese):
        assert say("Durability") == "Durability"
        assert say_count("{count} cell", "{count} cells", 2) == "2 cells"


def test_a_message_that_is_said_later_is_translated_then(chinese: Language) -> None:
    constant = message("Answer")
    assert constant == "Answer"
    with in_language(chinese):
        assert say(constant) == "答案"


def test_parts_are_joined_as_the_language_does(chinese: Language) -> None:
    parts = ["甲", "", "乙"]
    assert (listed("ab"), clauses(parts), sentences(parts)) == ("a, b", "甲; 乙", "甲 乙")
    with in_language(chinese):
        assert (listed("ab"), clauses(parts), sentences(parts)) == ("a、b", "甲；乙", "甲乙")
        assert figures.ranges((1, 2, 3, 7)) == "1–3、7"
    assert figures.ranges((1, 2, 3, 7)) == "1–3, 7"


def test_a_percent_sign_stands_as_the_language_has_it(chinese: Language) -> None:
    assert figures.percent(12.0) == "12\N{NO-BREAK SPACE}%"
    with in_language(chinese):
        assert figures.percent(12.0) == "12%"
        assert figures.effect(0.5)[0].endswith("5%")


@pytest.mark.parametrize(
    ("zone", "english", "translated"),
    [
        (UTC, "UTC", "UTC"),
        (ZoneInfo("Asia/Shanghai"), "CST", "+0800"),
        (timezone(timedelta(hours=-3)), "UTC-03:00", "-0300"),
    ],
)
def test_a_moment_has_its_time_zone(
    chinese: Language, zone: timezone | ZoneInfo, english: str, translated: str
) -> None:
    instant = datetime(2026, 7, 3, 9, 5, tzinfo=zone)
    assert moment(instant) == f"2026-07-03 09:05 {english}"
    with in_language(chinese):
        assert moment(instant) == f"2026年7月3日 09:05 {translated}"


def test_languages_nest_and_end_with_an_error_too(chinese: Language) -> None:
    with in_language(chinese):
        with in_language(ENGLISH):
            assert say("Answer") == "Answer"
        assert say("Answer") == "答案"
        with pytest.raises(ZeroDivisionError), in_language(ENGLISH):
            _ = 1 / 0
        assert say("Answer") == "答案"
    assert say("Answer") == "Answer"


def test_threads_have_languages_of_their_own(chinese: Language) -> None:
    together = Barrier(2)

    def written_in(picked: Language) -> Callable[[], str]:
        def write() -> str:
            with in_language(picked):
                together.wait(timeout=30)
                said = say("Answer")
                together.wait(timeout=30)
            return said

        return write

    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(written_in(picked)) for picked in (chinese, ENGLISH)]
        assert [each.result(timeout=60) for each in found] == ["答案", "Answer"]


@pytest.mark.parametrize("name", LANGUAGES)
def test_each_language_has_its_catalogue_and_its_tag(name: str) -> None:
    found = language(name)
    assert found is language(name)
    assert found.name == name
    assert (found.catalogue is None) == (name == "en")
    assert found.locale.language == name
