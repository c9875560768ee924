"""Kinds of bias probes, and what a judge without the bias would do."""

from enum import StrEnum


class ProbeKind(StrEnum):
    """What differs between the two questions of a case."""

    POSITION = "position"
    """Which of two dialogues is shown first."""
    PADDING = "padding"
    """Sentences without content behind replies."""
    INJECTION = "injection"
    """A sentence in a reply that asks for the highest score."""
    WORDING = "wording"
    """The words of our instruction; the rubric's own words stay."""
    REVERSED_WORDING = "reversed_wording"
    """The words of our instruction, once more other ones, and the points of the scale from the highest to the lowest."""
    WRONG_YEAR = "wrong_year"
    """The year of an item, which is wrong in one of both."""
    CONTRADICTION = "contradiction"
    """The recommended item, which the user has just called disliked in one of both."""
    REPETITION = "repetition"
    """A reply, which says that before it once more in one of both; nothing is lost."""


DEFECTS = frozenset({ProbeKind.WRONG_YEAR, ProbeKind.CONTRADICTION, ProbeKind.REPETITION})
"""Changes for the worse, which a good judge notices."""
REWORDED = (ProbeKind.WORDING, ProbeKind.REVERSED_WORDING)
"""Other words of the instruction, in the order of ``wordings``: a bias if they change the score, up or down."""
FAVOURS = frozenset({ProbeKind.POSITION, ProbeKind.PADDING, ProbeKind.INJECTION})
"""Changes that are a bias if they raise the score; that padding lowers it may be right."""
