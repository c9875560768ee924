"""What stands beside the league: margins over baselines, failures counted in another way, and variants of a metric."""

from collections.abc import Sequence
from itertools import combinations

from trialogue.findings.league import estimate_of
from trialogue.findings.records import CellValue, Noted, RankReversal, Section, Sensitivity, columns
from trialogue.findings.standings import Contrast, League, Standing
from trialogue.findings.wording import p_words
from trialogue.metrics.failure_sensitivity import FailureSensitivity

BASELINES_TITLE = "Better than baselines that ignore the user?"
WORDS = {"a": "above", "b": "below", "inconclusive": "inconclusive", "undefined": "not compared"}
WHAT = {
    "random-human": "any reply",
    "same-turn": "replies of the same turn",
    "majority": "replies with the most frequent strategy",
    "context": "replies with the strategy predicted from the strategies of both sides so far, not from the text",
}
"""Whose replies each baseline takes; others are not described."""


REPEATED = (
    "Baselines repeat what human recommenders said in other dialogues; the value of each is the mean over all replies "
    "that it may choose"
)
SIMULATED = "Baselines talked to the same simulated users and ignore what they say"
ERROR = "with a jackknife error over the dialogues answered and the dialogues that replies are taken from"
COMPARED = "Systems were compared with the best baseline of a measure, with p-values corrected across systems."
FAILURES_TITLE = "Does it matter how failures are counted?"
MAX_ROWS = 40  # a screenful; findings hold no more than a report shows


def baseline_methods(leagues: Sequence[League]) -> tuple[str, ...]:
    """Methods sentences on baselines; () without any."""
    own = {REPEATED: f"{REPEATED}, {ERROR}."}
    kinds = [own.get(kind, f"{kind}.") for kind in _kinds(leagues)]
    return (" ".join([*kinds, COMPARED]),) if kinds else ()


def _kinds(leagues: Sequence[League]) -> list[str]:
    """What the baselines beside measures do: of alignment they repeat people, of other outcomes they are simulated."""
    shown = [league for league in leagues if league.baselines]
    return list(dict.fromkeys(REPEATED if league.measure.is_alignment else SIMULATED for league in shown))


def baseline_sections(leagues: Sequence[League]) -> tuple[Section, ...]:
    """Table of the baselines and of each system's difference to the best one, by measure; () without baselines."""
    beside = [league for league in leagues if any(each.estimate.value is not None for each in league.baselines)]
    if not beside:
        return ()
    baselines = list(dict.fromkeys(each.system for league in beside for each in league.baselines))
    systems = list(dict.fromkeys(each.a for league in beside for each in league.above_baseline))
    return (
        Section(
            title=BASELINES_TITLE,
            file="baselines",
            sentences=(
                "A score means little without a baseline.",
                *(f"{kind}." for kind in _kinds(beside)),
                *(f"{name} takes {WHAT[name]}." for name in baselines if name in WHAT),
                "The last rows: each system minus the best baseline, with p-values corrected across systems.",
            ),
            columns=columns("", *(league.measure.title for league in beside)),
            rows=(
                *((name, *(_value(league, name) for league in beside)) for name in baselines),
                *(
                    (f"{name}, minus the best baseline", *(_difference_cell(league, name) for league in beside))
                    for name in systems
                ),
            ),
        ),
    )


def _value(league: League, name: str) -> CellValue:
    found: Standing | None = next((each for each in league.baselines if each.system == name), None)
    return None if found is None else found.estimate


def _difference_cell(league: League, system: str) -> CellValue:
    found: Contrast | None = next((each for each in league.above_baseline if each.a == system), None)
    if found is None or found.difference.value is None:
        return None
    p = "" if found.p_adjusted is None else f"p {p_words(found.p_adjusted)}, "
    return Noted(value=found.difference, note=f"{p}{WORDS[found.verdict]}")


def failure_sections(found: Sequence[FailureSensitivity], leagues: Sequence[League]) -> tuple[Section, ...]:
    """Table of values and differences under both failure policies; () if nothing failed.

    Args:
        found: values and differences under both choices.
        leagues: the measures that are shown.
    """
    titles = {league.measure.name: league.measure.title for league in leagues}
    shown = [each for each in found if each.measure in titles and each.shift]
    if not shown:
        return ()
    changed = [each for each in shown if each.conclusion_differs]
    verdict = (
        f"{len(changed)} differences are significant under one way of counting only; their verdicts depend on it."
        if changed
        else "No difference is significant under only one way of counting."
    )
    return (
        Section(
            title=FAILURES_TITLE,
            file="failures",
            sentences=(
                "A dialogue that failed because of the system counts as the worst outcome on measures that have "
                "a worst value. The last column leaves these dialogues out instead.",
                verdict,
            ),
            columns=columns("System or pair", "Measure", "As the worst outcome", "Left out"),
            rows=tuple(_failure_row(each, titles[each.measure]) for each in shown[:MAX_ROWS]),
        ),
    )


def _failure_row(each: FailureSensitivity, title: str) -> tuple[CellValue, ...]:
    name = each.worst.system or ""
    if each.worst.level == "difference":
        name = f"{name} minus {each.worst.versus}"
    return (name, title, estimate_of(each.worst), estimate_of(each.left_out))


def sensitivity(metric: str, leagues: Sequence[League]) -> Sensitivity:
    """Pairs of systems that two variants of a metric rank in opposite order.

    Args:
        metric: the metric's name.
        leagues: one for each variant; variants that rank nothing (no direction, no values) take no part.
    """
    orders = {league.measure.name: _leads(league) for league in leagues if league.measure.better != "neither"}
    sure = {league.measure.name: _significant_pairs(league) for league in leagues}
    systems = sorted({standing.system for league in leagues for standing in league.standings})
    flips = []
    for a, b in combinations(systems, 2):
        for_a = tuple(name for name, order in orders.items() if (a, b) in order)
        for_b = tuple(name for name, order in orders.items() if (b, a) in order)
        if for_a and for_b:
            firm = any((a, b) in sure[name] for name in for_a) and any((b, a) in sure[name] for name in for_b)
            flips.append(RankReversal(metric=metric, a=a, b=b, for_a=for_a, for_b=for_b, sure=firm))
    return Sensitivity(metric=metric, leagues=tuple(leagues), flips=tuple(flips))


def _leads(league: League) -> set[tuple[str, str]]:
    """(ahead, behind) for every pair of systems with different values."""
    values = {s.system: s.estimate.value for s in league.standings if s.estimate.value is not None}
    sign = 1 if league.measure.better == "higher" else -1
    return {(a, b) for a in values for b in values if sign * (values[a] - values[b]) > 0}


def _significant_pairs(league: League) -> set[tuple[str, str]]:
    """(better, worse) for every pair whose difference survives correction."""
    return {
        (contrast.a, contrast.b) if contrast.verdict == "a" else (contrast.b, contrast.a)
        for contrast in league.contrasts
        if contrast.verdict in ("a", "b")
    }
