"""What users who answer questions about attributes say: values of their target and fixed sentences, never its title.

Each fixed sentence has a second wording without a word of the first, for targets whose title is in the first (*Movies*).
None has more than four words, so that saying it in every turn is not taken for a loop of the user.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trialogue.simulation.users.targets import TitleDetector

Wordings = tuple[str, ...]

OPENING: Wordings = ("Hello, I am looking for {domain}.", "Recommend something")
NO_INFORMATION: Wordings = ("No information.", "Unknown")
ALREADY_SAID: Wordings = ("I have said that.", "Already told")
REFUSAL: Wordings = ("No, something else, please.", "Not that one")
ACCEPTANCE = "Yes, that is it!"
"""Said when the agent has named the target, so that it gives nothing away."""
LACKING = "no information"


def wordings_hash() -> str:
    """Twelve hex digits that change with any of the sentences."""
    sentences = (OPENING, NO_INFORMATION, ALREADY_SAID, REFUSAL, ACCEPTANCE, LACKING)
    return hashlib.sha256(repr(sentences).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question about attributes."""

    wordings: Wordings
    """Ways to say it, of which the first that gives nothing away is said."""
    withheld: int = 0
    """Values left out because they would have named the target."""


def answer_with(values: Mapping[str, Sequence[str]], title: TitleDetector) -> Answer:
    """Answer with the target's values, separated by commas.

    Args:
        values: by attribute asked about; an attribute may have none. With several attributes, each is named.
        title: the target's.
    """
    kept = {name: _tellable(given, title) for name, given in values.items()}
    withheld = sum(len(given) - len(kept[name]) for name, given in values.items())
    if not any(kept.values()):
        return Answer(NO_INFORMATION, withheld)
    plain = ", ".join(value for given in kept.values() for value in given)
    listed = "; ".join(f"{name}: {', '.join(given) or LACKING}" for name, given in kept.items())
    ways = (f"{plain}.",) if len(kept) == 1 else (f"{listed}.", f"{plain}.")
    return Answer((*ways, *NO_INFORMATION), withheld)


def _tellable(values: Sequence[str], title: TitleDetector) -> tuple[str, ...]:
    """Values that neither by themselves nor after those before them name the target."""
    kept: list[str] = []
    for value in values:
        if not title.names(value) and not title.names(", ".join((*kept, value))):
            kept.append(value)
    return tuple(kept)


def join_sentences(parts: Sequence[Wordings], title: TitleDetector) -> str:
    """The parts, each in the first wording that does not name the target in its place; one without such is left out."""
    text = ""
    for wordings in parts:
        texts = (f"{text} {wording}".strip() for wording in wordings)
        text = next((each for each in texts if not title.names(each)), text)
    return text
