"""Scores of judgements, with what made each of them: rubric, prompt, settings, and the models that answered."""

from collections.abc import Callable, Sequence

from trialogue.judges.judgement import Judgement
from trialogue.judges.rubric import Rubric
from trialogue.records import MeasureName, Reason, ReasonCode, Score
from trialogue.records.score import Level


def scores_of(
    judgements: Sequence[Judgement], rubric: Rubric, measure: Callable[[str], MeasureName], origin: str
) -> list[Score]:
    """One score for each judgement and aspect, in order; one without a value has its reason.

    Args:
        judgements: judgements of one judge.
        rubric: what was asked.
        measure: the column of an aspect.
        origin: rubric, prompt and settings, for the signature.
    """
    found = []
    for aspect in rubric.aspects:
        name, scale = measure(aspect.name), rubric.scale_of(aspect).scale
        for each in judgements:
            value = each.values.get(aspect.name)
            read = sum(aspect.name in sample.values for sample in each.samples)
            found.append(
                Score(
                    measure=name,
                    level=level_of(each),
                    value=value,
                    why=_reason(each, aspect.name) if value is None else None,
                    system=each.system,
                    dialogue_id=each.dialogue_id,
                    situation_id=each.situation_id,
                    utterance=each.utterance,
                    scale=scale,
                    n=read if each.samples else None,
                    skipped=len(each.samples) - read if each.samples else None,
                    signature=f"{origin} {models_of(each)}".rstrip(),
                )
            )
    return found


def models_of(judgement: Judgement) -> str:
    """Models that answered, with their fingerprints: ``answered by tiny-2026 (fp_1)``; "" if none was asked."""
    names = [
        f"{sample.model or 'unknown'} ({sample.system_fingerprint or 'no fingerprint'})"
        for sample in judgement.samples
        if sample.answer is not None
    ]
    return f"answered by {', '.join(dict.fromkeys(names))}" if names else ""


def level_of(judgement: Judgement) -> Level:
    """Level of the scores of a judgement."""
    if judgement.situation_id is not None:
        return "response"
    return "dialogue" if judgement.utterance is None else "utterance"


def _reason(judgement: Judgement, aspect: str) -> Reason:
    return judgement.whys.get(aspect) or Reason.of(ReasonCode.JUDGE_UNREADABLE)
