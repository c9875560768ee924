"""Protection of the target's title in the words of a model, and the need of target-free users."""

import re
from collections.abc import Sequence

from trialogue.records import Need, Utterance
from trialogue.simulation.llm.model_queries import ModelQueries
from trialogue.simulation.llm.model_turns import UserMove
from trialogue.simulation.llm.user import Policy
from trialogue.simulation.users.kinds import World
from trialogue.simulation.users.targets import TitleDetector
from trialogue.simulation.users.user import UserFailure

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
WITHHELD = "withheld_sentences"
"""Key in a message's ``meta`` for the number of sentences withheld because they named the target."""


def tastes_need(need: Need) -> Need:
    """Need of a user with tastes only: without constraints, and satisfied by nothing."""
    return need.model_copy(
        update={"id": f"{need.id}-tastes", "constraints": (), "targets": (), "acceptable": (), "requests": ()}
    )


class TitleGuard:
    """Policy wrapper whose messages never name a target before the agent does.

    Sentences that do are left out of what is said; iEvaLM leaves them out of its own prompt alone, and the agent reads
    them. How many they were stands with the message.
    """

    def __init__(self, policy: Policy, targets: Sequence[str], world: World) -> None:
        """``targets``: ids of items of the world's catalogue."""
        self._policy, self._target = policy, TitleDetector(targets, world)

    def move(self, said: Sequence[Utterance], asking: ModelQueries) -> UserMove:
        """The policy's move without sentences that reveal the target.

        Raises:
            UserFailure: nothing of the message is left.
        """
        move = self._policy.move(said, asking)
        if any(self._target.names(each.text) for each in said if each.speaker == "system"):
            return move
        sentences = SENTENCE_END.split(move.text)
        kept = [each for each in sentences if not self._target.names(each)]
        if len(kept) == len(sentences):
            return move
        asking.note(WITHHELD, len(sentences) - len(kept))
        text = " ".join(kept).strip()
        if not text and move.leaving is None:
            raise UserFailure("the model said nothing but the title that it must not name.")
        return UserMove(text, move.leaving)
