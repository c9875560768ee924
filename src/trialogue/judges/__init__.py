"""Judges of conversations: rubrics, language models that apply them, and their judgements."""

from typing import TYPE_CHECKING

from trialogue.extras import importer

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

__getattr__ = importer(
    __name__,
    {
        "trialogue.judges.judgement": "Comparison Judge Judgement JudgingProgress PairwiseJudge Sample",
        "trialogue.judges.model_judge": "LlmJudge",
        "trialogue.judges.options": "AnyJudgeOptions JudgeOptions LocalJudgeOptions judge_options judge_record",
        "trialogue.judges.pair_judge": "LlmPairJudge",
        "trialogue.judges.rubric": "Aspect Form JudgedLevel Points Reference Rubric load_rubric rubric_names",
        "trialogue.judges.scores": "scores_of",
    },
)
