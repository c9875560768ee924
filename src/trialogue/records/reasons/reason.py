"""Reasons why a value is missing or limited: a code with facts, never a sentence to be parsed.

``str`` renders the text of the code. Code that needs to know the reason reads ``code`` and ``facts``.
"""

from functools import cache
from typing import Any, Optional

from pydantic import Field, JsonValue, model_validator

from trialogue.records.base import Record
from trialogue.records.reasons.codes import ReasonCode, text_of


class Reason(Record):
    """Reason why a value, interval or comparison is missing or limited.

    A plain string is read as ``OTHER``: the words of a plug-in.

    >>> str(Reason.of(ReasonCode.TOO_FEW_RATERS, raters=3))
    '3 raters are too few to estimate how much people differ'
    """

    code: ReasonCode
    """What is missing or limited; Each has its text."""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    """Numbers and names that fill in the sentence, by placeholder."""
    cause: Optional["Reason"] = None
    """The reason behind it, where one explains the other."""

    @classmethod
    def of(cls, code: ReasonCode, cause: Optional["Reason"] = None, /, **facts: Any) -> "Reason":
        """Create a reason with its facts; a reason without facts is a shared instance, since metrics create one per unit."""
        if not facts and cause is None:
            return _shared_reason(code)
        return cls(code=code, facts=facts, cause=cause)

    @classmethod
    def other(cls, text: str) -> "Reason":
        """Create a reason from free text."""
        return cls.of(ReasonCode.OTHER, text=text)

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if not value:
            raise ValueError("a reason needs a text")
        return {"code": ReasonCode.OTHER, "facts": {"text": value}}

    def __hash__(self) -> int:
        """Hash consistent with equality, so that a Counter can count reasons."""
        if not self.facts and self.cause is None:
            return hash(self.code)  # most reasons; metrics count one for each unit
        # Lists and objects cannot be hashed. Their lengths can, and equal ones have equal lengths.
        facts = ((name, len(value) if isinstance(value, list | dict) else value) for name, value in self.facts.items())
        return hash((self.code, frozenset(facts), self.cause))

    def __str__(self) -> str:
        """Text as part of a sentence: no initial capital, no full stop."""
        return text_of(self.code, {**self.facts, "cause": self.cause})


@cache
def _shared_reason(code: ReasonCode) -> Reason:
    return Reason(code=code)
