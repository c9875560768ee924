"""Metric cards: definition, variants, parameters and citation.

Documentation, error messages and report tables are generated from them.
"""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from trialogue.records.base import Record
from trialogue.records.dialogue import Speaker


class TextUse(Record):
    """How a metric depends on the wording of texts, and the languages for which its value is valid.

    Values that depend on wording are compared only between systems that write in the same language.
    """

    unit: Literal["word", "character", "subword"]
    """What a text is cut into. Words are cut at white space: meaningless in Chinese, Japanese or Thai, which have none."""
    languages: tuple[str, ...] | None = None
    """ISO 639 codes of the only languages it is made for, whose words it was trained on, counts or stems; None: any."""
    speakers: tuple[Speaker, ...] = ("system",)
    """Whose texts it reads."""

    @property
    def in_words(self) -> str:
        """Supported languages in words.

        >>> TextUse(unit="word", languages=("en",)).in_words, TextUse(unit="word").in_words
        ('en', 'any language written with spaces between words')
        >>> TextUse(unit="character").in_words
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
    """How failed dialogues or replies are scored."""

    WORST = "worst"
    """As the worst value where the system itself failed; missing where others did. For bounded outcomes."""
    UNDEFINED = "undefined"
    """As missing. For measures without a worst value, such as lengths: the rate of failures stands beside them."""
    AS_IS = "as_is"
    """As it is. For measures of failures themselves, for what people said, and for what is counted over existing text."""


FAILED_TEXTS = {
    FailurePolicy.WORST: "A failure of the system counts as the worst value; other failures are missing data.",
    FailurePolicy.UNDEFINED: "Undefined for dialogues with a failure.",
    FailurePolicy.AS_IS: "Failures have no effect on it.",
}
"""The text for a card's reader."""


class Basis(StrEnum):
    """Kinds of evidence behind a measure, most valid first: the order in which measures lead an answer."""

    PEOPLE = "people"
    """What people said of the systems."""
    OUTCOME = "outcome"
    """Whether users got what they came for."""
    ESTIMATE = "estimate"
    """A model's estimate of what people would say, which was held against them on other data."""
    CRITERION = "criterion"
    """What somebody else said or did: a reference, right items, a need, a user's acts, the end of a dialogue."""
    REPLIES = "replies"
    """The replies alone: what they are like, such as how varied. It decides nothing beside any of the others."""


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
"""What cards need that is more than the replies."""


class Variant(Record):
    """One formula of a metric."""

    summary: str
    """What it computes, in one sentence."""
    source: str
    """Whose definition it is: paper with equation, or repository with file and function."""
    text: TextUse | None = None
    """How it uses text, where that differs from the card's."""


class Card(Record):
    """Card of a metric: definition, variants, validity and citation."""

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
    is_share: bool = False
    """Whether a value is units counted over units, none of them estimated: it has the interval of a share."""
    better: Literal["higher", "lower", "neither"]
    """Direction. ``neither`` for descriptions such as length, which no table may rank by."""
    level: Literal["response", "dialogue"]
    """What one value is about."""
    needs: tuple[str, ...] = ()
    """What the data must hold: ``reference``, ``mentions``, ``ranking``, ``targets``, ``strategies``, ``acts``, ..."""
    text: TextUse | None = None
    """How its variants use the wording of texts; None: not at all, as where only acts, items or turns count."""
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
    failed: FailurePolicy | None = None
    """How a failed dialogue or reply counts; None: by ``failure_policy``'s rule."""
    is_task_outcome: bool = False
    """Whether it says if the user got what they came for: what decides between two versions where no people judged."""
    is_fitted_to_people: bool = False
    """Whether it estimates what people would say, and its agreement with people was measured."""
    family: Literal["text", "recommendation", "dialogue", "alignment", "simulation"] = "text"
    """The chapter it belongs to."""
    extra: str | None = None
    """The extra it needs, if any."""

    def text_use(self, variant: str) -> TextUse | None:
        """How a variant depends on the wording of texts; None: not at all."""
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
