"""Which intervals leave out the error of the calibration that they rest on: said once, in a sentence, wherever it is so."""

from collections.abc import Collection, Iterable

from trialogue.records import Reason, ReasonCode, Score

UNKNOWN = frozenset({ReasonCode.CALIBRATION_ERROR_UNKNOWN, ReasonCode.CALIBRATION_ERROR_UNBOUNDED})
UNCALIBRATED = frozenset({ReasonCode.JUDGE_UNCALIBRATED})

ADVICE = (
    "A model of an earlier version, or one calibrated on fewer than ten dialogues, does not know it, and beliefs written by "
    "an earlier version do not hold it: train the model anew, or label anew (trialogue strategies label, trialogue align)."
)


def without_calibration_error(scores: Iterable[Score]) -> list[str]:
    """A sentence for each model whose calibration has an unknown error, or that has none, where intervals rest on it.

    Args:
        scores: of systems; others are passed over.
    """
    reasons = [score.why for score in scores if score.level == "system" and score.why is not None]
    return [
        *(
            f"Intervals, differences and p-values of implicit alignment leave out the error of the calibration of {model}, "
            f"which is not known, and are too narrow. {ADVICE}"
            for model in _models(reasons, UNKNOWN)
        ),
        *(
            f"Nothing calibrates {judge}: its probabilities of pairs are taken as they are, as in the paper, and "
            "intervals leave out how far they are off."
            for judge in _models(reasons, UNCALIBRATED)
        ),
    ]


def _models(reasons: Iterable[Reason], codes: Collection[ReasonCode]) -> list[str]:
    """The models that reasons with these codes are about, each once."""
    return list(dict.fromkeys(str(why.facts["model"]) for why in reasons if why.code in codes))
