"""Normalise the spelling of strategy names in files."""

import re
from collections.abc import Mapping

from trialogue.errors import UnknownNameError
from trialogue.records import NO_STRATEGY, STRATEGIES

CLASSES: tuple[str, ...] = (*STRATEGIES, NO_STRATEGY)

PRINTED = {"redibility": "credibility", "acknowledgement": "acknowledgment", "none": "no_strategy"}
"""Spellings found in print: "redibility" is Yang et al. (SIGIR 2024), section 3.1."""


def canonical(name: str, *, mapping: Mapping[str, str] | None = None) -> str:
    """Canonical strategy of a name, ignoring case, blanks and hyphens.

    Args:
        name: as found in a file.
        mapping: other people's names to ours; looked up first, as written.

    Raises:
        UnknownNameError: it is none of the 14; the nearest are in the message.

    >>> canonical("Opinion Inquiry"), canonical("ask", mapping={"ask": "opinion_inquiry"})
    ('opinion_inquiry', 'opinion_inquiry')
    """
    meant = (mapping or {}).get(name, name)
    plain = re.sub(r"[\s-]+", "_", meant.strip().lower())
    plain = PRINTED.get(plain, plain)
    if plain not in CLASSES:
        hint = "Map the names of another label set to these with a file of pairs, such as {'ask': 'opinion_inquiry'}."
        raise UnknownNameError("strategy", meant, CLASSES, hint=hint)
    return plain
