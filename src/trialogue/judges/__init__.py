"""Judges of conversations: rubrics, language models that apply them, and their judgements."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialogue.judges.judgement import Comparison, Judge, Judgement, JudgingProgress, PairwiseJudge, Sample
    from trialogue.judges.model_judge import LlmJudge
    from trialogue.judges.options import AnyJudgeOptions, JudgeOptions, LocalJudgeOptions, judge_options, judge_record
    from trialogue.judges.pair_judge import LlmPairJudge
    from trialogue.judges.rubric import Aspect, Form, JudgedLevel, Points, Reference, Rubric, load_rubric, rubric_names
    from trialogue.judges.scores import scores_of

__all__ = [
    "AnyJudgeOptions",
    "Aspect",
    "Comparison",
    "Form",
    "Judge",
    "JudgeOptions",
    "JudgedLevel",
    "Judgement",
    "JudgingProgress",
    "LlmJudge",
    "LlmPairJudge",
    "LocalJudgeOptions",
    "PairwiseJudge",
    "Points",
    "Reference",
    "Rubric",
    "Sample",
    "judge_options",
    "judge_record",
    "load_rubric",
    "rubric_names",
    "scores_of",
]

_LAZY = {
    "AnyJudgeOptions": "trialogue.judges.options",
    "Aspect": "trialogue.judges.rubric",
    "Comparison": "trialogue.judges.judgement",
    "Form": "trialogue.judges.rubric",
    "Judge": "trialogue.judges.judgement",
    "JudgeOptions": "trialogue.judges.options",
    "JudgedLevel": "trialogue.judges.rubric",
    "Judgement": "trialogue.judges.judgement",
    "JudgingProgress": "trialogue.judges.judgement",
    "LlmJudge": "trialogue.judges.model_judge",
    "LlmPairJudge": "trialogue.judges.pair_judge",
    "LocalJudgeOptions": "trialogue.judges.options",
    "PairwiseJudge": "trialogue.judges.judgement",
    "Points": "trialogue.judges.rubric",
    "Reference": "trialogue.judges.rubric",
    "Rubric": "trialogue.judges.rubric",
    "Sample": "trialogue.judges.judgement",
    "judge_options": "trialogue.judges.options",
    "judge_record": "trialogue.judges.options",
    "load_rubric": "trialogue.judges.rubric",
    "rubric_names": "trialogue.judges.rubric",
    "scores_of": "trialogue.judges.scores",
}


def __getattr__(name: str) -> Any:
    """Import a public name lazily: most evaluations have no judge."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
