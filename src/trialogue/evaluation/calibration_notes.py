"""Which intervals leave out the error of the calibration that they rest on: said once, in a sentence, wherever it is so."""

from collections.abc import Iterable

from trialogue.metrics.implicit_alignment_error import UNCALIBRATED, UNKNOWN
from trialogue.records import Score

ADVICE = (
    "A model of an earlier version, or one calibrated on fewer than ten dialogues, does not know it, and beliefs written by "
    "an earlier version do not hold it: train the model anew, or label anew (trialogue strategies label, trialogue align)."
)


def without_calibration_error(scores: Iterable[Score]) -> list[str]:
    """A sentence for each model whose calibration has an unknown error, or that has none, where intervals rest on it.

    Args:
        scores: of systems; others are passed over.
    """
    reasons = [why for score in scores if score.level == "system" for why in (score.why or "").split("; ")]
    return [
        *(
            f"Intervals, differences and p-values of implicit alignment leave out the error of the calibration of {model}, "
            f"which is not known, and are too narrow. {ADVICE}"
            for model in _named(reasons, UNKNOWN)
        ),
        *(
            f"Nothing calibrates {judge}: its probabilities of pairs are taken as they are, as in the paper, and "
            "intervals leave out how far they are off."
            for judge in _named(reasons, UNCALIBRATED)
        ),
    ]


def _named(reasons: Iterable[str], beginning: str) -> list[str]:
    """Who is named in reasons that begin so, each once."""
    return list(
        dict.fromkeys(why.removeprefix(beginning).partition(",")[0] for why in reasons if why.startswith(beginning))
    )
