"""Human ratings as a metric: mean ratings, with the same clustering and tests as computed metrics.

People's answers come in two forms: as ratings on the records they are about, and as scores with a rater in separate
files (the export of a study, a published set of judgements). Both are converted to scores here, once.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

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
    Scale,
    Score,
    Variant,
)
from trialogue.records.completion import UNNAMED
from trialogue.records.kinds.origins import kinds_of, named_raters, possessive_of, with_raters
from trialogue.records.scale import off_scale_text
from trialogue.records.score import AGGREGATE

Unit = tuple[str, str, str | None, int | None]
"""(level, system, dialogue or situation, utterance): what an answer is about."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One rater's answer to one question about one reply or dialogue."""

    question: str
    value: float
    rater: str | None
    """Code of the rater; None where only an aggregate is known."""
    raters: Raters
    """Kind of rater."""
    scale: Scale | None = None
    """Lowest and highest value, where they were declared."""
    better: Literal["higher", "lower"] = "higher"
    """Which end of the scale is the better one."""

    @classmethod
    def of_rating(cls, rating: Rating, user: str | None) -> "Answer":
        """From a rating on a record; ``user`` is the participant of the dialogue."""
        rater = user if rating.rater == "user" and user else rating.rater
        return cls(rating.name, rating.value, rater, rating.raters, Scale.of(rating.low, rating.high), rating.better)

    @classmethod
    def of_score(cls, score: Score, value: float) -> "Answer":
        """From a score with a rater."""
        return cls(score.measure.question or score.measure, value, score.rater, score.raters, score.scale, score.better)


def answers_among(scores: Iterable[Score]) -> list[Score]:
    """Scores that are answers, i.e. have a rater; neither metric scores nor skipped questions."""
    return [score for score in scores if score.rater and score.value is not None]


@dataclass(frozen=True)
class FiledAnswers:
    """Answers from separate files, by the reply or dialogue they are about."""

    by_unit: dict[Unit, tuple[Answer, ...]] = field(default_factory=dict)
    """Answers that the records do not contain."""
    given: int = 0
    """Answers in the files."""
    unmatched: int = 0
    """Answers about units that are not among the records."""

    @classmethod
    def select(cls, scores: Iterable[Score], conversations: Iterable[Conversation]) -> "FiledAnswers":
        """Select the answers about these conversations among scores.

        What a record holds already (an answer to the same question by the same rater) is not counted twice.
        """
        grouped: dict[Unit, list[Answer]] = {}
        found = answers_among(scores)
        for score in found:
            if score.value is not None:
                grouped.setdefault(_unit_of_score(score), []).append(Answer.of_score(score, score.value))
        if not grouped:
            return cls()
        fresh: dict[Unit, tuple[Answer, ...]] = {}
        matched = 0
        for unit, user, ratings in chain.from_iterable(map(_rated_units, conversations)):
            if unit not in grouped:
                continue
            known = {(each.question, each.rater) for each in (Answer.of_rating(rating, user) for rating in ratings)}
            own = [each for each in grouped[unit] if (each.question, _resolve_rater(each.rater, user)) not in known]
            fresh[unit] = tuple(own)
            matched += len(grouped[unit])
        return cls({unit: own for unit, own in fresh.items() if own}, len(found), len(found) - matched)

    def answers_to(self, unit: Reply | Dialogue) -> tuple[Answer, ...]:
        """Answers about a reply or a dialogue."""
        return self.by_unit.get(unit_of(unit), ()) if self.by_unit else ()


NOTHING_FILED = FiledAnswers()
NO_AND_YES = {0.0, 1.0}


def unit_of(unit: Reply | Dialogue) -> Unit:
    """Key of a rated reply or dialogue."""
    if isinstance(unit, Dialogue):
        return ("dialogue", unit.system or UNNAMED, unit.id, None)
    if unit.situation_id is not None:
        return ("response", unit.system, unit.situation_id, None)
    return ("utterance", unit.system, unit.dialogue_id, unit.index)


def _unit_of_score(score: Score) -> Unit:
    system = score.system or UNNAMED
    if score.level == "response":
        return ("response", system, score.situation_id, None)
    if score.level == "utterance":
        return ("utterance", system, score.dialogue_id, score.utterance)
    return (score.level, system, score.dialogue_id, None)


