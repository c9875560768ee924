"""Warn about intervals that do not include the error of the calibration they rest on."""

from collections.abc import Collection, Iterable

from trialogue.records import Reason, ReasonCode, Score

UNKNOWN = frozenset({ReasonCode.CALIBRATION_ERROR_UNKNOWN, ReasonCode.CALIBRATION_ERROR_UNBOUNDED})
UNCALIBRATED = frozenset({ReasonCode.JUDGE_UNCALIBRATED})

ADVICE = (
    "A model of an earlier version, or one calibrated on fewer than ten dialogues, does not record "
    "it, and neither do probabilities written by an earlier version: train the model again, or label "
    "again (trialogue strategies label, trialogue align)."
)


def calibration_warnings(scores: Iterable[Score]) -> list[str]:
    """One sentence per model whose calibration error is unknown, or that is uncalibrated, if intervals rest on it.

    Args:
        scores: scores of systems; others are ignored.
    """
    reasons = [score.why for score in scores if score.level == "system" and score.why is not None]
    return [
        *(
            f"The calibration error of {model} is unknown, so intervals, differences and p-values of implicit "
            f"alignment do not include it, and the intervals are too narrow. {ADVICE}"
            for model in _models(reasons, UNKNOWN)
        ),
        *(
            f"Nothing calibrates {judge}: its pair probabilities are used as they are, as in the paper, and "
            "intervals ignore how inaccurate they may be."
            for judge in _models(reasons, UNCALIBRATED)
        ),
    ]


def _models(reasons: Iterable[Reason], codes: Collection[ReasonCode]) -> list[str]:
    """The models that reasons with these codes are about, each once."""
    return list(dict.fromkeys(str(why.facts["model"]) for why in reasons if why.code in codes))
