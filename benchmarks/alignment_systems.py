"""Systems of known alignment, made of human sentences, and what is estimated of them; for ``benchmarks/alignment.py``.

Of each test fold (dialogues that neither the model nor its calibration has seen) every labelled sentence is a reference; the
reply is a sentence of another dialogue of the same fold, of the reference's strategy with the wanted rate, else of another
one, drawn from a profile: that of people, or one like a language model's. No sentence answers twice while there are others.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trialogue.datasets import get_corpus
from trialogue.metrics.alignment.implicit_alignment import ImplicitAlignment
from trialogue.metrics.alignment.match_likelihood import Calibration as Fit
from trialogue.metrics.alignment.match_likelihood import (
    calibration_gradient,
    calibration_variance,
    likeliest_share,
    on_grid,
)
from trialogue.metrics.fit_uncertainty import Sources, fitted_difference, widen, widen_for_fit
from trialogue.records import Dialogue, Estimate, merge_turns, situations_of
from trialogue.stats import ClusterSums, bootstrap_sums, cluster_sums
from trialogue.strategies.base import CLASSES, Floats, Ints, examples_of
from trialogue.strategies.learning.calibration import Calibration, codes, fit_calibration, same_probability, sharpen
from trialogue.strategies.learning.folds import fold_of_each, groups_of, out_of_fold, places_of
from trialogue.strategies.models import recipe
from trialogue.strategies.sentences import Combine, combine_sentences, sentences

RATES = (0.05, 0.15, 0.3, 0.5, 0.7)
ENDS = (0.0, 0.01, 0.97)
FOLDS, RESAMPLES = 5, 500
KNOWING = ("dialogues", "few", "calibration")
"""What intervals know of; the last is what ``trialogue align`` gives."""
PROFILES = ("people", "language model")
LLM_LIKE = {
    "encouragement": 0.33,
    "credibility": 0.25,
    "opinion_inquiry": 0.15,
    "acknowledgment": 0.08,
    "personal_opinion": 0.07,
    "preference_confirmation": 0.05,
    "offer_help": 0.04,
    "transparency": 0.03,
}


@dataclass(frozen=True, eq=False)
class Fold:
    """Sentences (or turns) of unseen dialogues."""

    clear: dict[str, Floats]
    """Calibrated probabilities, by how sentences of a turn combine; shape (n, n_classes)."""
    truth: Ints
    """Column of the first strategy."""
    dialogue: Ints
    calibration: Calibration
    apart: Ints | None = None
    """Whose sentences are no reply to each other, where it is not ``dialogue``."""


class _Judge(ImplicitAlignment):
    """The metric, of pairs that all rest on one calibration."""

    def __init__(self, fit: Fit, variant: str = "emq") -> None:
        super().__init__(variant=variant)
        self._fit = fit

    def source(self, unit: Any) -> Fit:
        """The calibration."""
        return self._fit


@dataclass(frozen=True, eq=False)
class Found:
    """One simulated system."""

    split: int
    fold: int
    profile: str
    draw: int
    rate: float
    actual: float
    """Share that matches in this very sample."""
    values: dict[str, float]
    estimates: dict[str, Estimate]
    """By what their intervals know of."""
    data: ClusterSums
    """Sums of the reference's dialogues."""
    sources: Sources
    """What they rest on."""
    moved: Floats
    """How the estimate moves with slope and intercept of the calibration, shape (2,)."""

    def covers(self, knowing: str) -> bool:
        """Whether the interval holds the rate; one that is not there holds nothing."""
        interval = self.estimates[knowing].interval
        return interval is not None and interval.low <= self.rate <= interval.high

    def width(self, knowing: str) -> float:
        """Of the interval, 0 where there is none."""
        interval = self.estimates[knowing].interval
        return 0.0 if interval is None else interval.high - interval.low


@dataclass(frozen=True)
class Labelled:
    """One simulated system of which people labelled some pairs."""

    split: int
    labels: int
    rate: float
    powered: float
    """The prediction-powered estimate."""
    alone: float
    """The share of matches among the labels."""
    covered: bool
    """As the product gives the interval."""
    plain: bool
    """By the bootstrap over dialogues alone."""


@dataclass(frozen=True)
class Gap:
    """The difference of two simulated systems that answer the same references."""

    split: int
    kind: str
    rates: tuple[float, float]
    error: float
    covered: bool
    """With the error of the calibration, as ``trialogue align`` gives it."""
    without: bool
    """Without it."""
    width: float
    called: bool
    """Whether p is below .05."""


def read_inspired(mirror: Path) -> list[Dialogue]:
    corpus = get_corpus("inspired")
    return [one for one in corpus.read(mirror / "inspired", note=lambda _: None) if isinstance(one, Dialogue)]


