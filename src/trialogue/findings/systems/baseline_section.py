"""Report section on each system's margin over baselines that ignore the user."""

from collections.abc import Sequence

from trialogue.findings.records import CellValue, Noted, Section, columns
from trialogue.findings.standings import Contrast, League, Standing
from trialogue.findings.wording import p_words

TITLE = "Better than baselines that ignore the user?"
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
            title=TITLE,
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
