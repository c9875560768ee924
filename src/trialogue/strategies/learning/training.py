"""Train a calibrated model with a card from examples."""

from collections import Counter
from collections.abc import Mapping, Sequence

from trialogue.fingerprints import fingerprints_of
from trialogue.records import JsonValue
from trialogue.records.files.manifest import versions_of
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Floats, check_examples, ordered_classes
from trialogue.strategies.card import ModelCard
from trialogue.strategies.language import languages_in
from trialogue.strategies.learning.calibration import Calibration, codes, fit_calibration, same_probability, sharpen
from trialogue.strategies.learning.dyads import Dyads, PairScores, pair_scores
from trialogue.strategies.learning.folds import WithExtra, fold_of_each, groups_of, out_of_fold, places_of
from trialogue.strategies.learning.pair_sampling import draw_pairs
from trialogue.strategies.learning.scoring import label_scores
from trialogue.strategies.models import Model, recipe
from trialogue.strategies.recommendation import better_than

PAIRS = 5_000  # of either kind, for the card
PACKAGES = ("trialogue", "numpy", "scipy", "scikit-learn")  # whose versions the card states
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
        settings: of its recipe.
        folds: parts.
        seed: of the folds and the pairs.
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
    clear = sharpen(unseen, calibration.temperature)
    card = ModelCard(
        model=kind,
        origin=raw.origin,
        settings=dict(settings or {}),
        languages=languages_in(examples),
        sources=tuple(sorted({example.source or "unnamed" for example in (*examples, *added)})),
        dialogues=known,
        n=len(examples),
        extra=len(added),
        counts={label: Counter(labels)[label] for label in classes},
        split=f"{folds} folds by {unit}, temperature and pairs fitted on the same probabilities",
        labels=label_scores(
            clear, codes(labels, classes), classes, groups, unit=unit, rng=rng_for(seed, "card"), resamples=RESAMPLES
        ),
        pairs=_pairs(clear, labels, classes, groups, calibration, unit, seed),
        calibration=calibration,
        better=better_than(kind),
        seed=seed,
        versions=versions_of(*PACKAGES),
    )
    return Model(raw, card, fingerprints_of(example.text for example in (*examples, *added)))


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
