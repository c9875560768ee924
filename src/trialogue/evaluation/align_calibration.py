"""Which intervals leave out the error of the calibration that they rest on: said once, in a sentence, wherever it is so."""

from collections.abc import Iterable

from trialogue.metrics.implicit_alignment_error import UNKNOWN
from trialogue.records import Score

ADVICE = (
    "A model of an earlier version, or one calibrated on fewer than ten dialogues, does not know it, and beliefs written by "
    "an earlier version do not hold it: train the model anew, or label anew (trialogue strategies label, trialogue align)."
)


def without_calibration_error(scores: Iterable[Score]) -> list[str]:
    """A sentence for each model whose calibration has an unknown error, where intervals of systems rest on it.

    Args:
        scores: of systems; others are passed over.
    """
    models = dict.fromkeys(
        why.partition(UNKNOWN)[2].partition(",")[0]
        for score in scores
        if score.level == "system"
        for why in (score.why or "").split("; ")
        if why.startswith(UNKNOWN)
    )
    return [
        f"Intervals, differences and p-values of implicit alignment leave out the error of the calibration of {model}, "
        f"which is not known, and are too narrow. {ADVICE}"
        for model in models
    ]
