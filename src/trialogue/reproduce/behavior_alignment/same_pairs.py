"""Our model and the released classifiers on the same ReDial pairs, with paired differences.

Pairs share sentences, so intervals draw sentences. A difference whose interval contains 0 is a tie, and the row says no
more. ReDial's annotation has no ``no_strategy``: its annotators gave greetings and thanks one of the 13 strategies, which
INSPIRED's did not. That convention is a declared variant: the model's probabilities without that class.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from trialogue.records import NO_STRATEGY, Estimate
from trialogue.reproduce.behavior_alignment.rows import Row
from trialogue.seeds import rng_for
from trialogue.stats.resampling.replicates import Plan
from trialogue.strategies.base import Floats
from trialogue.strategies.learning.calibration import same_probability
from trialogue.strategies.learning.dyads import RESAMPLES, Dyads, accuracy_difference, pair_scores
from trialogue.strategies.learning.folds import places_of
from trialogue.strategies.models import Model
from trialogue.strategies.paper_data import ANNOTATIONS, JudgedTexts, read_pairs, result_files, title_of

PART = "Table 5: our model on the same pairs"
AS_SHIPPED, ONLY_STRATEGIES = "all its classes", "without no_strategy"


def same_pairs_rows(predictions: Path | None, model: Model, *, seed: int, resamples: int = RESAMPLES) -> Iterator[Row]:
    """Accuracy of a model on the released pairs, and its difference from each released classifier.

    Args:
        predictions: folder of the released files, or one of them; None: nothing is compared.
        model: model with calibrated pair probabilities.
        seed: seed for the intervals.
        resamples: bootstrap replicates.
    """
    if predictions is None:
        return
    annotations = predictions if predictions.is_dir() else predictions.parent
    known = annotations if (annotations / ANNOTATIONS).is_file() else None
    for file in result_files(predictions):
        pairs = read_pairs(file, known)
        on = f"{file.name}: {len(pairs.same)} pairs of {len(pairs.texts)} sentences"
        for variant, chances in _chances(model, pairs):
            dyads = Dyads.from_pairs(pairs.pairs, chances, places_of(range(len(pairs.texts))))
            ours = pair_scores(dyads, unit="sentence", rng=rng_for(seed, "same pairs"), resamples=resamples).by_cluster
            name = f"{model.origin}, {variant}"
            yield Row(part=PART, what=f"{name}: accuracy", on=on, ours=ours.accuracy, status="ours")
            yield Row(part=PART, what=f"{name}: kappa", on=on, ours=ours.kappa, status="ours")
            if pairs.said is not None:
                plan = Plan(rng_for(seed, "same pairs", "difference"), resamples)
                gap = accuracy_difference(dyads, pairs.said, plan)
                what = f"{name}: accuracy minus that of {title_of(file)}"
                yield Row(part=PART, what=what, on=on, ours=gap, status="ours", why=verdict(gap))


def verdict(gap: Estimate) -> str | None:
    """What a paired difference allows to say; None without an interval."""
    if gap.interval is None:
        return None
    if gap.interval.contains(0.0):
        return "a tie: the interval of the difference contains 0"
    return "our model is more accurate" if gap.interval.low > 0 else "our model is less accurate"


def _chances(model: Model, pairs: JudgedTexts) -> Iterator[tuple[str, Floats]]:
    """Probability that each pair matches, by variant."""
    clear = model.probabilities(pairs.texts)
    yield AS_SHIPPED, same_probability(clear[pairs.left], clear[pairs.right], model.same_coefficients)
    if NO_STRATEGY in model.classes:
        only = clear * (np.array(model.classes) != NO_STRATEGY)
        only = only / np.maximum(only.sum(axis=1, keepdims=True), 1e-12)
        yield ONLY_STRATEGIES, same_probability(only[pairs.left], only[pairs.right], model.same_coefficients)