def sentence_folds(dialogues: Sequence[Dialogue], seed: int) -> Iterator[Fold]:
    """Test folds by dialogue of labelled sentences, judged and calibrated by models of the others (14 classes)."""
    examples = list(examples_of(dialogues))
    labels = [one.label for one in examples]
    rng = np.random.default_rng([seed, 1])
    fold_of = fold_of_each(labels, groups_of(examples, "dialogue"), folds=FOLDS, rng=rng)
    raw = out_of_fold(recipe("tfidf"), examples, fold_of, CLASSES)
    places, truth = places_of([one.dialogue_id for one in examples]), codes(labels, CLASSES)
    for fold in range(FOLDS):
        own, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        known = [labels[place] for place in others]
        found = fit_calibration(raw[others], known, CLASSES, rng=rng, groups=places[others].tolist())
        yield Fold({"first": sharpen(raw[own], found.temperature)}, truth[own], places[own], found)


def turn_folds(dialogues: Sequence[Dialogue], seed: int) -> Iterator[Fold]:
    """The same for whole turns, which hold 1.5 sentences on average; truth is the first label, calibration on sentences."""
    turns = [
        (dialogue.id, situation.reference.text, situation.reference.strategies[0].strategy)
        for dialogue in dialogues
        for situation in situations_of(merge_turns(dialogue))
        if situation.reference is not None and situation.reference.strategies
    ]
    examples = list(examples_of(dialogues))
    labels = [one.label for one in examples]
    rng = np.random.default_rng([seed, 2])
    fold_of = fold_of_each(labels, groups_of(examples, "dialogue"), folds=FOLDS, rng=rng)
    fold_by = {one.dialogue_id: int(fold) for one, fold in zip(examples, fold_of, strict=True)}
    raw = out_of_fold(recipe("tfidf"), examples, fold_of, CLASSES)
    numbers = places_of([turn[0] for turn in turns])
    for fold in range(FOLDS):
        others = np.flatnonzero(fold_of != fold)
        found = fit_calibration(raw[others], [labels[place] for place in others], CLASSES, rng=rng)
        model = recipe("tfidf")([examples[place] for place in others])
        own = [place for place, turn in enumerate(turns) if fold_by[turn[0]] == fold]
        rows: dict[str, list[Floats]] = defaultdict(list)
        for place in own:
            pieces = sentences(turns[place][1])
            said = sharpen(model.probabilities(pieces), found.temperature)
            ways: tuple[Combine, ...] = ("first", "mean", "longest")
            for way in ways:
                rows[way].append(combine_sentences(said, pieces, way))
        columns = [list(model.classes).index(name) for name in CLASSES]
        clear = {way: np.array(each)[:, columns] for way, each in rows.items()}
        yield Fold(clear, codes([turns[place][2] for place in own], CLASSES), numbers[own], found)


def systems(
    fold: Fold,
    profile: str,
    place: tuple[int, int, int],
    *,
    rates: Sequence[float] = RATES,
    together: float = 0.0,
    with_intervals: bool = True,
) -> Iterator[Found]:
    """One system for each rate; each split, fold and draw (``place``) and profile has draws of its own, so that systems err
    on their own. ``together``: the correlation of matches within a dialogue."""
    rng = np.random.default_rng([*place, len(profile), 3, *([round(100 * together)] if together else [])])
    matching = fold.calibration.matching or (1.0, 0.0)
    for rate in rates:
        replies = drawn(fold, profile, rate, rng, together=together)
        values: dict[str, float] = {}
        for way, clear in fold.clear.items():
            chances = same_probability(clear, clear[replies], matching)
            values[f"emq {way}"] = float(likeliest_share(on_grid(chances).sum(axis=0)))
        clear = fold.clear["first"]
        by_pair = same_probability(clear, clear[replies], fold.calibration.same)
        values["emq, calibrated by pair"] = float(likeliest_share(on_grid(by_pair).sum(axis=0)))
        values["thresholded"] = float(np.mean(by_pair > 0.5))
        values["mean probability"] = float(np.mean(by_pair))
        rows = on_grid(same_probability(clear, clear[replies], matching))
        data = cluster_sums(rows, fold.dialogue.tolist())
        sources = Sources(_Judge(Fit("benchmark", matching, fold.calibration.matching_error)))
        sources.add([None] * len(rows), rows)  # type: ignore[list-item]
        yield Found(
            *place[:2],
            profile,
            place[2],
            rate,
            float((fold.truth == fold.truth[replies]).mean()),
            values,
            estimates_of(data, sources, rng) if with_intervals else {},
            data,
            sources,
            calibration_gradient(data.total, matching),
        )


def estimates_of(data: ClusterSums, sources: Sources, rng: np.random.Generator) -> dict[str, Estimate]:
    """Intervals that know of more and more: of the dialogues drawn, of how few there are, of the calibration's error."""
    plain = bootstrap_sums(data, likeliest_share, rng=rng, resamples=RESAMPLES)
    return {
        "dialogues": plain,
        "few": widen(plain, 0.0),
        "calibration": widen_for_fit(plain, data, sources, confidence=0.95),
    }


