"""Write labels onto records: a strategy for every sentence of a system utterance, a distribution for every utterance.

A separate pass, before any metric. Labels of people, and those without a declared origin, are kept; those of models and
LLMs are replaced. Results do not depend on the batch size or on the rest of the file.

Write a pair classifier's beliefs onto records: whether a reply shares a strategy with the human reply.

It labels nothing else, and every pair is encoded separately: this is the paper's method, and slow (``crossencoder``).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, TypeAlias, TypeVar, cast

import numpy as np

from trialogue.errors import Problem, UsageError
from trialogue.records import (
    NO_STRATEGY,
    Dialogue,
    Labeller,
    PairBelief,
    Record,
    Response,
    Situation,
    Speaker,
    StrategyDistribution,
    StrategyLabel,
    Utterance,
)
from trialogue.records.files.jsonl import warn
from trialogue.strategies.base import MAX_CONTEXT, Context, Floats, PairClassifier, StrategyClassifier
from trialogue.strategies.sentences import Combine, LanguageCheck, check_combine, combine_sentences, sentences

BATCH = 512  # records labelled together
REMEMBERED = 100_000  # utterances whose labels are kept for when they recur
DIGITS = 6  # of a probability in a file; also what makes it independent of the order of additions

Unsure: TypeAlias = Literal["leave_out", "no_strategy"]
RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True)
class Options:
    """Labelling options. Every choice that changes a label is part of its origin."""

    combine: Combine = "first"
    """Combination of sentence distributions into the utterance's; see ``sentences.COMBINE``. ``behavior_alignment``
    compares the first sentence by default, and calibration was fitted on single sentences."""
    abstain: float | None = None
    """Sentences whose likeliest class has less than this probability are unsure; None: a label for every sentence."""
    unsure: Unsure = "leave_out"
    """Treatment of uncertain sentences: no label, or ``no_strategy``, which is a claim. The distribution includes them
    either way."""
    beside: bool = False
    """Also label utterances that people have labelled, behind their labels; by default these keep theirs alone."""
    speakers: tuple[Speaker, ...] = ("system",)
    """Whose utterances."""
    any_language: bool = False
    """Label text in languages that the model does not know, too."""

    def __post_init__(self) -> None:
        """Validate the values; raises UsageError."""
        check_combine(self.combine)
        if self.abstain is not None and not 0 <= self.abstain <= 1:
            raise UsageError(f"abstain must be a probability from 0 to 1, got {self.abstain}.")
        if self.unsure not in ("leave_out", "no_strategy"):
            raise UsageError(f"unsure must be leave_out or no_strategy, got {self.unsure!r}.")

    def label_origin(self, model: str) -> str:
        """Origin of labels.

        >>> Options(abstain=0.3).label_origin("tfidf|v1|data:abc123")
        'tfidf|v1|data:abc123|sure:0.3'
        """
        if self.abstain is None:
            return model
        return f"{model}|sure:{self.abstain:g}{'|unsure:no_strategy' if self.unsure == 'no_strategy' else ''}"

    def distribution_origin(self, model: str) -> str:
        """Origin of distributions: the model, and how sentences are combined."""
        return f"{model}|{self.combine}"


@dataclass(frozen=True)
class UtteranceLabels:
    """A model's labels of one utterance."""

    labels: tuple[StrategyLabel, ...]
    """Labels of its sentences, in order; uncertain ones may be omitted."""
    distribution: StrategyDistribution | None
    """Distribution of the whole utterance; None without text."""


Key: TypeAlias = tuple[Speaker, str, Context]
"""Cache key: speaker, text and history; () for the history if the labeller does not use it."""


@dataclass(eq=False)
class LabellingPass:
    """One labelling pass over records, with a cache."""

    labeller: StrategyClassifier
    options: Options
    situations: dict[str, Context] = field(default_factory=dict)
    """History before the response to each situation."""
    strangers: int = 0
    """Number of responses without history, because their situations are unknown."""
    known: dict[Key, UtteranceLabels] = field(default_factory=dict)

    def learn(self, tasks: Iterable[tuple[Utterance, Context]]) -> None:
        """Label utterances that are not in the cache yet."""
        if len(self.known) > REMEMBERED:
            self.known.clear()
        new = dict.fromkeys(
            key for utterance, context in tasks if (key := self._key(utterance, context)) not in self.known
        )
        pieces = {key: sentences(key[1]) for key in new}
        texts = [text for key in new for text in pieces[key]]
        contexts = [context for key in new for context in _contexts(key, pieces[key])] if self._uses_context else None
        rows = self.labeller.probabilities(texts, contexts) if texts else np.zeros((0, len(self.labeller.classes)))
        start = 0
        for key in new:
            stop = start + len(pieces[key])
            self.known[key] = self._label_sentences(pieces[key], rows[start:stop])
            start = stop

    def label(self, utterance: Utterance, context: Context) -> Utterance:
        """The utterance with its labels, which must be in the cache."""
        if utterance.speaker not in self.options.speakers:
            return utterance
        found = self.known[self._key(utterance, context)]
        # What does not say who gave it may be a person's work, and is not thrown away.
        kept = tuple(label for label in utterance.strategies or () if label.by is None or label.is_ground_truth)
        labels = kept + found.labels if self.options.beside or not kept else kept
        return utterance.model_copy(update={"strategies": labels, "strategy_distribution": found.distribution})

    @property
    def _uses_context(self) -> bool:
        return self.labeller.uses_context

    def _key(self, utterance: Utterance, context: Context) -> Key:
        return utterance.speaker, utterance.text, (context if self._uses_context else ())

    def _label_sentences(self, pieces: Sequence[str], rows: Floats) -> UtteranceLabels:
        if not pieces:
            return UtteranceLabels((), None)
        options, classes, model = self.options, self.labeller.classes, self.labeller.origin
        labels = []
        for text, row in zip(pieces, rows, strict=True):
            if np.isnan(row).any():
                continue  # no valid answer: missing, which is neither a label nor no_strategy
            best = int(row.argmax())
            label, probability = classes[best], round(float(row[best]), DIGITS)
            if options.abstain is not None and probability < options.abstain:
                if options.unsure == "leave_out":
                    continue
                label = NO_STRATEGY
            labels.append(
                StrategyLabel(
                    strategy=label,
                    origin=options.label_origin(model),
                    by=getattr(self.labeller, "labeller_kind", Labeller.MODEL),
                    probability=probability,
                    text=text,
                )
            )
        if np.isnan(rows).any():
            return UtteranceLabels(tuple(labels), None)
        whole = combine_sentences(rows, pieces, options.combine)
        distribution = StrategyDistribution(
            origin=options.distribution_origin(model),
            probabilities={name: round(float(share), DIGITS) for name, share in zip(classes, whole, strict=True)},
            matching=getattr(self.labeller, "matching_coefficients", getattr(self.labeller, "same_coefficients", None)),
            matching_error=getattr(self.labeller, "matching_error", None),
        )
        return UtteranceLabels(tuple(labels), distribution)