def _rated_units(conversation: Conversation) -> Iterator[tuple[Unit, str | None, tuple[Rating, ...]]]:
    """(what can be rated, who took part, ratings that it holds) of a conversation."""
    dialogue = conversation.dialogue
    if dialogue is not None:
        yield unit_of(dialogue), dialogue.user, dialogue.ratings
    for reply in conversation.replies:
        yield unit_of(reply), dialogue.user if dialogue else None, reply.utterance.ratings


def _resolve_rater(rater: str | None, user: str | None) -> str | None:
    return user if rater == "user" and user else rater


class HumanRating:
    """Mean human rating on one question, per dialogue or per reply."""

    per_dialogue = False

    def __init__(
        self,
        name: str,
        *,
        level: str = "dialogue",
        scale: Scale | None = None,
        is_declared: bool = True,
        raters: tuple[Raters, ...] = (Raters.PEOPLE,),
        better: Literal["higher", "lower"] = "higher",
        filed: FiledAnswers = NOTHING_FILED,
    ) -> None:
        self.name = name
        self.scale = scale
        self.is_declared = is_declared
        self.raters = raters
        self.filed = filed
        self.measure = _measure(name, response=level != "dialogue")
        self.card = Card(
            name=self.measure,
            title=with_raters(name.replace("_", " ").capitalize(), raters),
            summary=f"Mean of {possessive_of(raters)} ratings of {name.replace('_', ' ')}.",
            unit=f"share of {named_raters(raters)}" if scale is not None and scale.is_share else "rating",
            low=None if scale is None else scale.low,
            high=None if scale is None else scale.high,
            is_share=scale is not None and scale.is_share,
            better=better,
            level="dialogue" if level == "dialogue" else "response",
            failed=FailurePolicy.AS_IS,
            variants={"mean": Variant(summary="Mean over ratings.", source="Arithmetic mean.")},
            default="mean",
            family="dialogue",
        )

    def statistics(self, unit: Reply | Dialogue) -> Sequence[float] | Undefined:
        """(sum of ratings, number of ratings)."""
        values = [rating.value for rating in _ratings(unit) if rating.name == self.name]
        values += [answer.value for answer in self.filed.answers_to(unit) if answer.question == self.name]
        if not values:
            return Undefined(Reason.of(ReasonCode.NO_RATINGS_OF, question=self.name))
        return (sum(values), float(len(values)))

    def combine(self, sums: Array) -> Array:
        """Mean rating."""
        mean: Array = sums[..., 0] / sums[..., 1]
        return mean


def _measure(name: str, *, response: bool) -> MeasureName:
    """A question about replies is another measure than the same question about whole dialogues."""
    return MeasureName.of_question(name, level="response" if response else "dialogue")


def _ratings(unit: Reply | Dialogue) -> tuple[Rating, ...]:
    return unit.ratings if isinstance(unit, Dialogue) else unit.utterance.ratings


def ratings_among(conversations: Iterable[Conversation], filed: FiledAnswers = NOTHING_FILED) -> list[HumanRating]:
    """One measure per question answered in these conversations; dialogues' first, then by name.

    Args:
        conversations: conversations with the ratings on their records.
        filed: answers about them that came in files of their own.

    Raises:
        DataError: ratings of one name are on different scales, and so cannot be averaged.
    """
    questions: dict[tuple[str, str], _Question] = {}
    for conversation in conversations:
        for reply, answer in _answers(conversation, filed):
            key = ("dialogue" if reply is None else "response", answer.question)
            questions.setdefault(key, _Question()).add(answer)
    problems = [problem for (_, name), found in sorted(questions.items()) for problem in found.problems(name)]
    if problems:
        raise DataError(problems)
    return [
        HumanRating(
            name,
            level=level,
            scale=found.scale,
            is_declared=bool(found.scales),
            raters=kinds_of(found.raters),
            better=next(iter(found.better), "higher"),
            filed=filed,
        )
        for (level, name), found in sorted(questions.items())
    ]


def undeclared_scales(ratings: Iterable[HumanRating]) -> list[str]:
    """Sentence on questions without a declared scale, and how their means are computed."""
    lacking = [each for each in ratings if not each.is_declared]
    yes_or_no = [each.measure.prose for each in lacking if each.scale is not None]
    others = [each.measure.prose for each in lacking if each.scale is None]
    as_shares = "All answers are 0 or 1, so their mean is treated as a proportion"
    as_numbers = "The answers are treated as unbounded, so the interval of their mean may extend beyond the scale"
    return [
        f"The scale of {', '.join(names)} is not declared. {how}. Declare it (low and high) to be certain."
        for names, how in ((yes_or_no, as_shares), (others, as_numbers))
        if names
    ]


