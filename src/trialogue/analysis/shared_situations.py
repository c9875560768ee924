"""Differences between systems that answered different situations, measured on those that both answered.

If one system answered eight situations and the other thirty, the difference of their values includes the difference of the
situations. So such pairs are measured again on the situations that both answered; each system's own value remains that of
all it answered. Baselines answer all situations: a system that answered clearly fewer is not compared with them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from trialogue.findings import SharedSituations
from trialogue.metrics import AnyMetric, Conversation, Settings, group_by_system, measure
from trialogue.records import Reason, ReasonCode, Role, Score

NEARLY_ALL = 0.95  # of the situations; a system that answered fewer is not compared with baselines, which answer all
NOTHING_SHARED = Reason.of(ReasonCode.NOTHING_SHARED)
SHARED = "|situations:shared"  # in the signature of a difference


def on_shared_situations(
    scores: Sequence[Score],
    offline: Sequence[Conversation],
    metrics: Sequence[AnyMetric],
    *,
    settings: Settings,
    tell: Callable[[str], None] = lambda _line: None,
) -> list[Score]:
    """Scores with differences restricted to shared situations for systems that answered different ones.

    Args:
        scores: scores of all systems; values stay as they are.
        offline: what the systems answered.
        metrics: those that were measured on these answers.
        settings: settings of the scores.
        tell: called with a line for each pair that is measured again.
    """
    answered = _situations_of_each(offline)
    measured = {metric.measure: metric for metric in metrics}
    anew: dict[tuple[str, str, str], Score] = {}
    for a, b in combinations(sorted(answered), 2):
        if answered[a] != answered[b]:
            tell(f"{a} and {b} on the {len(answered[a] & answered[b])} situations that both answered")
            held = [
                measured[score.measure] for score in _differences_between(scores, a, b) if score.measure in measured
            ]
            anew |= {(each.measure, a, b): each for each in _remeasure(offline, held, a, b, answered, settings)}
    everyone = len(set().union(*answered.values()))
    # Baselines answer every situation. Against a system that answered clearly fewer, their difference would compare
    # different situations, so it is undefined.
    few = {name for name, own in answered.items() if len(own) < NEARLY_ALL * everyone}
    found = []
    for score in scores:
        names = (score.system or "", score.versus or "")
        if score.level == "difference" and Role.BASELINE in (score.role, score.versus_role) and few.intersection(names):
            found.append(_undefine(score, Reason.of(ReasonCode.BASELINE_ANSWERS_MORE, situations=everyone)))
        elif score.level == "difference" and score.measure in measured and _differ(answered, *names):
            again = anew.get((score.measure, *names))
            found.append(_undefine(score, NOTHING_SHARED) if again is None else _replace_difference(score, again))
        else:
            found.append(score)
    return found


def _situations_of_each(offline: Sequence[Conversation]) -> dict[str, set[str]]:
    """The ids of the situations that each system answered."""
    return {
        system: {str(reply.situation_id) for conversation in own for reply in conversation.replies}
        for system, own in group_by_system(offline).items()
    }


def other_situations(offline: Sequence[Conversation]) -> list[str]:
    """One line per system that did not answer all situations."""
    answered = _situations_of_each(offline)
    everyone = set().union(*answered.values())
    return [
        (
            f"{system} answered {len(own)} of the {len(everyone)} situations: its own values cover those, and "
            "each difference from another system covers those that both answered."
        )
        for system, own in sorted(answered.items())
        if len(own) < len(everyone)
    ]


def shared_situations(offline: Sequence[Conversation]) -> tuple[SharedSituations, ...]:
    """Pairs of systems that answered different situations, with the number of shared ones."""
    answered = _situations_of_each(offline)
    return tuple(
        SharedSituations(a=a, b=b, shared=len(answered[a] & answered[b]))
        for a, b in combinations(sorted(answered), 2)
        if answered[a] != answered[b]
    )


def _differ(answered: dict[str, set[str]], a: str, b: str) -> bool:
    return a in answered and b in answered and answered[a] != answered[b]


def _differences_between(scores: Sequence[Score], a: str, b: str) -> Iterator[Score]:
    return (score for score in scores if score.level == "difference" and (score.system, score.versus) == (a, b))


def _remeasure(
    offline: Sequence[Conversation],
    metrics: Sequence[AnyMetric],
    a: str,
    b: str,
    answered: dict[str, set[str]],
    settings: Settings,
) -> list[Score]:
    """Differences of two systems on the situations that both answered."""
    shared = answered[a] & answered[b]
    if not shared or not metrics:
        return []
    kept = [
        replace(conversation, replies=replies)
        for conversation in offline
        if conversation.system in (a, b)
        and (replies := tuple(reply for reply in conversation.replies if str(reply.situation_id) in shared))
    ]
    return [score for score in measure(kept, metrics, settings=settings) if score.level == "difference"]


def _replace_difference(score: Score, again: Score) -> Score:
    """The new difference under the old one's signature, which says what it is of."""
    return again.model_copy(update={"signature": f"{score.signature}{SHARED}"})


def _undefine(score: Score, why: Reason) -> Score:
    return score.model_copy(update={"value": None, "interval": None, "p": None, "why": why})
