"""Dialogues that people and a metric see differently."""

from collections.abc import Sequence

from trialogue.findings import Example, League, Measure
from trialogue.findings.disagreement import disagreements
from trialogue.records import Dialogue, Score

PEOPLE, METRIC = "human:satisfaction", "wordiness"


def found(people: Sequence[float], metric: Sequence[float], *, better: str = "higher") -> tuple[Example, ...]:
    """Disagreements over dialogues 0, 1, ... with these values."""
    leagues = []
    for name, by, direction in ((PEOPLE, "people", "higher"), (METRIC, "metric", better)):
        measure = Measure.model_validate({"name": name, "title": name, "by": by, "better": direction, "unit": "points"})
        leagues.append(League(measure=measure, standings=(), values={"crs": (0.0,)}))
    dialogues = [Dialogue(id=str(place), system="crs", utterances=()) for place, _ in enumerate(people)]
    scores = [
        Score(measure=name, level="dialogue", value=value, system="crs", dialogue_id=str(place))
        for name, values in ((PEOPLE, people), (METRIC, metric))
        for place, value in enumerate(values)
    ]
    return disagreements(leagues, dialogues, scores)


AGREED = [float(place) for place in range(12)]


def test_what_people_like_and_the_metric_does_not_is_shown_and_the_reverse() -> None:
    metric = [11.0, *AGREED[1:-1], 0.0]  # dialogue 0: worst by people, best by the metric; dialogue 11: the reverse
    liked, praised = found(AGREED, metric)
    assert (liked.role, liked.dialogue.id, praised.role, praised.dialogue.id) == ("liked", "11", "praised", "0")
    assert praised.facts == {PEOPLE: "0", METRIC: "11"}


def test_a_metric_of_which_less_is_better_is_turned_around() -> None:
    assert found(AGREED, [-value for value in AGREED], better="lower") == ()


def test_where_they_agree_nothing_is_shown() -> None:
    assert found(AGREED, AGREED) == ()


def test_among_few_dialogues_nothing_is_shown() -> None:
    assert found([0.0, 1.0], [1.0, 0.0]) == ()


def test_a_metric_without_direction_praises_nothing() -> None:
    assert found(AGREED, AGREED[::-1], better="neither") == ()
