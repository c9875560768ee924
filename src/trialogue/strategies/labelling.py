"""Write labels onto records: a strategy for every sentence of a system utterance, a distribution for every utterance.

A separate pass, before any metric. Labels of people, and those without a declared origin, are kept; those of models and
LLMs are replaced. Results do not depend on the batch size or on the rest of the file.

Write a pair classifier's beliefs onto records: whether a reply shares a strategy with the human reply.

It labels nothing else, and every pair is encoded separately: this is the paper's method, and slow (``crossencoder``).
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, TypeAlias, TypeVar, cast

import numpy as np

from trialogue.dask_cluster import ALONE, Workers
from trialogue.errors import DataError, Problem, UsageError
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
    """Whose utterances are labelled; by default the system's alone."""
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


Parts: TypeAlias = list[tuple[Utterance, Context]]
"""Utterances of a record in order, with their history if the labeller uses it."""


@dataclass(frozen=True)
class LabelTask:
    """How texts are labelled, wherever that is done."""

    load: Callable[[], StrategyClassifier]
    options: Options


@dataclass(frozen=True)
class Unlabelled:
    """Texts of some records that are to be labelled."""

    keys: tuple[Key, ...]
    first: int

    @property
    def given(self) -> str:
        """Which ones, for messages."""
        return f"the batch that begins with record {self.first:,}"


def label_texts(piece: Unlabelled, task: LabelTask) -> list[UtteranceLabels] | list[Problem]:
    """Labels of texts, in their order."""
    labeller = task.load()
    pieces = [sentences(text) for _, text, _ in piece.keys]
    texts = [text for own in pieces for text in own]
    contexts = None
    if labeller.uses_context:
        contexts = [each for key, own in zip(piece.keys, pieces, strict=True) for each in _contexts(key, own)]
    rows = labeller.probabilities(texts, contexts) if texts else np.zeros((0, len(labeller.classes)))
    parts = np.split(rows, np.cumsum([len(own) for own in pieces])[:-1]) if pieces else []
    return [_label_sentences(own, part, labeller, task.options) for own, part in zip(pieces, parts, strict=True)]


def _label_sentences(
    pieces: Sequence[str], rows: Floats, labeller: StrategyClassifier, options: Options
) -> UtteranceLabels:
    if not pieces:
        return UtteranceLabels((), None)
    classes, model = labeller.classes, labeller.origin
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
                by=getattr(labeller, "labeller_kind", Labeller.MODEL),
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
        matching=getattr(labeller, "matching_coefficients", getattr(labeller, "same_coefficients", None)),
        matching_error=getattr(labeller, "matching_error", None),
    )
    return UtteranceLabels(tuple(labels), distribution)


