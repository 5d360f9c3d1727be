"""How a wrong word or value is refused: what is wrong, and what was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import PydanticCustomError


def refusal(message: str) -> PydanticCustomError:
    """Return an error whose text is the message as it stands, braces and all."""
    # Imported here: commands suggest options without it.
    from pydantic_core import PydanticCustomError

    return PydanticCustomError("refused", "{message}", {"message": message})


def nearest(word: object, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known word that is this much like one, whatever its case; None where none is."""
    by_lower_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(str(word).lower(), by_lower_case, n=1, cutoff=likeness)
    return by_lower_case[near[0]] if near else None


def suggest(word: object, known: Iterable[str]) -> str:
    """Return ``did you mean 'warmup'?``, or all that is known where nothing is near."""
    names = list(known)
    near = nearest(word, names)
    return f"did you mean {near!r}?" if near else f"known: {', '.join(names)}"
