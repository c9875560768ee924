"""Select example dialogues: the extremes of the primary measure, for the leading and the last system."""

from collections.abc import Collection, Iterable, Sequence

from trialogue.findings.records import Example
from trialogue.findings.standings import League
from trialogue.records import Dialogue, Score
from trialogue.records.scores.score_table import ScoreTable

EACH = 2  # best and worst dialogues shown; a reader opens few


def examples(
    league: League | None,
    dialogues: Sequence[Dialogue],
    scores: Iterable[Score],
    *,
    beside: Collection[str],
    units: ScoreTable | None = None,
) -> tuple[Example, ...]:
    """Best dialogues of the leading system and worst ones of the last system, by the league's measure.

    Ties are broken by id, so that the choice is the same in every run. Empty where no dialogue has a value.

    Args:
        league: what "best" means.
        dialogues: those that may be shown.
        scores: scores of single dialogues, of all measures; raters' scores of one dialogue are averaged.
        units: further scores of single dialogues.
        beside: measures whose values are shown beside a dialogue, by full name.
    """
    if league is None:
        return ()
    values = values_by_dialogue(scores, units)
    ranked = [standing.system for standing in league.standings if standing.estimate.value is not None]
    if not ranked:
        return ()
    sign = 1.0 if league.measure.better == "lower" else -1.0
    chosen: list[Example] = []
    for role, system, direction in (("best", ranked[0], sign), ("worst", ranked[-1], -sign)):
        found = [
            (direction * facts[league.measure.name], dialogue.id, dialogue, facts)
            for dialogue in dialogues
            if dialogue.system == system
            and (facts := values.get((system, dialogue.id), {}))
            and league.measure.name in facts
        ]
        for _, _, dialogue, facts in sorted(found, key=lambda entry: entry[:2])[:EACH]:
            chosen.append(
                Example(
                    dialogue=dialogue,
                    role="best" if role == "best" else "worst",
                    measure=league.measure.name,
                    value=facts[league.measure.name],
                    facts={name: f"{value:.3g}" for name, value in sorted(facts.items()) if name in beside},
                )
            )
    return tuple(chosen)


def values_by_dialogue(
    scores: Iterable[Score], units: ScoreTable | None = None
) -> dict[tuple[str, str], dict[str, float]]:
    """Dialogue values by (system, dialogue), then by measure; several raters' scores are averaged."""
    sums: dict[tuple[str, str], dict[str, list[float]]] = {}
    for score in scores:
        if score.level == "dialogue" and score.value is not None and score.system and score.dialogue_id:
            sums.setdefault((score.system, score.dialogue_id), {}).setdefault(score.measure, []).append(score.value)
    for system, dialogue, measure, value in () if units is None else units.dialogue_values():
        sums.setdefault((system, dialogue), {}).setdefault(measure, []).append(value)
    return {
        key: {measure: sum(found) / len(found) for measure, found in measures.items()} for key, measures in sums.items()
    }
