"""Rank flips between variants are found; examples come from the ends of the primary measure."""

from tests.findings.test_league import SURE, league
from trialogue.findings import League
from trialogue.findings.examples import examples
from trialogue.findings.systems.beside import sensitivity
from trialogue.records import Dialogue, Score


def named(found: League, name: str) -> League:
    return found.model_copy(update={"measure": found.measure.model_copy(update={"name": name})})


def test_a_pair_that_two_variants_order_differently_is_a_flip() -> None:
    one = named(league({"a": 0.9, "b": 0.5}, {("a", "b"): 0.001}), "m@one")
    two = named(league({"a": 0.3, "b": 0.5}, {("a", "b"): 0.001}), "m@two")
    three = named(league({"a": 0.4, "b": 0.5}, {("a", "b"): 0.4}), "m@three")
    (flip,) = sensitivity("m", [one, two, three]).flips
    assert (flip.a, flip.b, flip.for_a, flip.for_b, flip.sure) == ("a", "b", ("m@one",), ("m@two", "m@three"), True)
    assert not sensitivity("m", [one, three]).flips[0].sure


def test_variants_that_agree_flip_nothing() -> None:
    one, two = named(league({"a": 0.9, "b": 0.5}, {}), "m@one"), named(league({"a": 9.0, "b": 5.0}, {}), "m@two")
    assert sensitivity("m", [one, two]).flips == ()


def test_variants_without_direction_take_no_part() -> None:
    one = named(league({"a": 0.9, "b": 0.5}, {}), "m@one")
    two = named(league({"a": 0.1, "b": 0.5}, {}, better="neither"), "m@two")
    assert sensitivity("m", [one, two]).flips == ()


def dialogues() -> list[Dialogue]:
    return [Dialogue(id=f"{system}{i}", system=system, utterances=()) for system in "abc" for i in range(4)]


def test_examples_are_the_best_of_the_leader_and_the_worst_of_the_last() -> None:
    found = league({"a": 0.9, "b": 0.3, "c": 0.2}, SURE)
    scores = [
        Score(measure="m", level="dialogue", value=float(d.id[1]), system=d.system, dialogue_id=d.id)
        for d in dialogues()
    ]
    chosen = examples(found, dialogues(), scores, beside=["m"])
    assert [(each.role, each.dialogue.id, each.value) for each in chosen] == [
        ("best", "a3", 3.0),
        ("best", "a2", 2.0),
        ("worst", "c0", 0.0),
        ("worst", "c1", 1.0),
    ]
    assert chosen[0].facts == {"m": "3"}


def test_ratings_of_one_dialogue_by_several_people_are_averaged() -> None:
    found = league({"a": 0.9}, {})
    scores = [
        Score(measure="m", level="dialogue", value=v, system="a", dialogue_id="a0", rater=r)
        for v, r in ((1, "x"), (0, "y"))
    ]
    assert examples(found, dialogues(), scores, beside=[])[0].value == 0.5


def test_without_values_there_are_no_examples() -> None:
    assert examples(None, dialogues(), [], beside=[]) == ()
    assert examples(league({"a": 0.9}, {}), dialogues(), [], beside=[]) == ()
