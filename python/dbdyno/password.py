"""Passwords: where they come from, and that no text that leaves this program repeats one.

A password is taken out of a URL where the URL is read. Everything behind that point has the URL
without it. ``without_passwords`` is the second line of defence, for texts that somebody else wrote
and for calls that are wrong, in which a password may stand anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote

from dbdyno.variables import PASSWORD

PASSWORD_VARIABLE = PASSWORD.name
MASK = "***"

_PARAMETERS = "password|passwd|pwd"
_IN_QUERY = re.compile(rf"(?<=[?&])(?:{_PARAMETERS})=([^&#]*)&?", re.I)
_LAST_SEPARATORS = re.compile(r"(?<![?&])[?&]+(?=(?:#[^?&@]*)?\Z)")
_WORD = re.compile(r"\S+")
_USER = re.compile(r"(?:(?<!/)/|:)/+[^\s:/?#@]*:")
"""Behind the beginning of a URL, also of one without its colon."""
_USER_ALONE = re.compile(r"(?<![\w.%/-])[\w.%-]+:")
"""Of a URL that somebody has written without its beginning."""
_AFTER_EQUALS = re.compile(rf"(?<![\w.-])([\w.-]*(?:{_PARAMETERS})\s?=\s?)[^\s&]+", re.I)
_IN_COMMENT = re.compile(rf"((?:{_PARAMETERS})[\"']?\s*[=:]\s*)\S.*", re.I)
_NAME = re.compile(rf"{_PARAMETERS}|secret", re.I)

_BEFORE_USER = re.compile(r"(?:-*[\w-]*=)?(?:jdbc:)?(?:[a-z+]+:?/+|[a-z+]+:(?=[^@]*:))?/*", re.I)
"""What may stand before the user: an option, and the beginning of a URL, also a wrong one."""
_BEHIND_NAME = re.compile(rf"(?:{_PARAMETERS})\s*[=:]\s*[\"']?(.+)", re.I | re.S)
_BETWEEN_PARTS = re.compile(r"[/@:#?&=%'\s]+")
LEAST_SHOWN = 4
"""Letters: shorter pieces of what may be a password are words like others."""

_variables = {PASSWORD_VARIABLE}
"""The environment variables that a password was looked for in."""


def password_in(variable: str = PASSWORD_VARIABLE) -> str | None:
    """Return the password in an environment variable, which no program will inherit from now on."""
    _variables.add(variable)
    return os.environ.get(variable)


def environment() -> dict[str, str]:
    """Return the environment for programs, none of which has any business with our passwords."""
    return {name: value for name, value in os.environ.items() if name not in _variables}


_of_call: tuple[str, ...] = ()
"""What may be a password in the words of the call, and pieces of it; the longest first."""
_short_of_call: tuple[str, ...] = ()
"""What would be a word like others, were it not between a colon and an ``@``."""


def note_call(words: Iterable[str]) -> None:
    """Have no text repeat what may be a password in the words of a call, however wrong they are.

    What the call says openly besides, as the name of a database, is no secret.
    """
    global _of_call, _short_of_call  # noqa: PLW0603 - A process is one call.
    secrets = {word: set(_secrets(word)) for word in words}
    known = {word.rpartition("=")[2] for word, found in secrets.items() if not found}
    all_of_call = set().union(*secrets.values())
    forms = {form for secret in all_of_call for form in _forms(secret)} - known
    _of_call = tuple(sorted(forms, key=len, reverse=True))
    _short_of_call = tuple(secret for secret in all_of_call if 0 < len(secret) < LEAST_SHOWN)


def _secrets(word: str) -> Iterator[str]:
    """Yield what stands behind a user and before a host, or behind the name of a password."""
    for text in {word, *word.split()}:
        before, at, _ = text.rpartition("@")
        _, colon, secret = before[_end_of_scheme(text) :].partition(":")
        if at and colon:
            yield secret
    if named := _BEHIND_NAME.search(word):
        yield named[1]


def _end_of_scheme(text: str) -> int:
    found = _BEFORE_USER.match(text)
    return found.end() if found else 0


def _forms(secret: str) -> Iterator[str]:
    """Yield a secret as it is, decoded, encoded, and the pieces that a wrong cut would show."""
    plain = unquote(secret)
    for form in (secret, plain, quote(plain, safe=""), quote(secret, safe="")):
        if len(form) >= LEAST_SHOWN:
            yield form
    for form in (secret, plain):
        yield from (part for part in _BETWEEN_PARTS.split(form) if len(part) >= LEAST_SHOWN)


def split_password(url: str) -> tuple[str, str | None]:
    """Return the URL without its password, and the password as it is meant (``%40`` is ``@``).

    It follows the user, or is in a parameter. The text is cut by hand because a URL may name
    several hosts, which parsers do not know.
    """
    url, in_query = _split_parameter(url)
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    user_and_password, at, hosts = authority.rpartition("@")
    user, colon, password = user_and_password.partition(":")
    if not colon:
        return url, in_query
    return f"{scheme}{separator}{user}{at}{hosts}{slash}{path}", unquote(password)


def _split_parameter(url: str) -> tuple[str, str | None]:
    found = _IN_QUERY.search(url)
    if found is None:
        return url, None
    return _LAST_SEPARATORS.sub("", _IN_QUERY.sub("", url)), unquote(found[1])


def without_passwords(text: str, mask: str = MASK) -> str:
    """Return a text with the passwords masked that stand in URLs and behind ``password=``.

    What may be a password in the words of this call is masked wherever it stands.
    """
    for secret in _of_call:
        text = text.replace(secret, mask)
    for secret in _short_of_call:
        text = text.replace(f":{secret}@", f":{mask}@")
    in_urls = _WORD.sub(lambda word: _without_password_of_user(word[0], mask), text)
    return _AFTER_EQUALS.sub(rf"\1{mask}", in_urls)


def _without_password_of_user(word: str, mask: str) -> str:
    """Return a word with what stands between ``user:`` and its last ``@`` masked.

    Each step is linear: a page may have all its styles in one word of 300,000 characters.
    """
    if (end := word.rfind("@")) < 0:
        return word
    if found := _USER.search(word, 0, end):
        word = f"{word[: found.end()]}{mask}{word[end:]}"
        end = word.rfind("@")
    # What has a beginning of a URL behind it is no user.
    if found := _USER_ALONE.search(word, word.rfind(":/") + 1, max(end - 1, 0)):
        word = f"{word[: found.end()]}{mask}{word[end:]}"
    return word


def without_passwords_in_comment(comment: str) -> str:
    """Return a comment of a file likewise; people also write ``password: xyz`` there."""
    return _IN_COMMENT.sub(rf"\1{MASK}", without_passwords(comment))


def is_name_of_password(name: str) -> bool:
    """Tell whether what a property or an option is called says that its value is a secret."""
    return _NAME.search(name) is not None