def labelled(fold: Fold, place: tuple[int, int, int], rate: float, labels: Sequence[int]) -> Iterator[Labelled]:
    """A system with the replies of a language model, of which people labelled so many random pairs."""
    rng = np.random.default_rng([*place, 5])
    replies = drawn(fold, "language model", rate, rng)
    clear, matching = fold.clear["first"], fold.calibration.matching or (1.0, 0.0)
    f = same_probability(clear, clear[replies], matching)
    y = (fold.truth == fold.truth[replies]).astype(np.float64)
    for count in labels:
        known = np.zeros(len(f))
        known[rng.choice(len(f), min(count, len(f)), replace=False)] = 1
        rows = np.column_stack([np.ones(len(f)), f, f * f, known, known * y, known * f, known * y * f])
        data = cluster_sums(rows, fold.dialogue.tolist())
        metric = _Judge(Fit("benchmark", matching, None), "ppi")
        sources = Sources(metric)
        sources.add([None] * len(rows), rows)  # type: ignore[list-item]
        plain = bootstrap_sums(data, metric.combine, rng=rng, resamples=RESAMPLES)
        given = widen_for_fit(plain, data, sources, confidence=0.95)
        assert plain.value is not None
        holds = [each.interval is not None and each.interval.contains(rate) for each in (given, plain)]
        yield Labelled(place[0], count, rate, plain.value, float(y[known > 0].mean()), *holds)


def gap(kind: str, one: Found, other: Found) -> Gap:
    """The difference of two systems of one fold, by the product's code, and with a calibration that has no error."""
    truth = one.rate - other.rate
    fit = next(iter(one.sources.parts(one.data.total)))
    assert isinstance(fit, Fit)
    sure = Sources(_Judge(Fit(fit.origin, fit.matching, (0.0, 0.0, 0.0))))
    sure.add([None], one.data.total[None])  # type: ignore[list-item]
    found = fitted_difference(one.data, other.data, (one.sources, other.sources), confidence=0.95)
    without = fitted_difference(one.data, other.data, (sure, sure), confidence=0.95)
    assert found.value is not None
    assert found.interval is not None
    assert without.interval is not None
    assert found.p is not None
    return Gap(
        one.split,
        kind,
        (one.rate, other.rate),
        found.value - truth,
        found.interval.contains(truth),
        without.interval.contains(truth),
        found.interval.high - found.interval.low,
        found.p < 0.05,
    )


def calibration_errors(found: Sequence[Found]) -> Iterator[tuple[float, float, float]]:
    """(rate, rate, standard error that the calibration gives to their difference); one rate twice: to an estimate."""
    for one in found:
        fit = next(iter(one.sources.parts(one.data.total)))
        assert isinstance(fit, Fit)
        assert fit.error is not None
        yield one.rate, one.rate, calibration_variance(one.moved, fit.error) ** 0.5
        for other in found:
            if one.rate < other.rate:
                yield one.rate, other.rate, calibration_variance(one.moved - other.moved, fit.error) ** 0.5


def drawn(fold: Fold, profile: str, rate: float, rng: np.random.Generator, *, together: float = 0.0) -> Ints:
    """A reply to each reference: the place of a sentence of another dialogue.

    ``together`` is the correlation r of two matches of one dialogue: each has a rate of its own, drawn from the beta
    distribution with mean ``rate`` and a + b = 1 / r - 1 (variance r rate (1 - rate)).
    """
    rates = dict.fromkeys(fold.dialogue.tolist(), rate)
    if together:
        size = 1 / together - 1
        rates = {dialogue: float(rng.beta(rate * size, (1 - rate) * size)) for dialogue in rates}
    shares = np.bincount(fold.truth, minlength=len(CLASSES)) / len(fold.truth)
    if profile != "people":
        shares = np.array([LLM_LIKE.get(name, 0.0) for name in CLASSES]) * (shares > 0)
    decks = {label: Deck(np.flatnonzero(fold.truth == label), rng) for label in range(len(CLASSES))}
    replies = np.empty(len(fold.truth), dtype=np.int64)
    cumulated = np.cumsum(np.where(np.eye(len(CLASSES), dtype=bool), 0, shares), axis=1)  # row by row without its own
    cumulated /= cumulated[:, -1:]
    apart = fold.dialogue if fold.apart is None else fold.apart
    for place, (label, dialogue) in enumerate(zip(fold.truth.tolist(), fold.dialogue.tolist(), strict=True)):
        if rng.random() >= rates[dialogue]:
            label = int(cumulated[label].searchsorted(rng.random(), side="right"))
        replies[place] = decks[label].take(lambda one, own=apart[place]: bool(apart[one] != own))  # type: ignore[misc]
    return replies


class Deck:
    """Sentences of one strategy in random order; none is used again while there are others."""

    def __init__(self, places: Ints, rng: np.random.Generator) -> None:
        self._cards = list(rng.permutation(places).tolist())

    def take(self, fits: Callable[[int], bool]) -> int:
        """The next that fits, or the next at all; it goes to the bottom."""
        place = next((number for number, card in enumerate(self._cards) if fits(card)), 0)
        card = self._cards.pop(place)
        self._cards.append(card)
        return int(card)
