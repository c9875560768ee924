"""Whether other sides put the systems in the order of the answer."""

import pytest

from trialogue.findings import Contrast, League, Measure, Standing, StatementKind
from trialogue.findings.systems.answer import answer
from trialogue.findings.threat import Validity
from trialogue.metrics import get_metric
from trialogue.records import Estimate, Interval, Reason, ReasonCode


def estimate(value: float) -> Estimate:
    interval = Interval(low=value - 0.05, high=value + 0.05, method="t")
    return Estimate(value=value, interval=interval, n=99, clusters=99)


def league(verdict: str, metric: str = "", users: str = "") -> League:
    """Two systems, a and b, by people or on a metric."""
    if metric:
        found = get_metric(metric)
        fields = {"name": found.measure, "title": found.card.title, "card": found.card, "unit": found.card.unit}
        measure = Measure.model_validate({**fields, "by": "metric", "better": found.card.better})
    else:
        measure = Measure(name="human:liking", title="Liking", by="people", better="higher", unit="points")
    measure = measure.with_simulated(users) if users else measure
    gap = {"a": 0.3, "b": -0.3}.get(verdict, 0.0)
    contrast = Contrast.model_validate(
        {"a": "a", "b": "b", "difference": estimate(gap), "p_adjusted": 0.001 if gap else 0.7, "verdict": verdict}
    )
    return League(
        measure=measure,
        standings=tuple(
            Standing(system=name, estimate=estimate(value), rank_low=1, rank_high=2)
            for name, value in sorted({"a": 0.5 + gap / 2, "b": 0.5 - gap / 2}.items(), key=lambda one: -one[1])
        ),
        contrasts=(contrast,),
    )


def sides(*leagues: League) -> str:
    return " ".join(each.text for each in answer(leagues, None) if each.kind_of is StatementKind.SIDES)


def test_a_contradiction_is_said_with_its_size() -> None:
    text = sides(league("a"), league("b", "satisfaction"))
    assert text.startswith("The sides disagree: on Estimated satisfaction")
    assert "b is significantly better than a (by 0.30 [0.25, 0.35], p = .001)" in text


def test_agreement_and_indecision_are_said() -> None:
    assert "agrees with this order" in sides(league("a"), league("a", "satisfaction"))
    assert "finds no significant difference" in sides(league("a"), league("inconclusive", "satisfaction"))
    text = sides(league("inconclusive"), league("b", "satisfaction"))
    assert text.startswith("Other measures decide: on Estimated satisfaction")


def test_each_kind_of_simulated_users_is_a_side() -> None:
    text = sides(league("a"), league("b", "lift", "cir6-pkg"), league("a", "lift", "qrfa-single"))
    assert "on Lift (cir6-pkg)" in text
    assert "Lift (qrfa-single) agrees with this order" in text


@pytest.mark.parametrize("metric", ["bleu", "distinct", "length"])
def test_what_estimates_nothing_of_people_is_no_side(metric: str) -> None:
    assert sides(league("a"), league("b" if metric != "length" else "inconclusive", metric)) == ""


def test_need_met_stands_beside_lift() -> None:
    assert "Need met agrees with this order" in sides(league("a", "lift"), league("a", "need_met"))


def three(metric: str, values: dict[str, float], decided: dict[tuple[str, str], str]) -> League:
    """Three systems; pairs that are not decided are blocked."""
    base = league("a", metric)
    contrasts = [
        base.contrasts[0].model_copy(update={"a": a, "b": b, "verdict": verdict}) for (a, b), verdict in decided.items()
    ]
    standings = [
        base.standings[0].model_copy(update={"system": name}) for name in sorted(values, key=lambda n: -values[n])
    ]
    return base.model_copy(update={"contrasts": tuple(contrasts), "standings": tuple(standings)})


def test_a_side_that_decides_some_pairs_agrees_on_these_alone() -> None:
    names = {"a": 0.9, "b": 0.5, "c": 0.1}
    lift = three("lift", names, {("a", "b"): "a", ("a", "c"): "a", ("b", "c"): "a"})
    served = three("need_met", names, {("a", "b"): "a", ("a", "c"): "inconclusive", ("b", "c"): "undefined"})
    text = sides(lift, served)
    assert "Need met agrees on 1 of these 3 pairs" in text
    assert "with this order" not in text


def test_a_blocked_pair_is_not_said_to_have_too_few_data() -> None:
    blocked = league("undefined").contrasts[0].model_copy(update={"validity": Validity.BLOCKED})
    base = league("undefined")
    standings = tuple(each.model_copy(update={"rank_low": None, "rank_high": None}) for each in base.standings)
    found = base.model_copy(update={"contrasts": (blocked,), "standings": standings})
    assert answer([found], None)[0].text == "There is no verdict on Liking: a threat blocks it."
    tested = base.model_copy(update={"contrasts": league("inconclusive").contrasts, "standings": standings})
    assert "a and b do not differ significantly" in answer([tested], None)[0].text


def test_a_question_that_one_system_was_asked_compares_nothing() -> None:
    base = league("a")
    other = base.standings[1].model_copy(
        update={"estimate": Estimate(value=None, why=Reason.of(ReasonCode.VALUE_MISSING_IN_RUN)), "rank_low": None}
    )
    found = base.model_copy(update={"contrasts": (), "standings": (base.standings[0], other)})
    assert answer([found], None)[0].text.endswith("on Liking; no other system has a value.")
