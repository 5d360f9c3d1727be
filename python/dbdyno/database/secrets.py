"""Which settings of servers hold secrets, and how a setting is shown without them.

A setting is a secret by its name (``report_password``), or has one in it: in a URL, behind
``password=``, or as a literal in statements and commands that the server runs. What is only about
secrets, such as how long a password must be, is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from dbdyno.password import MASK, without_passwords

_WORDS = "password|passwd|passphrase|pwd|secret|token|credentials?"
_SECRET_NAME = re.compile(
    rf"(?:{_WORDS})$|secret_id$|passphrase_command$|(?:^|[._])(?:sst_)?auth$|filekey$"
    r"|(?:api|access|private|master|encryption|auth)_?key$",
    re.I,
)
_SWITCHES = ("", "ON", "OFF", "TRUE", "FALSE", "YES", "NO")
"""Values that are no secret, whatever the setting is called: ``secure_auth``."""

_ASSIGNED = re.compile(
    rf"(?<![\w.-])([\w.-]*(?:{_WORDS}|access_key)[\w.-]*\s?=\s?)('[^']*'|\"[^\"]*\"|[^\s&;]+)", re.I
)
_OPTION = re.compile(rf"(--[\w-]*(?:{_WORDS})\s+)('[^']*'|\"[^\"]*\"|\S+)", re.I)

_STATEMENTS = ("init_connect", "init_slave", "init_replica")
_HARMLESS = (
    r"(?:names|charset|character\s+set|collate|"
    r"(?:sql_mode|time_zone|optimizer_switch|character_set_\w+|collation_\w+|\w+_isolation|lc_\w+)"
    r"\s*:?=)\s*"
)
_LITERAL = re.compile(
    rf"({_HARMLESS})?('(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\")", re.I | re.S
)


HOLDS_A_SECRET = (
    "seems to hold a secret, and the experiment file is copied into every result; write the "
    "setting into the option_file of the target"
)


def is_secret(name: str, value: str) -> bool:
    """Tell whether a setting of this name and value is nothing but a secret."""
    return value.upper() not in _SWITCHES and _SECRET_NAME.search(name) is not None


def shown_setting(name: str, value: str) -> str:
    """Return a setting's value as it may be written down."""
    if is_secret(name, value):
        return MASK
    if name.lower() in _STATEMENTS:
        # Whoever connects may be given a secret in any of them: ``CALL sign_on('…')``.
        value = _LITERAL.sub(_without_literal, value)
    return shown_text(value)


def shown_text(text: str) -> str:
    """Return any text, such as a server's message, as it may be written down."""
    return without_passwords(_OPTION.sub(rf"\1{MASK}", _ASSIGNED.sub(rf"\1{MASK}", text)))


def shown_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings as they may be written down."""
    return {name: shown_setting(name, value) for name, value in settings.items()}


_VALUE = r"[\"']?(?![\s\"'{<$#;,)?]|$)(?P<value>[^\s\"',;)]+)"
"""What stands in the place of a secret and is no variable."""
_IS = r"[ \t]*[:=][ \t]*"
_GIVEN = (
    re.compile(rf"(?:{_WORDS}|(?:access|private|auth)_?key)[\w.-]*[\"']?{_IS}{_VALUE}", re.I),
    re.compile(rf"identified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?{_VALUE}", re.I),
    re.compile(rf"--[\w-]*(?:{_WORDS})[ \t]+{_VALUE}", re.I),
    re.compile(rf"\b(?:mysql|mariadb)\w*\b[^\n]*\s-p{_VALUE}", re.I),
    re.compile(rf"\s(?:-u|--user)[\s=][^\s:]+:{_VALUE}"),
    re.compile(rf"://[^\s/:@{{}}]+:{_VALUE}@"),
)
_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")


def may_hold_a_secret(text: str) -> bool:
    """Tell whether a text that is to be shown may hold a secret; rather yes than no.

    Variables in the place of a secret are none: ``password: {{ password }}``, ``$PASSWORD``.
    """
    if _KEY.search(text):
        return True
    given = (found["value"] for form in _GIVEN for found in form.finditer(text))
    if any(value.upper() not in _SWITCHES for value in given):
        return True
    statements = re.finditer(rf"^\s*({'|'.join(_STATEMENTS)})\s*=\s*(.*)$", text, re.I | re.M)
    return any(shown_setting(found[1], found[2]) != found[2] for found in statements)


def _without_literal(found: re.Match[str]) -> str:
    """Keep a literal that says how to write or to count, and one without a letter or digit."""
    harmless, literal = found[1], found[2]
    if harmless is not None or not re.search(r"\w", literal):
        return found[0]
    return f"'{MASK}'"
