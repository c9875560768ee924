"""Train a calibrated model with a card from examples."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from trialogue.errors import UsageError
from trialogue.fingerprints import fingerprints_of
from trialogue.records import JsonValue
from trialogue.records.files.manifest import versions_of
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Floats, Savable, check_examples, ordered_classes
from trialogue.strategies.card import ModelCard, upgrade_commands
from trialogue.strategies.learning.calibration import Calibration, codes, fit_calibration, same_probability, sharpen
from trialogue.strategies.learning.dyads import Dyads, PairScores, draw_pairs, pair_scores
from trialogue.strategies.learning.folds import WithExtra, fold_of_each, groups_of, out_of_fold, places_of
from trialogue.strategies.learning.scoring import label_scores
from trialogue.strategies.models import Model, recipe
from trialogue.strategies.sentences import languages_in

PAIRS = 5_000  # of either kind, for the card
PACKAGES = ("trialogue", "numpy", "scipy", "scikit-learn")  # whose versions the card states
MIN_ANSWERS = 20  # fewer say nothing about two parameters
RESAMPLES = 500  # for the card's intervals: two digits of them are steady


def train(
    examples: Sequence[Example],
    *,
    kind: str = "tfidf",
    settings: Mapping[str, JsonValue] | None = None,
    folds: int = 5,
    seed: int = 0,
    extra: Sequence[Example] = (),
    n_jobs: int = 1,
) -> Model:
    """Train a model on all examples, calibrated on out-of-fold predictions.

    Trains ``folds`` models on parts of the data (split by dialogue, single sentences by their words) for the calibration
    and the card, then one on everything.

    Args:
        examples: labelled sentences.
        kind: kind of model; see ``models.kinds``.
        settings: settings of its recipe.
        folds: parts.
        seed: seed for the folds and the pairs.
        extra: sentences that every model is trained on, too, but that neither calibration nor card is made from, such as
            ``bundled_examples()``; those of other classes are left out.
        n_jobs: processes for the folds; the result is the same whatever it is.

    Raises:
        UsageError: no examples, one class, fewer dialogues (or different sentences) than folds, unknown settings.
        UnknownNameError: no such kind.
    """
    check_examples(examples)
    recipe_of = recipe(kind, settings)
    classes = ordered_classes(example.label for example in examples)
    groups = groups_of(examples, "dialogue")
    labels = [example.label for example in examples]
    fold_of = fold_of_each(labels, groups, folds=folds, rng=rng_for(seed, "folds"))
    added = [example for example in extra if example.label in classes]
    unseen = out_of_fold(
        WithExtra(recipe_of, tuple(added)) if added else recipe_of, examples, fold_of, classes, n_jobs=n_jobs
    )
    calibration = fit_calibration(
        unseen,
        labels,
        classes,
        rng=rng_for(seed, "calibration"),
        groups=groups,
        texts=[example.text for example in examples],
    )
    raw = recipe_of([*examples, *added])
    known = len({example.dialogue_id for example in examples if example.dialogue_id is not None})
    unit = "dialogue" if known else "sentence"
    card = card_of(
        raw,
        examples,
        sharpen(unseen, calibration.temperature),
        calibration,
        classes=classes,
        split=f"{folds} folds by {unit} (temperature and match probabilities fitted on the same predictions)",
        seed=seed,
    )
    more = {"settings": dict(settings or {}), "languages": languages_in(examples), "extra": len(added)}
    more["sources"] = _sources([*examples, *added])
    card = card.model_copy(update={**more, "model": kind, "better": upgrade_commands(kind)})
    return Model(raw, card, fingerprints_of(example.text for example in (*examples, *added)))


def calibrate(raw: Savable, examples: Sequence[Example], *, seed: int = 0) -> Model:
    """Calibrate a labeller that is not trained, such as a language model, on sentences labelled by people.

    Temperature, match probabilities and the profile of the corpus are fitted as for trained models, here on the labeller's
    own answers, because it has seen none of the labels. Sentences without a valid answer are left out.

    Args:
        raw: the labeller.
        examples: labelled sentences.
        seed: seed for the pairs.

    Raises:
        UsageError: no examples, a label that the labeller does not know, or fewer than two answers.
    """
    check_examples(examples)
    given = raw.probabilities([example.text for example in examples], [example.context for example in examples])
    valid = np.asarray(~np.isnan(given).any(axis=1))
    if valid.sum() < MIN_ANSWERS:
        raise UsageError(
            f"{raw.origin} gave a valid answer for {int(valid.sum())} of {len(examples)} sentences; a calibration "
            f"needs at least {MIN_ANSWERS}."
        )
    kept = [examples[place] for place in np.flatnonzero(valid).tolist()]
    labels = [example.label for example in kept]
    calibration = fit_calibration(
        given[valid],
        labels,
        raw.classes,
        rng=rng_for(seed, "calibration"),
        groups=groups_of(kept, "dialogue"),
        texts=[example.text for example in kept],
    )
    left = (
        f"; {len(examples) - len(kept)} sentences without a valid answer left out" if len(kept) < len(examples) else ""
    )
    card = card_of(
        raw,
        kept,
        sharpen(given[valid], calibration.temperature),
        calibration,
        classes=raw.classes,
        split=f"not trained (temperature and match probabilities fitted on the same answers{left})",
        seed=seed,
    )
    card = card.model_copy(update={"calibrated_on": ", ".join(_sources(kept)), "languages": None})
    return Model(raw, card, frozenset())


def card_of(
    raw: Savable,
    examples: Sequence[Example],
    clear: Floats,
    calibration: Calibration,
    *,
    classes: Sequence[str],
    split: str,
    seed: int,
) -> ModelCard:
    """Card with the quality of calibrated probabilities of sentences that the model has not seen.

    Args:
        raw: the model.
        examples: labelled sentences.
        clear: calibrated probabilities, shape (n, n_classes).
        calibration: part of the card.
        classes: order of the columns.
        split: how the probabilities were made.
        seed: seed for the pairs and the intervals.
    """
    labels, groups = [example.label for example in examples], groups_of(examples, "dialogue")
    known = len({example.dialogue_id for example in examples if example.dialogue_id is not None})
    unit = "dialogue" if known else "sentence"
    return ModelCard(
        model=raw.name,
        origin=raw.origin,
        sources=_sources(examples),
        dialogues=known,
        n=len(examples),
        counts={label: Counter(labels)[label] for label in classes},
        split=split,
        labels=label_scores(
            clear, codes(labels, classes), classes, groups, unit=unit, rng=rng_for(seed, "card"), resamples=RESAMPLES
        ),
        pairs=_pairs(clear, labels, classes, groups, calibration, unit, seed),
        calibration=calibration,
        seed=seed,
        versions=versions_of(*PACKAGES),
    )


def _sources(examples: Sequence[Example]) -> tuple[str, ...]:
    return tuple(sorted({example.source or "unnamed" for example in examples}))


def _pairs(
    clear: Floats,
    labels: Sequence[str],
    classes: Sequence[str],
    groups: Sequence[str],
    calibration: Calibration,
    unit: str,
    seed: int,
) -> PairScores:
    drawn = draw_pairs(codes(labels, classes), PAIRS, rng=rng_for(seed, "card pairs"))
    chances = same_probability(clear[drawn.left], clear[drawn.right], calibration.same)
    dyads = Dyads.from_pairs(drawn, chances, places_of(groups))
    return pair_scores(dyads, unit=unit, rng=rng_for(seed, "card pairs", "intervals"), resamples=RESAMPLES)
