"""The sources that a server is: one for each question, all over one connection."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.watch.series.source import Growth, Source, Subject, Values
from dbdyno.watch.server import mysql, postgresql
from dbdyno.watch.server.question import Kind, Question

_LIMITS = {
    "mariadb": "SET SESSION max_statement_time = 5",
    "mysql": "SET SESSION max_execution_time = 5000",
    "postgresql": "SET statement_timeout = '5s'",
}
"""A statement that takes five seconds is given up."""

_QUESTIONS = {
    "mariadb": mysql.MARIADB_QUESTIONS,
    "mysql": mysql.MYSQL_QUESTIONS,
    "postgresql": postgresql.QUESTIONS,
}

_MYSQL_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


class ServerQuestion:
    """One question as a source."""

    def __init__(self, subject: Subject, connection: _Connection, question: Question) -> None:
        self.subject = subject
        self._connection = connection
        self._question = question
        self._growth = Growth()

    def sample(self) -> Values:
        """Return what was added since the last call, and the levels of now."""
        counters: Values = {}
        levels: Values = {}
        for name, text in self._connection.ask(self._question):
            figure = self._question.figures.get(name, self._question.labelled)
            number = _number(text)
            if figure is not None and number is not None:
                kept = counters if figure.kind is Kind.COUNTER else levels
                kept[figure.metric.format(name)] = number * figure.unit
        return levels | self._growth.added(counters)


def _number(text: str | None) -> float | None:
    """Return a figure as a number; None where a server, or a layer before it, says none."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


class _Connection:
    """A connection that all questions share, so that its loss is told in one sentence."""

    def __init__(self, member: str, session: Session) -> None:
        self._member = member
        self._session = session
        self._loss: str | None = None

    def ask(self, question: Question) -> Sequence[tuple[str, str | None]]:
        """Return names and numbers; ``RunError`` where there is no answer."""
        if self._loss is None:
            try:
                return [(str(name), text) for name, text in self._session.query(question.sql)]
            except RuntimeError as error:
                if self._is_there():
                    said = f"{self._member} does not answer about {question.name}: {error}"
                    raise RunError(said) from error
                self._loss = f"the connection that watches {self._member} is lost: {error}"
        raise RunError(self._loss)

    def _is_there(self) -> bool:
        try:
            self._session.query("SELECT 1")
        except RuntimeError:
            return False
        return True


@contextmanager
def watch_server(subject: Subject, url: str, password: str | None) -> Iterator[list[Source]]:
    """Connect to a server, and close in the end."""
    with open_session(url, password) as session:
        product, version = _product_of(session, is_postgresql=url.startswith("postgres"))
        session.query(_LIMITS[product])
        connection = _Connection(subject.member, session)
        yield [
            ServerQuestion(subject, connection, question)
            for question in _QUESTIONS[product]
            if question.is_for(version) and _is_of_use(session, question)
        ]


def _is_of_use(session: Session, question: Question) -> bool:
    return question.only_where is None or session.query(question.only_where) == [("1",)]


def _product_of(session: Session, *, is_postgresql: bool) -> tuple[str, int]:
    """Return whose server it is, and its version as one number."""
    if is_postgresql:
        return "postgresql", int(session.query("SHOW server_version_num")[0][0] or 0)
    text = session.query("SELECT VERSION()")[0][0] or ""
    found = _MYSQL_VERSION.match(text)
    major, minor, patch = map(int, found.groups()) if found else (0, 0, 0)
    product = "mariadb" if "mariadb" in text.lower() else "mysql"
    return product, 10000 * major + 100 * minor + patch