@dataclass(eq=False)
class LabellingPass:
    """One labelling pass over records: what is known of them, and the batches whose labels are not."""

    labeller: StrategyClassifier
    options: Options
    situations: dict[str, Context] = field(default_factory=dict)
    """History before the response to each situation."""
    strangers: int = 0
    """Number of responses without history, because their situations are unknown."""
    known: dict[Key, UtteranceLabels] = field(default_factory=dict)
    waiting: deque[tuple[list[tuple[Record, Parts]], dict[Key, UtteranceLabels]]] = field(default_factory=deque)

    def take(self, records: Sequence[Record], first: int) -> Unlabelled:
        """Have records wait for the labels of the texts that are not known."""
        parts = [(record, self._parts(record)) for record in records]
        speakers = self.options.speakers
        keys = dict.fromkeys(self._key(*task) for _, own in parts for task in own if task[0].speaker in speakers)
        known = {key: self.known[key] for key in keys if key in self.known}
        self.waiting.append((parts, known))
        return Unlabelled(tuple(key for key in keys if key not in known), first)

    def records(self, piece: Unlabelled, found: Sequence[UtteranceLabels]) -> Iterator[Record]:
        """The records that waited longest, with their labels."""
        if len(self.known) > REMEMBERED:
            self.known.clear()
        parts, labels = self.waiting.popleft()
        new = dict(zip(piece.keys, found, strict=True))
        self.known |= new
        labels |= new
        for record, own in parts:
            yield _with_utterances(record, tuple(self._label(*task, labels) for task in own))

    def _label(self, utterance: Utterance, context: Context, labels: Mapping[Key, UtteranceLabels]) -> Utterance:
        if utterance.speaker not in self.options.speakers:
            return utterance
        found = labels[self._key(utterance, context)]
        # What does not say who gave it may be a person's work, and is not thrown away.
        kept = tuple(label for label in utterance.strategies or () if label.by is None or label.is_ground_truth)
        own = kept + found.labels if self.options.beside or not kept else kept
        return utterance.model_copy(update={"strategies": own, "strategy_distribution": found.distribution})

    def _key(self, utterance: Utterance, context: Context) -> Key:
        return utterance.speaker, utterance.text, (context if self.labeller.uses_context else ())

    def _parts(self, record: Record) -> Parts:
        if isinstance(record, Response):
            self.strangers += self.labeller.uses_context and record.situation_id not in self.situations
            return [(record.utterance, self.situations.get(record.situation_id, ()))]
        said: Sequence[Utterance] = ()
        if isinstance(record, Dialogue):
            said = record.utterances
        elif isinstance(record, Situation):
            said = record.context if record.reference is None else (*record.context, record.reference)
        uses_context = self.labeller.uses_context
        return [
            (utterance, _context(said[max(0, index - MAX_CONTEXT) : index]) if uses_context else ())
            for index, utterance in enumerate(said)
        ]


def label_records(
    records: Iterable[RecordT],
    labeller: StrategyClassifier,
    *,
    options: Options | None = None,
    situations: Iterable[Situation] = (),
    batch: int = BATCH,
    workers: Workers = ALONE,
    load: Callable[[], StrategyClassifier] | None = None,
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
        workers: they label texts; the labels are the same for any number.
        load: a function of a module that gives a worker the labeller; None: workers get the one that is given.

    Warns, behind the last record, of responses whose situations are unknown to a labeller that uses context.

    Raises:
        DataError: a system, or people in references, write in a language that the model does not know: after the first
            hundred words of it, or at the end.
            Or every worker was killed at some texts.
        UsageError: batch is less than 1.
    """
    if batch < 1:
        raise UsageError(f"batch must be at least 1, got {batch}.")
    work = LabellingPass(labeller, options or Options())
    if labeller.uses_context:
        work.situations.update((situation.id, _context(situation.context)) for situation in situations)
    check = LanguageCheck(labeller)

    def pieces() -> Iterator[Unlabelled]:
        stream, first = iter(records), 1
        while part := list(islice(stream, batch)):
            if labeller.uses_context:
                work.situations.update((r.id, _context(r.context)) for r in part if isinstance(r, Situation))
            piece = work.take(part, first)
            for record, own in [] if work.options.any_language else work.waiting[-1][0]:
                said = (each.text for each, _ in own if each.speaker in work.options.speakers)
                check.hear(getattr(record, "system", None), said)
            yield piece
            first += len(part)

    task = LabelTask(load or (lambda: labeller), work.options)
    problems: list[Problem] = []
    for piece, found in workers.map(label_texts, pieces(), task, purpose="label on a Dask cluster"):
        if any(isinstance(each, Problem) for each in found):
            problems += cast("list[Problem]", found)
        elif not problems:
            yield from cast("Iterator[RecordT]", work.records(piece, cast("list[UtteranceLabels]", found)))
    if problems:
        raise DataError(problems)
    check.finish()
    if work.strangers:
        what = f"{work.strangers} responses were labelled without their context, because their situations are unknown."
        warn(Problem(what, hint="Give the situations as well (--situations), or put them before the responses."))


def label_dialogue(dialogue: Dialogue, labeller: StrategyClassifier, *, options: Options | None = None) -> Dialogue:
    """Label one dialogue; see ``label_records``."""
    return next(label_records([dialogue], labeller, options=options))


def _with_utterances(record: Record, labelled: tuple[Utterance, ...]) -> Record:
    if isinstance(record, Response):
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
