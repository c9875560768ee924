"""What people agreed that may be done with their dialogues, as recorded in ``Dialogue.meta``."""

from enum import StrEnum

CONSENT = "consent"
"""Key of ``Dialogue.meta``: a list of uses that the people in the dialogue agreed to."""


class Use(StrEnum):
    """A use of dialogues that needs the consent of the people in them."""

    LANGUAGE_MODELS = "language_models"
    """Sending them to servers of others, whose language models judge the systems."""
