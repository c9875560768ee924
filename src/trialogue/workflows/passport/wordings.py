"""Count how the wordings of hybrid users' messages turned out."""

from collections import Counter
from collections.abc import Iterable

from trialogue.records import Dialogue, Utterance
from trialogue.simulation.wording_outcomes import WORDING


def wordings_of(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    """Outcomes of the wordings of an agenda's messages."""
    outcomes = (each.meta.get(WORDING) for each in user_messages(dialogues))
    return dict(sorted(Counter(str(each) for each in outcomes if each is not None).items()))


def user_messages(dialogues: Iterable[Dialogue]) -> Iterable[Utterance]:
    """What users say in dialogues."""
    return (each for dialogue in dialogues for each in dialogue.utterances if each.speaker == "user")
