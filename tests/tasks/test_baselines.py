"""Baselines: published values, an oracle by hand, and agents that play through the tools."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.tasks.players import Asker, Constant, Listener, Player, RandomItem, learn_catalogue, play_exactly
from trialogue.catalogue.catalogue import Search
from trialogue.errors import UsageError
from trialogue.tasks import Baseline, Ends, Task, TaskSet, Trial, Wish, baselines_of, read_task_set
from trialogue.tasks.task import Catalogue, Op, Policy, Reveal

PUBLISHED = {  # computed by the authors of the specification, independently of this code
    "abstain": 0.0667,
    "constant": 0.2667,
    "random": 0.0316,
    "non-asker": 0.6887,
    "asker": 0.9181,
    "oracle": 1.0,
}


@pytest.fixture(scope="module")
def tau_rec(mirror: Path) -> TaskSet:
    return read_task_set(mirror / "tau_rec")


@pytest.mark.mirror
def test_baselines_of_tau_rec_have_their_known_values(tau_rec: TaskSet) -> None:
    found = {each.baseline.value: round(float(each.mean.reward), 4) for each in baselines_of(tau_rec)}
    assert found == PUBLISHED


@pytest.mark.mirror
def test_every_answer_key_of_tau_rec_is_reproduced(tau_rec: TaskSet, mirror: Path) -> None:
    import json

    keys = json.loads((mirror / "tau_rec" / "answers.json").read_text(encoding="utf-8"))
    assert len(keys) == len(tau_rec.tasks) == 30
    for task in tau_rec.tasks:
        key, fitting = keys[task.id], tau_rec.catalogue.fitting(task)
        assert set(fitting) == set(key["constraint_solutions"])
        reachable = {name for name in fitting if task.services and task.is_available(tau_rec.catalogue.items[name])}
        assert reachable == set(key["reachable_solutions"])
        assert task.solvable is not key["no_valid_recommendation"]


def test_a_small_set_agrees_with_arithmetic_by_hand() -> None:
    years = (1990, 2000, 2010)
    items: list[Any] = [{"id": f"{genre}{year}", "genres": [genre], "year": year} for genre in "ab" for year in years]
    first, late = (
        Wish(field="genres", op=Op.CONTAINS, value="a"),
        Wish(field="year", op=Op.AT_LEAST, value=2000, reveal=Reveal.ON_ASK),
    )
    early = Wish(field="year", op=Op.AT_MOST, value=2005, reveal=Reveal.HIDDEN)
    tasks = TaskSet((Task(id="t", wishes=(first, late, early)),), Catalogue.of(items))  # only a2000 fits

    def rewards(ends: Ends) -> list[Fraction]:
        return [each.mean.reward for each in baselines_of(tasks, ends=ends)]

    # one of six items; of three "a"; of two "a" from 2000 on
    assert rewards(Ends.RECOMMEND) == [0, 1, Fraction(1, 6), Fraction(1, 3), Fraction(1, 2), 1]
    # rejected items say why, until the right one is left
    assert rewards(Ends.ACCEPTED) == [0, 1, Fraction(1, 6), 1, 1, 1]
    # Two turns, asking nothing: a2000 (1/3) at once; a1990 (1/3) says ">= 2000", a2010 (1/3) "<= 2005", then 1/2 each.
    few = [each.mean.reward for each in baselines_of(tasks, ends=Ends.ACCEPTED, max_turns=2)]
    assert few[3:] == [Fraction(2, 3), Fraction(1, 2), 1]
    with pytest.raises(UsageError, match="at least 2 turns"):
        baselines_of(tasks, max_turns=1)


def agrees(tasks: TaskSet, *, ends: Ends = Ends.RECOMMEND, max_turns: int = 20) -> None:
    search = Search(tasks.catalogue.items)
    items = learn_catalogue(Trial(tasks.tasks[0], tasks.catalogue, search=search, max_calls=100_000))
    assert items.items.keys() == tasks.catalogue.items.keys()
    found = {each.baseline: each for each in baselines_of(tasks, ends=ends, max_turns=max_turns)}
    players: dict[Baseline, Callable[[Task], Player]] = {
        Baseline.ABSTAIN: lambda task: Constant(None),
        Baseline.CONSTANT: lambda task: Constant(found[Baseline.CONSTANT].item),
        Baseline.RANDOM: lambda task: RandomItem(items),
        Baseline.NON_ASKER: lambda task: Listener(items),
        Baseline.ASKER: lambda task: Asker(items),
        Baseline.ORACLE: lambda task: Listener(items, knows=task.wishes),
    }
    for task in tasks.tasks:

        def start(task: Task = task) -> Trial:
            return Trial(task, tasks.catalogue, ends=ends, search=search, max_turns=max_turns)

        for name, make in players.items():
            assert play_exactly(make(task), start) == found[name].tasks[task.id], (task.id, name)


@pytest.mark.mirror
def test_agents_that_play_tau_rec_through_its_tools_equal_the_baselines_exactly(tau_rec: TaskSet) -> None:
    agrees(tau_rec)


@pytest.mark.parametrize(
    ("ends", "turns"), [(Ends.RECOMMEND, 20), (Ends.ACCEPTED, 20), (Ends.ACCEPTED, 2), (Ends.ACCEPTED, 3)]
)
def test_agents_that_play_a_small_set_equal_the_baselines_exactly(ends: Ends, turns: int) -> None:
    genres = [["Drama"], ["Drama", "Horror"], ["Comedy"], ["Horror"], ["Comedy", "Drama"], ["Horror", "Comedy"]]
    facts = zip(range(12), [*genres, *genres], ["R", "PG", "NC-17"] * 4, strict=True)
    items: list[Any] = [
        {
            "id": f"i{number}",
            "title": f"the film {number}",
            "genres": kinds,
            "year": 1990 + number,
            "content_rating": rating,
            "sponsored": number % 4 == 0,
            "streaming_services": ["one"] if number % 3 else ["two"],
        }
        for number, kinds, rating in facts
    ]

    def made(name: str, *wishes: tuple[str, str, object, str], **more: object) -> Task:
        said = [{"field": field, "op": op, "value": value, "reveal": reveal} for field, op, value, reveal in wishes]
        return Task.model_validate({"id": name, "wishes": said, **more})

    drama, late = ("genres", "contains", "Drama", "volunteer"), ("year", ">=", 1994, "hidden")
    no_horror, early = ("genres", "not_contains", "Horror", "on_ask"), ("year", "<=", 1999, "on_ask")
    every = [each.value for each in Policy]
    tasks = (
        made("plain", drama, late, no_horror, early),
        made("all rules", drama, late, no_horror, policies=every, services=["one"], watched=["i4"]),
        made("no services", no_horror, late, early, policies=["availability", "watch_history"], watched=["i8"]),
        made(
            "nothing fits",
            drama,
            ("year", ">=", 2050, "on_ask"),
            solvable=False,
            policies=["transparency", "recommend_tool"],
        ),
        made("nothing fits, quietly", drama, ("year", ">=", 2050, "hidden"), solvable=False, policies=every),
    )
    agrees(TaskSet(tasks, Catalogue.of(items)), ends=ends, max_turns=turns)
