"""Which metrics are taken when none are named."""

from tests.metrics.acts import acted
from tests.metrics.satisfaction.test_metric import talk
from trialogue.analysis import default_metrics as defaults
from trialogue.analysis.default_metrics import default_metrics
from trialogue.findings.validity import chance_card
from trialogue.metrics import conversations_of, get_metric
from trialogue.records import Dialogue


def chosen(*dialogues: Dialogue) -> list[str]:
    return [metric.measure.partition("@")[0] for metric in default_metrics(list(conversations_of(dialogues)))]


def test_dialogues_with_acts_are_measured_by_them_first() -> None:
    names = chosen(acted("u:Disclose", "a:List", "u:Note-end", "a:Record", ended_by="agenda_empty"))
    assert names[:2] == ["rounds_until_acceptance", "failures"]
    assert not {"task_success", "turn_success", "reward"} & set(names)  # on request: users' acts can be guessed
    assert "latency" not in names


def test_plain_dialogues_and_those_of_another_action_space_are_not() -> None:
    for words in (("u", "a"), ("u:greet", "a:recommend")):
        names = chosen(acted(*words))
        assert not {"rounds_until_acceptance", "failures"} & set(names)
        assert "turns" in names


def test_waiting_times_are_a_measure_where_they_were_kept() -> None:
    dialogue = acted("u", "a")
    waited = dialogue.utterances[1].model_copy(update={"meta": {"latency_s": 0.5}})
    assert "latency" in chosen(dialogue.model_copy(update={"utterances": (dialogue.utterances[0], waited)}))


def test_an_answer_without_people_rests_on_what_goes_with_people_best() -> None:
    names = chosen(talk("a good movie, please", "How about Heat with Al Pacino?"))
    assert names[0] == "satisfaction"
    assert names.index("satisfaction") < names.index("distinct(n=2)")


def test_no_default_ranks_systems_that_is_known_to_agree_with_people_no_better_than_chance() -> None:
    names = [name for held in vars(defaults).values() if isinstance(held, tuple) for name in held if "@" in name]
    ranking = [metric for metric in map(get_metric, names) if metric.card.better != "neither"]
    assert len(ranking) > 20
    assert [metric.measure for metric in ranking if chance_card(metric.measure)] == []
    assert chance_card(get_metric("repetition@self").measure)
    assert chance_card(get_metric("distinct(n=2)@ratio").measure)
