"""How far systems are above baselines that ignore the user, as a section of a report."""

from collections.abc import Sequence

from trialogue.findings.records import Contrast, League, Section, Standing
from trialogue.findings.systems.answer import titled
from trialogue.findings.wording import decimals, p_words, written

TITLE = "Better than baselines that ignore the user?"
WORDS = {"a": "above", "b": "below", "inconclusive": "inconclusive", "undefined": "not compared"}
WHAT = {
    "random-human": "any reply",
    "same-turn": "replies of the same turn",
    "majority": "replies with the strategy that is most frequent",
    "context": "replies with the strategy predicted from what both sides did before, not from what they said",
}
"""Whose replies each floor takes; others are not described."""


METHOD = (
    "Baselines repeat replies of human recommenders in other dialogues; the value of each is the mean over all that it may "
    "take, its error from a jackknife that takes a dialogue away from what is answered and from what is lent. Systems were "
    "compared with the best baseline of a measure, with p-values corrected over the systems."
)


def floor_methods(leagues: Sequence[League]) -> tuple[str, ...]:
    """How floors were measured, in sentences for a paper; () where there are none."""
    return (METHOD,) if any(league.floors for league in leagues) else ()


def floor_sections(leagues: Sequence[League]) -> tuple[Section, ...]:
    """A table of the floors, and of each system less the best one, by measure; () where no measure has floors."""
    beside = [league for league in leagues if any(each.estimate.value is not None for each in league.floors)]
    if not beside:
        return ()
    floors = list(dict.fromkeys(each.system for league in beside for each in league.floors))
    systems = list(dict.fromkeys(each.a for league in beside for each in league.above_floor))
    return (
        Section(
            title=TITLE,
            sentences=(
                "A score means nothing alone. Baselines repeat what human recommenders said in other dialogues; the value "
                "of each is the mean over all replies that it may take.",
                *(f"{name} takes {WHAT[name]}." for name in floors if name in WHAT),
                "The last rows: each system less the best baseline, with p corrected over the systems.",
            ),
            heads=("", *(titled(league) for league in beside)),
            rows=(
                *((name, *(_value(league, name) for league in beside)) for name in floors),
                *((f"{name}, less the best", *(_less(league, name) for league in beside)) for name in systems),
            ),
        ),
    )


def _value(league: League, name: str) -> str:
    found: Standing | None = next((each for each in league.floors if each.system == name), None)
    if found is None or found.estimate.value is None:
        return "—"
    return written(found.estimate, digits=_decimals(league))


def _less(league: League, system: str) -> str:
    found: Contrast | None = next((each for each in league.above_floor if each.a == system), None)
    if found is None or found.difference.value is None:
        return "—"
    p = "" if found.p_adjusted is None else f", p {p_words(found.p_adjusted)}"
    return f"{written(found.difference, digits=_decimals(league))}{p}, {WORDS[found.verdict]}"


def _decimals(league: League) -> int:
    """The same for all values of a measure."""
    values = [each.estimate for each in (*league.floors, *league.standings)]
    return decimals([*values, *(each.difference for each in league.above_floor)])
