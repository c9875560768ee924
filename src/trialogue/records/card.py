"""Metric cards: definition, variants, parameters and citation.

Documentation, error messages and report tables are generated from them.
"""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from trialogue.records.base import Record
from trialogue.records.dialogue import Speaker


class TextUse(Record):
    """Dependence of a metric on the wording of texts, and the languages for which it is valid.

    Values that depend on wording are compared only between systems that write in the same language.
    """

    unit: Literal["word", "character", "subword"]
    """Unit of segmentation. Words are split at white space, which is meaningless in Chinese, Japanese or Thai."""
    languages: tuple[str, ...] | None = None
    """ISO 639 codes of the only languages it is made for, whose words it was trained on, counts or stems; None: any."""
    speakers: tuple[Speaker, ...] = ("system",)
    """Whose texts it reads."""

    @property
    def languages_text(self) -> str:
        """Supported languages in words.

        >>> TextUse(unit="word", languages=("en",)).languages_text, TextUse(unit="word").languages_text
        ('en', 'any language written with spaces between words')
        >>> TextUse(unit="character").languages_text
        'any; values are compared within one language'
        """
        if self.languages is not None:
            return ", ".join(self.languages)
        return (
            "any language written with spaces between words"
            if self.unit == "word"
            else "any; values are compared within one language"
        )


class FailurePolicy(StrEnum):
    """Treatment of failed dialogues or replies in scores."""

    WORST = "worst"
    """As the worst value where the system itself failed; missing where others did. For bounded outcomes."""
    UNDEFINED = "undefined"
    """Missing. For measures without a worst value, such as lengths: the failure rate is reported with them."""
    AS_IS = "as_is"
    """Unchanged. For measures of failures themselves, for people's answers, and for counts over existing text."""


FAILED_TEXTS = {
    FailurePolicy.WORST: "A failure of the system counts as the worst value; other failures are missing data.",
    FailurePolicy.UNDEFINED: "Undefined for dialogues with a failure.",
    FailurePolicy.AS_IS: "Failures have no effect on it.",
}
"""The text for a card's reader."""


class Basis(StrEnum):
    """Kinds of evidence behind a measure, most valid first: the order in which measures lead an answer."""

    PEOPLE = "people"
    """People's answers about the systems."""
    OUTCOME = "outcome"
    """Whether users reached their goal."""
    ESTIMATE = "estimate"
    """A model's estimate of people's answers, validated on other data."""
    CRITERION = "criterion"
    """An external criterion: a reference, relevant items, a need, user acts, or the end of a dialogue."""
    REPLIES = "replies"
    """The replies alone, such as their diversity. Decides nothing next to any other basis."""


CRITERIA = frozenset(
    {
        "reference",
        "targets",
        "need",
        "user_acts",
        "strategies",
        "strategy_distribution",
        "outcome",
        "opinions",
        "ended_by",
    }
)
"""Data needs of cards beyond the replies."""


class Variant(Record):
    """One formula of a metric."""

    summary: str
    """Definition, in one sentence."""
    source: str
    """Whose definition it is: paper with equation, or repository with file and function."""
    text: TextUse | None = None
    """Use of text, if it differs from the card's."""
    version: int | None = None
    """Version of its meaning, if it differs from the card's."""


class Card(Record):
    """Card of a metric: definition, variants, validity and citation."""

    name: str
    """Name without parameters and variant, such as ``"distinct"``."""
    title: str
    """Name in prose, such as ``"Distinct-n"``."""
    summary: str
    """Interpretation of a value, in one or two sentences."""
    unit: str
    """Unit of a value: ``"share"``, ``"turns"``, ``"bigrams per response"``, ..."""
    low: float | None = None
    """Lowest possible value; None: unbounded."""
    high: float | None = None
    """Highest possible value; None: unbounded."""
    is_share: bool = False
    """Whether a value is units counted over units, none of them estimated: it has the interval of a share."""
    better: Literal["higher", "lower", "neither"]
    """Direction. ``neither`` for descriptions such as length, which no table may rank by."""
    level: Literal["response", "dialogue"]
    """Unit of one value."""
    needs: tuple[str, ...] = ()
    """Required data: ``reference``, ``mentions``, ``ranking``, ``targets``, ``strategies``, ``acts``, ..."""
    text: TextUse | None = None
    """Use of texts by the variants; None: none, as for measures of acts, items or turns."""
    variants: dict[str, Variant]
    """Every formula by name."""
    default: str
    """The variant taken when none is named."""
    parameters: dict[str, str] = Field(default_factory=dict)
    """Meaning of each parameter."""
    caveats: tuple[str, ...] = ()
    """Caveats for quoting the metric: measured weaknesses, with their source."""
    citation: str = ""
    """Publication that defines the metric; "": none is named."""
    version: int = 1
    """Raised when the meaning of a number changes."""
    failed: FailurePolicy | None = None
    """Value of a failed dialogue or reply; None: by the rule of ``failure_policy``."""
    is_task_outcome: bool = False
    """Whether it measures if users reached their goal: the deciding kind of measure without people's judgements."""
    beside: str = ""
    """Name of the metric of service beside which it leads: a system that is ahead on this one, but significantly worse on
    that one, is not better. "": it needs none."""
    negligible: float | None = None
    """Distance from 0 within which a whole interval shows no effect; None: not known."""
    is_fitted_to_people: bool = False
    """Whether it estimates people's answers with measured agreement."""
    family: Literal["text", "recommendation", "dialogue", "alignment", "simulation"] = "text"
    """The chapter it belongs to."""
    extra: str | None = None
    """The extra it needs, if any."""

    def version_of(self, variant: str) -> int:
        """Version of a variant's meaning, the last part of its full name."""
        return self.variants[variant].version or self.version

    def text_use(self, variant: str) -> TextUse | None:
        """Use of text by a variant; None: none."""
        return self.variants[variant].text or self.text

    @property
    def basis(self) -> Basis:
        """Kind of evidence behind the values."""
        if self.is_task_outcome:
            return Basis.OUTCOME
        if self.is_fitted_to_people:
            return Basis.ESTIMATE
        return Basis.REPLIES if CRITERIA.isdisjoint(self.needs) else Basis.CRITERION

    @property
    def worst(self) -> float | None:
        """Worst possible value; None if the scale has no end on that side, or no direction."""
        return {"higher": self.low, "lower": self.high, "neither": None}[self.better]

    @property
    def failure_policy(self) -> FailurePolicy:
        """Declared policy; by default the worst value where there is one, so that no metric rewards failures."""
        if self.failed is not None:
            return self.failed
        return FailurePolicy.UNDEFINED if self.worst is None else FailurePolicy.WORST