@dataclass
class _Question:
    """Answers to one question, with their scales."""

    scales: set[Scale] = field(default_factory=set)
    raters: set[Raters] = field(default_factory=set)
    better: set[Literal["higher", "lower"]] = field(default_factory=set)
    values: set[float] = field(default_factory=set)
    """Values of answers without a scale of their own; of more than two kinds not all are kept."""
    ends: tuple[float, float] = (math.inf, -math.inf)
    """Lowest and highest of these."""

    def add(self, answer: Answer) -> None:
        self.raters.add(answer.raters)
        self.better.add(answer.better)
        if answer.scale is not None:
            self.scales.add(answer.scale)
            return
        self.ends = min(self.ends[0], answer.value), max(self.ends[1], answer.value)
        if len(self.values) <= len(NO_AND_YES):
            self.values.add(answer.value)

    @property
    def scale(self) -> Scale | None:
        """The one that is declared, for answers without one, too; else no and yes where both are all that occurs."""
        if self.scales:
            return next(iter(self.scales))
        return Scale(low=0, high=1) if self.values == NO_AND_YES else None

    def problems(self, name: str) -> Iterator[Problem]:
        """Reasons why the answers cannot be averaged."""
        if len(self.better) > 1:
            hint = "Declare one direction, or give them different names."
            yield Problem(f"for some ratings of {name!r} higher is better, for others lower.", hint=hint)
        if len(self.scales) > 1:
            listed = ", ".join(sorted(each.words for each in self.scales))
            yield Problem(
                f"ratings of {name!r} are on {len(self.scales)} different scales: {listed}.",
                hint="Convert them to one scale, or give them different names.",
            )
        elif self.scale is not None and self.values and not all(map(self.scale.holds, self.ends)):
            outside = next(end for end in self.ends if not self.scale.holds(end))
            yield Problem(
                f"{off_scale_text(name, outside, self.scale.low, self.scale.high)}.",
                hint="Some answers have no declared scale: are they on a different one?",
            )


def repeated_rater(score: Score) -> str | None:
    """Rater of an answer who may have rated other dialogues, too; None for one who took part, or is nobody in particular.

    A model or a program is one instrument, and not drawn from others.
    """
    instrument = score.raters in (Raters.MODEL, Raters.PROGRAM)
    return None if instrument or score.rater in (None, "", "user", AGGREGATE) else score.rater


def rating_scores(conversation: Conversation, filed: FiledAnswers = NOTHING_FILED) -> Iterator[Score]:
    """Every answer about a conversation as a score with its rater; those on records before those in files."""
    for reply, answer in _answers(conversation, filed):
        yield _score(conversation, answer, reply)


def filed_scores(conversation: Conversation, filed: FiledAnswers) -> Iterator[Score]:
    """Answers from separate files about single replies, which the records do not hold."""
    for reply in conversation.replies:
        yield from (_score(conversation, answer, reply) for answer in filed.answers_to(reply))


def _answers(conversation: Conversation, filed: FiledAnswers) -> Iterator[tuple[Reply | None, Answer]]:
    """(the reply it is about, answer); None for an answer about the whole dialogue."""
    dialogue = conversation.dialogue
    user = dialogue.user if dialogue is not None else None
    if dialogue is not None:
        yield from ((None, Answer.of_rating(rating, user)) for rating in dialogue.ratings)
        yield from ((None, answer) for answer in filed.answers_to(dialogue))
    if not filed.by_unit and not any(said.ratings for said in conversation.utterances):
        return  # the replies need not be made
    for reply in conversation.replies:
        yield from ((reply, Answer.of_rating(rating, user)) for rating in reply.utterance.ratings)
        yield from ((reply, answer) for answer in filed.answers_to(reply))


def _score(conversation: Conversation, answer: Answer, reply: Reply | None = None) -> Score:
    user = conversation.dialogue.user if conversation.dialogue is not None else None
    return Score(
        measure=_measure(answer.question, response=reply is not None),
        level="dialogue" if reply is None else "utterance" if reply.situation_id is None else "response",
        value=answer.value,
        system=conversation.system,
        dialogue_id=conversation.dialogue_id,
        situation_id=reply.situation_id if reply else None,
        utterance=reply.index if reply else None,
        rater=_resolve_rater(answer.rater, user) or AGGREGATE,
        raters=answer.raters,
        scale=answer.scale,
        better=answer.better,
    )
