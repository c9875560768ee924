"""Write a pair classifier's beliefs onto records: whether a reply shares a strategy with the human reply.

It labels nothing else, and every pair is encoded separately: this is the paper's method, and slow (``crossencoder``).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeAlias, cast

from trialogue.records import PairBelief, Record, Response, Situation
from trialogue.strategies.base import PairClassifier
from trialogue.strategies.labelling import BATCH, DIGITS, RecordT
from trialogue.strategies.sentences import sentences

Pair: TypeAlias = tuple[str, str]


def with_pair_beliefs(
    records: Iterable[RecordT], situations: Iterable[Situation], classifier: PairClassifier, *, batch: int = BATCH
) -> Iterator[RecordT]:
    """The records in order, responses with a reference with the classifier's belief, others as they are.

    The human's sentence is read first, as in the paper; of several sentences the first one counts, on either side, as in
    explicit alignment. Without a reference, or where a side is empty, there is no belief. Each different pair is read once.

    Args:
        records: a stream; ``batch`` of them are held at a time.
        situations: what responses answer; those in the stream are known as they come by.
        classifier: is asked.
        batch: records judged together. It changes speed only.
    """
    human = dict(_references(situations))
    known: dict[Pair, float] = {}
    stream = iter(records)
    while part := list(islice(stream, batch)):
        human.update(_references(one for one in part if isinstance(one, Situation)))
        pairs = [_pair(one, human) for one in part]
        new = [pair for pair in dict.fromkeys(pairs) if all(pair) and pair not in known]
        if new:
            chances = classifier.same_probability([pair[0] for pair in new], [pair[1] for pair in new])
            known.update(zip(new, (round(float(chance), DIGITS) for chance in chances), strict=True))
        for one, pair in zip(part, pairs, strict=True):
            belief = PairBelief(origin=classifier.origin, probability=known[pair]) if pair in known else None
            yield cast("RecordT", _write_belief(one, belief) if isinstance(one, Response) else one)


def _references(situations: Iterable[Situation]) -> Iterator[tuple[str, str]]:
    """The first sentence of each reference, by the id of its situation."""
    return ((one.id, _first_sentence(one.reference.text)) for one in situations if one.reference is not None)


def _pair(record: Record, human: Mapping[str, str]) -> Pair:
    """First sentences of the human's and the system's reply; empty if there are none."""
    if not isinstance(record, Response):
        return "", ""
    return human.get(record.situation_id, ""), _first_sentence(record.utterance.text)


def _write_belief(response: Response, belief: PairBelief | None) -> Response:
    said = response.utterance.model_copy(update={"same_as_reference": belief})
    return response.model_copy(update={"utterance": said})


def _first_sentence(text: str) -> str:
    return next(iter(sentences(text)), "")
