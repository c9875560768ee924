"""The card of a metric: what it is, in which variants, and whom to cite. Docs, errors and report tables come from it."""

from typing import Literal

from pydantic import Field

from trialogue.records.base import Record


class Variant(Record):
    """One of the formulas that go by a metric's name."""

    summary: str
    """What it computes, in one sentence."""
    source: str
    """Whose definition it is: paper with equation, or repository with file and function."""


class Card(Record):
    """What there is to know of a metric before believing it."""

    name: str
    """Name without parameters and variant, such as ``"distinct"``."""
    title: str
    """Name in prose, such as ``"Distinct-n"``."""
    summary: str
    """What a value says, in one or two sentences."""
    unit: str
    """Unit of a value: ``"share"``, ``"turns"``, ``"bigrams per response"``, ..."""
    low: float | None = None
    """Lowest possible value; None: unbounded."""
    high: float | None = None
    """Highest possible value; None: unbounded."""
    better: Literal["higher", "lower", "neither"]
    """Direction. ``neither`` for descriptions such as length, which no table may rank by."""
    level: Literal["response", "dialogue"]
    """What one value is about."""
    needs: tuple[str, ...] = ()
    """What the data must hold: ``reference``, ``mentions``, ``ranking``, ``targets``, ``strategies``, ``acts``, ..."""
    variants: dict[str, Variant]
    """Every formula by name."""
    default: str
    """The variant taken when none is named."""
    parameters: dict[str, str] = Field(default_factory=dict)
    """What each parameter means."""
    caveats: tuple[str, ...] = ()
    """What a reader must know before quoting it: measured weaknesses, with their source."""
    citation: str = ""
    """Where it was proposed."""
    version: int = 1
    """Raised when the meaning of a number changes."""
    family: Literal["text", "recommendation", "dialogue", "alignment", "simulation"] = "text"
    """The chapter it belongs to."""
    extra: str | None = None
    """The extra it needs, if any."""
