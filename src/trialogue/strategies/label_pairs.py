"""Writing what a classifier of pairs believes: whether a reply and the human's reply to the same situation share a strategy.

Nothing else is labelled by it, and every pair is read anew: it is the paper's way, and the slow one (``crossencoder``).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from trialogue.records import PairBelief, Response, Situation
from trialogue.strategies.base import Floats
from trialogue.strategies.label import BATCH, DIGITS
from trialogue.strategies.sentences import sentences


class PairClassifier(Protocol):
    """Says of two sentences whether they share a strategy, such as ``CrossEncoder``."""

    @property
    def origin(self) -> str:
        """Model, version and hash of its data."""
        ...

    def same(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """Probability that each pair shares a strategy, where half of all pairs do, shape (n,)."""
        ...


def with_pair_beliefs(
    responses: Iterable[Response], situations: Iterable[Situation], classifier: PairClassifier, *, batch: int = BATCH
) -> Iterator[Response]:
    """The responses in order, those with a reference with the classifier's belief.

    The human's sentence is read first, as in the paper; of several sentences the first one counts, on either side, as in
    explicit alignment. Without a reference, or where a side is empty, there is no belief. Each different pair is read once.

    Args:
        responses: a stream; ``batch`` of them are held at a time.
        situations: what they answer.
        classifier: is asked.
        batch: responses judged together. It changes speed only.
    """
    human = {one.id: _first(one.reference.text) for one in situations if one.reference is not None}
    known: dict[tuple[str, str], float] = {}
    stream = iter(responses)
    while part := list(islice(stream, batch)):
        pairs = [(human.get(one.situation_id, ""), _first(one.utterance.text)) for one in part]
        new = [pair for pair in dict.fromkeys(pairs) if all(pair) and pair not in known]
        if new:
            chances = classifier.same([pair[0] for pair in new], [pair[1] for pair in new])
            known.update(zip(new, (round(float(chance), DIGITS) for chance in chances), strict=True))
        for one, pair in zip(part, pairs, strict=True):
            belief = PairBelief(origin=classifier.origin, probability=known[pair]) if pair in known else None
            said = one.utterance.model_copy(update={"same_as_reference": belief})
            yield one.model_copy(update={"utterance": said})


def _first(text: str) -> str:
    return next(iter(sentences(text)), "")
