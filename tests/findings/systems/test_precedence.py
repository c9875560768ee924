"""Which measure leads the answer: by what its values rest on, never because nothing is known against it."""

from collections.abc import Sequence

import pytest

from tests.findings.test_league import SURE, league
from trialogue.findings import League
from trialogue.findings.systems.answer import answer, primary_league, texts_of
from trialogue.findings.threats import Validity
from trialogue.metrics import get_card, get_metric, metric_names
from trialogue.records import Basis

OF: dict[Basis, str] = {
    Basis.OUTCOME: "need_met",
    Basis.ESTIMATE: "satisfaction",
    Basis.CRITERION: "bleu",
    Basis.REPLIES: "distinct",
}
IN_ORDER = list(Basis)


def of(basis: Basis, *, validity: Validity = Validity.FIRM, compares: bool = True, turned: bool = False) -> League:
    """A league of a measure that rests on something, in which a is better than b and c; turned: worse."""
    values: dict[str, float | None] = {"a": 0.9, "b": 0.3, "c": 0.2}
    if turned:
        values = {"a": 0.1, "b": 0.6, "c": 0.7}
    found = league(values, SURE if compares else {}, by="people" if basis is Basis.PEOPLE else "metric")
    card = None if basis is Basis.PEOPLE else get_card(OF[basis])
    measure = found.measure.model_copy(update={"card": card, "title": basis.value.capitalize()})
    contrasts = found.contrasts
    if not compares:
        contrasts = tuple(each.model_copy(update={"verdict": "undefined"}) for each in contrasts)
    return found.model_copy(update={"measure": measure, "validity": validity, "contrasts": contrasts})


def leading(leagues: Sequence[League]) -> Basis | None:
    found = primary_league(leagues)
    return None if found is None else found.measure.basis


@pytest.mark.parametrize("place", range(len(IN_ORDER) - 1))
def test_the_declared_order_decides_whatever_order_measures_come_in(place: int) -> None:
    better, worse = of(IN_ORDER[place]), of(IN_ORDER[place + 1])
    for leagues in ([better, worse], [worse, better]):
        assert leading(leagues) is IN_ORDER[place]


@pytest.mark.parametrize("place", range(len(IN_ORDER) - 1))
def test_a_threat_that_demotes_a_measure_brings_no_weaker_one_forward(place: int) -> None:
    doubted = of(IN_ORDER[place], validity=Validity.CONDITIONAL)
    assert leading([of(IN_ORDER[place + 1]), doubted]) is IN_ORDER[place]


def test_of_equals_the_one_that_nothing_is_known_against_leads() -> None:
    doubted = of(Basis.CRITERION, validity=Validity.CONDITIONAL)
    firm = of(Basis.CRITERION)
    assert primary_league([doubted, firm]) is firm


@pytest.mark.parametrize(
    "state", [{"validity": Validity.CONDITIONAL}, {"validity": Validity.BLOCKED}, {"compares": False}]
)
@pytest.mark.parametrize("basis", [basis for basis in Basis if basis is not Basis.REPLIES])
def test_diversity_leads_nothing_that_rests_on_more(basis: Basis, state: dict[str, object]) -> None:
    stronger = of(basis, **state)  # type: ignore[arg-type]
    assert leading([of(Basis.REPLIES), stronger]) in (basis, None)


def test_where_what_could_decide_is_blocked_the_answer_names_it_and_gives_no_verdict() -> None:
    leagues = [of(Basis.REPLIES), of(Basis.CRITERION, validity=Validity.BLOCKED)]
    (text, *_) = texts_of(answer(leagues, None))
    assert text == "There is no verdict: a threat blocks Criterion; Replies only describes the replies."


def test_a_measure_of_the_replies_alone_leads_nothing() -> None:
    verdict, scope = texts_of(answer([of(Basis.REPLIES)], None))
    assert verdict == "No measure here can decide which system is better: Replies only describes the replies."
    assert scope.startswith("The data contain no human judgement")


def test_a_measure_of_the_replies_that_somebody_declared_leads_with_the_remark_that_it_decides_nothing() -> None:
    league = of(Basis.REPLIES)
    *_, scope = texts_of(answer([league], None, rests_on=league.measure.measured))
    assert scope.endswith("It only describes the replies, so it does not decide which system is better.")


def test_measures_of_equal_standing_that_say_the_opposite_are_named() -> None:
    other = of(Basis.CRITERION, turned=True)
    other = other.model_copy(update={"measure": other.measure.model_copy(update={"title": "ROUGE-L"})})
    *_, scope = texts_of(answer([of(Basis.CRITERION), other], None))
    assert scope.endswith(
        "Criterion is the first of 2 measures of equal standing; ROUGE-L decides some of its pairs the other way round."
    )
    *_, alone = texts_of(answer([of(Basis.CRITERION), of(Basis.CRITERION)], None))
    assert "equal standing" not in alone


def test_every_metric_of_ours_says_what_it_rests_on() -> None:
    """Reference-based, target-based and need-based metrics on a criterion; those that only read the replies on these."""
    found = {name: get_card(name).basis for name in metric_names()}
    on_replies = {name for name, basis in found.items() if basis is Basis.REPLIES}
    assert {"distinct", "length", "repetition", "perplexity", "latency", "turns"} <= on_replies
    assert {"bleu", "rouge_l", "chrf", "meteor", "token_f1", "bertscore", "recall", "ndcg", "mrr"}.isdisjoint(
        on_replies
    )
    assert {"behavior_alignment", "implicit_alignment", "failures", "reward"}.isdisjoint(on_replies)
    assert {name for name, basis in found.items() if basis is Basis.OUTCOME} == {
        "lift",
        "need_met",
        "task_success",
        "success_rate",
    }
    assert {name for name, basis in found.items() if basis is Basis.ESTIMATE} == {
        "satisfaction",
        "impression",
        "reply_impression",
    }
    assert get_metric("satisfaction").card.is_fitted_to_people
