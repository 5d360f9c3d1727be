"""What all models of the experiment file have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from dbdyno.refusal import nearest, suggest

Scalar = str | int | float | bool
"""A level as it is written."""


class FileModel(BaseModel):
    """A mapping in the file: known fields only, no value converted in silence, never changed.

    ``refused`` names fields that a reader may well expect, with the reason why they are not there.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
    refused: ClassVar[dict[str, str]] = {}

    @classmethod
    def field_names(cls) -> list[str]:
        """Return the names of the fields as they are written in the file."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    def with_fields(self, changes: Mapping[str, object]) -> Self:
        """Return a copy with some fields changed, by their names in the file, and validated."""
        written = self.model_dump(by_alias=True, exclude_unset=True)
        return self.model_validate({**written, **changes})

    @model_validator(mode="before")
    @classmethod
    def refuse_unknown_fields(cls, value: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
        """Refuse before pydantic does, because only here the known names are at hand."""
        names = cls.field_names()
        for key in value if isinstance(value, dict) else ():
            if key not in names:
                message = cls.refused.get(key) or cls._suggest_field(key)
                raise PydanticCustomError(
                    "refused", "{message}", {"message": message, "field": key}
                )
        return value

    @classmethod
    def _suggest_field(cls, key: object) -> str:
        """Say what a field may be meant to be, and at once where that is refused as well."""
        sign = next((sign for sign in str(key) if sign in "\uff1a\uff0c\u3001"), None)
        if sign is not None:
            plain = ":" if sign == "\uff1a" else ","
            return (
                f"unknown field; column {str(key).index(sign) + 1} of it has the full-width "
                f"{sign!r} (U+{ord(sign):04X}) of a Chinese keyboard; write {plain!r} and a space"
            )
        near = nearest(key, [*cls.field_names(), *cls.refused])
        if near in cls.refused:
            return f"unknown field; did you mean {near!r}? {near}: {cls.refused[near]}"
        return f"unknown field; {suggest(key, cls.field_names())}"
