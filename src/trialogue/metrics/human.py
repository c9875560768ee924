"""What people said, through the same door as metrics: the mean of their ratings, with the same clusters and tests.

A rating is a score with a rater; here ratings on the records become scores of measure ``human:<name>``.
"""

from collections.abc import Iterable, Iterator, Sequence

from trialogue.errors import DataError, Problem
from trialogue.metrics.base import Array, Conversation, Reply, Undefined
from trialogue.records import (
    Card,
    Dialogue,
    FailurePolicy,
    MeasureName,
    Raters,
    Rating,
    Reason,
    ReasonCode,
    Score,
    Variant,
)
from trialogue.records.kinds.origins import kinds_of, named_raters, whose, with_raters


class HumanRating:
    """Mean of people's ratings of one name, at the level of dialogues or of replies."""

    per_dialogue = False

    def __init__(
        self,
        name: str,
        *,
        level: str = "dialogue",
        low: float | None = None,
        high: float | None = None,
        raters: tuple[Raters, ...] = (Raters.PEOPLE,),
    ) -> None:
        self.name = name
        self.raters = raters
        self.measure = _measure(name, response=level != "dialogue")
        self.card = Card(
            name=self.measure,
            title=with_raters(name.replace("_", " ").capitalize(), raters),
            summary=f"Mean of {whose(raters)} ratings of {name.replace('_', ' ')}.",
            unit=f"share of {named_raters(raters)}" if (low, high) == (0, 1) else "rating",
            low=low,
            high=high,
            better="higher",
            level="dialogue" if level == "dialogue" else "response",
            failed=FailurePolicy.AS_IS,
            variants={"mean": Variant(summary="Mean over ratings.", source="Arithmetic mean.")},
            default="mean",
            family="dialogue",
        )

    def statistics(self, unit: Reply | Dialogue) -> Sequence[float] | Undefined:
        """(sum of ratings, number of ratings)."""
        values = [rating.value for rating in _ratings(unit) if rating.name == self.name]
        if not values:
            return Undefined(Reason.of(ReasonCode.NO_RATINGS_OF, question=self.name))
        return (sum(values), float(len(values)))

    def combine(self, sums: Array) -> Array:
        """Mean rating."""
        mean: Array = sums[..., 0] / sums[..., 1]
        return mean


def _measure(name: str, *, response: bool) -> MeasureName:
    """A question about replies is another measure than the same question about whole dialogues."""
    return MeasureName.rating(name, level="response" if response else "dialogue")


def _ratings(unit: Reply | Dialogue) -> tuple[Rating, ...]:
    return unit.ratings if isinstance(unit, Dialogue) else unit.utterance.ratings


def ratings_among(conversations: Iterable[Conversation]) -> list[HumanRating]:
    """A measure for every question that people answered in these conversations; dialogues' first, then by name.

    Raises:
        DataError: ratings of one name are on different scales, and so cannot be averaged.
    """
    scales: dict[tuple[str, str], set[Scale]] = {}
    raters: dict[tuple[str, str], set[Raters]] = {}
    for level, rating in _levelled(conversations):
        scales.setdefault((level, rating.name), set()).add((rating.low, rating.high))
        raters.setdefault((level, rating.name), set()).add(rating.raters)
    problems = [
        Problem(
            f"ratings of {name!r} are on {len(found)} different scales: {_told(found)}.",
            hint="Bring them to one scale, or give them different names.",
        )
        for (_, name), found in sorted(scales.items())
        if len(found) > 1
    ]
    if problems:
        raise DataError(problems)
    return [
        HumanRating(name, level=level, low=low, high=high, raters=kinds_of(raters[level, name]))
        for (level, name), found in sorted(scales.items())
        for low, high in found
    ]


def _levelled(conversations: Iterable[Conversation]) -> Iterator[tuple[str, Rating]]:
    """(what was rated, rating) of every rating."""
    for conversation in conversations:
        if conversation.dialogue is not None:
            yield from (("dialogue", rating) for rating in conversation.dialogue.ratings)
        for reply in conversation.replies:
            yield from (("response", rating) for rating in reply.utterance.ratings)


Scale = tuple[float | None, float | None]


def _told(scales: Iterable[Scale]) -> str:
    def end(value: float | None) -> str:
        return "?" if value is None else f"{value:g}"

    return ", ".join(sorted(f"{end(low)} to {end(high)}" for low, high in scales))


def rating_scores(conversation: Conversation) -> Iterator[Score]:
    """Every single rating of a conversation as a score with its rater."""
    dialogue = conversation.dialogue
    if dialogue is not None:
        for rating in dialogue.ratings:
            yield _score(conversation, rating, dialogue.user)
    for reply in conversation.replies:
        for rating in reply.utterance.ratings:
            yield _score(conversation, rating, dialogue.user if dialogue else None, reply)


def _score(conversation: Conversation, rating: Rating, user: str | None, reply: Reply | None = None) -> Score:
    rater = user if rating.rater == "user" and user else rating.rater
    return Score(
        measure=_measure(rating.name, response=reply is not None),
        level="dialogue" if reply is None else "utterance" if reply.situation_id is None else "response",
        value=rating.value,
        system=conversation.system,
        dialogue_id=conversation.dialogue_id,
        situation_id=reply.situation_id if reply else None,
        utterance=reply.index if reply else None,
        rater=rater or "aggregate",
        raters=rating.raters,
    )
