"""Origins of labels, ratings, acts and mentions: closed kinds, so that nothing is inferred from names or missing numbers.

``StrategyLabel.origin`` and ``Rating.rater`` remain the free names that corpora use; these types give the kind of annotator
behind a name. None means that the file does not say.
"""

from collections.abc import Iterable
from enum import StrEnum


class Labeller(StrEnum):
    """Kind of labeller of a strategy."""

    PERSON = "person"
    """A person read the text: the only labels that correct a model."""
    MODEL = "model"
    """A classifier trained on labelled sentences."""
    LLM = "llm"
    """A large language model that was asked."""
    SCRIPTED = "scripted"
    """A script that ran through a labelling study: a rehearsal of one with people."""
    INVENTED = "invented"
    """The authors of invented texts, who invented their labels with them."""

    @property
    def is_ground_truth(self) -> bool:
        """Whether models are evaluated against it: human labels and, in a rehearsal of a study, their stand-ins.

        Labels of an LLM are another model's guesses, however plainly they are written.
        """
        return self in (Labeller.PERSON, Labeller.SCRIPTED, Labeller.INVENTED)


class ActOrigin(StrEnum):
    """Origin of a dialogue act."""

    DECLARED = "declared"
    """The speaker's own program, which knows what it meant."""
    ANNOTATED = "annotated"
    """People who read the dialogue, or the corpus' authors."""
    RECOGNISED = "recognised"
    """The simulated user that was addressed: what rests on these acts rests on its understanding. ``acts_labeller`` of the
    utterance names a language model that was asked."""


class UnknownAct(StrEnum):
    """Why a language model that was asked for the act of a message gave none."""

    NO_WORDS = "no_words"
    """The message has no letter or digit; nothing was asked."""
    NONE_OF_THESE = "none_of_these"
    """The model chose that no act fits."""
    UNSURE = "unsure"
    """The probability of its choice is below the threshold."""
    UNREADABLE = "unreadable"
    """Its answer was no choice."""
    CUT_OFF = "cut_off"
    """Its answer was cut off by the token limit or a content filter."""
    REFUSED = "refused"
    """It refused, or answered without text."""


class Raters(StrEnum):
    """Kind of rater of ratings and votes."""

    PEOPLE = "people"
    """People who took part, or annotated."""
    SCRIPTED = "scripted"
    """Scripts that ran through a study: a rehearsal of one with people."""
    INVENTED = "invented"
    """Ratings invented together with the dialogues."""
    MODEL = "model"
    """A model that was asked in place of people."""
    PROGRAM = "program"
    """A program that computed them, such as a checker of tasks or a reward function."""
    UNKNOWN = "unknown"
    """The data do not say who gave them."""


NOT_PEOPLE = {
    Raters.SCRIPTED: "scripted participants",
    Raters.INVENTED: "invented people",
    Raters.MODEL: "a model",
    Raters.PROGRAM: "a program",
    Raters.UNKNOWN: "unknown raters",
}


def kinds_of(raters: Iterable[Raters]) -> tuple[Raters, ...]:
    """Distinct kinds, in the order of ``Raters``."""
    found = set(raters)
    return tuple(kind for kind in Raters if kind in found)


def named_raters(raters: Iterable[Raters]) -> str:
    """Name of the raters in a sentence; "people" if unknown.

    >>> named_raters([]), named_raters([Raters.SCRIPTED]), named_raters([Raters.INVENTED, Raters.PEOPLE])
    ('people', 'scripted participants', 'people and invented people')
    """
    return " and ".join(NOT_PEOPLE.get(kind, "people") for kind in kinds_of(raters)) or "people"


def possessive_of(raters: Iterable[Raters]) -> str:
    """Possessive form of ``named_raters``.

    >>> possessive_of([]), possessive_of([Raters.SCRIPTED])
    ("people's", "scripted participants'")
    """
    name = named_raters(raters)
    return f"{name}'" if name.endswith("s") else f"{name}'s"


ONE = {
    "people": "person",
    "scripted participants": "scripted participant",
    "invented people": "invented person",
    "unknown raters": "unknown rater",
}


def one_and_many(raters: Iterable[Raters]) -> tuple[str, str]:
    """Singular and plural of the raters' name.

    >>> one_and_many([]), one_and_many([Raters.INVENTED])
    (('person', 'people'), ('invented person', 'invented people'))
    """
    kinds = kinds_of(raters)
    name = named_raters(kinds[:1]) if len(kinds) == 1 and kinds[0] not in (Raters.MODEL, Raters.PROGRAM) else "people"
    return ONE[name], name


def with_raters(title: str, raters: Iterable[Raters]) -> str:
    """Add the raters to a title, unless they were people only.

    >>> with_raters("Satisfaction", [Raters.PEOPLE]), with_raters("Satisfaction", [Raters.INVENTED])
    ('Satisfaction', 'Satisfaction (invented people)')
    """
    kinds = kinds_of(raters)
    return title if not kinds or kinds == (Raters.PEOPLE,) else f"{title} ({named_raters(kinds)})"


class MentionedBy(StrEnum):
    """Origin of an item mention."""

    ANNOTATED = "annotated"
    """By the corpus or its annotators."""
    QUOTED = "quoted"
    """By the marks that the corpus puts around titles."""
    DECLARED = "declared"
    """By the agent, which says what it names."""
    SIMULATED = "simulated"
    """By the simulated user that wrote the text."""
    LINKED = "linked"
    """By a linker, whose signature is the origin."""
    PRESENTED = "presented"
    """By a detector of titles: the text presents it as one, and the catalogue of the linker that is the origin lacks it."""
    NEWER = "newer"
    """As above, but with a year after the catalogue's date: whether it exists cannot be told."""
    LISTED = "listed"
    """As above, but it is in a list of real items, which is the origin."""


class Role(StrEnum):
    """Role of a system, always declared and never inferred from its name."""

    SYSTEM = "system"
    """It is evaluated: it has a rank, and is compared with every other system."""
    BASELINE = "baseline"
    """It ignores what the user says, and shows what a score is worth: it has no rank, and each system is compared with the
    best of its kind."""