def label_records(
    records: Iterable[RecordT],
    labeller: StrategyClassifier,
    *,
    options: Options | None = None,
    situations: Iterable[Situation] = (),
    batch: int = BATCH,
) -> Iterator[RecordT]:
    """Label dialogues, situations and responses; other records are passed through, in order.

    Of a situation, the reference and the context are labelled. How far texts are from the calibration data is known at the
    end of them, so it is not written here, but by ``trialogue align`` and ``trialogue strategies label``.

    Args:
        records: a stream; ``batch`` of them are held at a time.
        labeller: labeller with calibrated probabilities; if it has ``matching_coefficients`` or ``same_coefficients``
            (as a ``Model``), that is written, too.
        options: how labels are written.
        situations: where responses come without them, for a labeller that uses context; those in the stream are known
            as they come by.
        batch: records labelled together. It changes speed only.

    Warns, behind the last record, of responses whose situations are unknown to a labeller that uses context.

    Raises:
        DataError: a system, or people in references, write in a language that the model does not know: after the first
            hundred words of it, or at the end.
        UsageError: batch is less than 1.
    """
    if batch < 1:
        raise UsageError(f"batch must be at least 1, got {batch}.")
    work = LabellingPass(labeller, options or Options())
    if labeller.uses_context:
        work.situations.update((situation.id, _context(situation.context)) for situation in situations)
    check = LanguageCheck(labeller)
    stream = iter(records)
    while part := list(islice(stream, batch)):
        if not work.options.any_language:
            for record in part:
                check.hear(getattr(record, "system", None), (said.text for said, _ in _tasks(record, work)))
        if labeller.uses_context:
            work.situations.update((r.id, _context(r.context)) for r in part if isinstance(r, Situation))
        work.learn(task for record in part for task in _tasks(record, work))
        yield from (cast("RecordT", _label_record(record, work)) for record in part)
    check.finish()
    if work.strangers:
        what = f"{work.strangers} responses were labelled without their context, because their situations are unknown."
        warn(Problem(what, hint="Give the situations as well (--situations), or put them before the responses."))


def label_dialogue(dialogue: Dialogue, labeller: StrategyClassifier, *, options: Options | None = None) -> Dialogue:
    """Label one dialogue; see ``label_records``."""
    return next(label_records([dialogue], labeller, options=options))


def _tasks(record: Record, work: LabellingPass) -> Iterator[tuple[Utterance, Context]]:
    for utterance, context in _parts(record, work):
        if utterance.speaker in work.options.speakers:
            yield utterance, context


def _parts(record: Record, work: LabellingPass) -> Iterator[tuple[Utterance, Context]]:
    """Utterances of a record in order, with their history if the labeller uses it."""
    if isinstance(record, Response):
        yield record.utterance, work.situations.get(record.situation_id, ())
        return
    said: Sequence[Utterance] = ()
    if isinstance(record, Dialogue):
        said = record.utterances
    elif isinstance(record, Situation):
        said = record.context if record.reference is None else (*record.context, record.reference)
    for index, utterance in enumerate(said):
        before = _context(said[max(0, index - MAX_CONTEXT) : index]) if work.labeller.uses_context else ()
        yield utterance, before


def _label_record(record: Record, work: LabellingPass) -> Record:
    labelled = tuple(work.label(utterance, context) for utterance, context in _parts(record, work))
    if isinstance(record, Response):
        work.strangers += work.labeller.uses_context and record.situation_id not in work.situations
        return record.model_copy(update={"utterance": labelled[0]})
    if isinstance(record, Dialogue):
        return record.model_copy(update={"utterances": labelled})
    if isinstance(record, Situation):
        context = labelled[: len(record.context)]
        reference = labelled[-1] if record.reference is not None else None
        return record.model_copy(update={"context": context, "reference": reference})
    return record


def _context(utterances: Sequence[Utterance]) -> Context:
    return tuple((utterance.speaker, utterance.text) for utterance in utterances[-MAX_CONTEXT:])


def _contexts(key: Key, pieces: Sequence[str]) -> Iterator[Context]:
    """History before each sentence, including earlier sentences of the same utterance."""
    speaker, _, before = key
    said = list(before)
    for piece in pieces:
        yield tuple(said[-MAX_CONTEXT:])
        said.append((speaker, piece))


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
