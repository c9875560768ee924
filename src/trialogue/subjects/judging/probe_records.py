"""Records of bias probes: what changed a judge's scores, and what did not."""

from enum import StrEnum

from pydantic import Field

from trialogue.judges.probe_kinds import ProbeKind
from trialogue.records import Estimate, Record


class ProbeVerdict(StrEnum):
    """What the cases of a probe show."""

    BIASED = "biased"
    """The score changes with what should not change it, significantly after Bonferroni's correction across the probes."""
    NOT_SHOWN = "not_shown"
    """No such change was found; with few cases a bias may be there all the same."""
    NOTICED = "noticed"
    """A planted defect lowers the score, significantly after Bonferroni's correction."""
    UNNOTICED = "unnoticed"
    """It was not shown to lower it."""
    UNSTABLE = "unstable"
    """Other words of an instruction: scores under them are not shown to order dialogues as those under ours do."""
    TOO_FEW = "too_few"
    """So few cases that not even equal changes in all of them would be significant after Bonferroni's correction."""
    UNDEFINED = "undefined"
    """Too few cases, or none."""


class ProbeFinding(Record):
    """Result of one probe of one judge."""

    judge: str
    """The judge."""
    aspect: str
    """Aspect of the rubric whose score is compared."""
    probe: ProbeKind
    """What was changed."""
    effect: Estimate
    """Mean change of the score, in points, ``n`` cases. Position: share of answers for the dialogue shown first less that
    for the one shown second, which is 0 without a preference."""
    moved: Estimate
    """Share of cases whose score changed towards what is looked for: down (planted defects), up (padding, injection,
    position), or at all (wordings)."""
    p_adjusted: float | None = Field(ge=0, le=1)
    """p-value of the effect by Bonferroni's method over the probes of the judge; None: there is none."""
    agreement: Estimate | None = None
    """Wordings: Spearman's correlation of scores under our instruction and under the other one, over dialogues. Position:
    share of pairs with the same answers in both orders. None: no such probe."""
    least: int
    """Cases from which on equal changes in all of them are significant, given the number of probes."""
    verdict: ProbeVerdict
    """What follows."""
    unanswered: int
    """Cases without both scores."""
    inapplicable: int
    """Dialogues that the change could not be planted in, or pairs that were not asked."""
