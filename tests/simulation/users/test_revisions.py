"""Users of products without ratings give up a wish once the agent says that nothing fits, and gain it nothing."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from trialogue.agents.baselines import Fixed
from trialogue.catalogue import Catalogue, Item
from trialogue.metrics import conversations_of, get_metric
from trialogue.metrics.engine.accumulate import Settings, accumulator_for
from trialogue.records import (
    Dialogue,
    Estimate,
    Mention,
    MentionedBy,
    ReasonCode,
    Utterance,
    read_records,
    write_records,
)
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.needs import satisfied_share
from trialogue.simulation.users.world import World

NOTHING = "I am sorry, nothing fits what you are looking for."


def shop() -> Catalogue:
    rng = np.random.default_rng(5)
    values = {
        "category": ("kettle", "lamp", "tent", "desk", "chair"),
        "brand": ("Nordal", "Mivo", "Orla"),
        "color": ("black", "white", "red"),
    }
    drawn = [{name: (str(rng.choice(known)),) for name, known in values.items()} for _ in range(200)]
    items = [Item(id=f"p{place}", title=f"Model {place} Quill", attributes=each) for place, each in enumerate(drawn)]
    return Catalogue.from_items(items)


@pytest.fixture(scope="module")
def world() -> World:
    return World(shop())


def held(world: World, says: str, *, n: int = 40) -> list[Dialogue]:
    users = load_kind("cir6-pkg").settle(world)
    runner = DialogueRunner(max_turns=8)
    return [runner(Fixed(says, name="a"), users, task) for task in Plan(("a",), ("cir6-pkg",), n, seed=2)]


def value(name: str, dialogues: Iterable[Dialogue]) -> Estimate:
    totals = accumulator_for(get_metric(name))
    totals.add(list(conversations_of(dialogues)))
    return totals.estimate("a", Settings())


def test_a_wish_is_given_up_once_and_said(world: World) -> None:
    dialogues = held(world, NOTHING)
    revised = [each for each in dialogues if each.need is not None and each.need.relaxed]
    assert len(revised) >= 30
    for each in revised:
        assert each.need is not None
        (name,) = each.need.relaxed
        said = [said for said in each.utterances if said.meta.get("relaxed")]
        assert [one.meta["relaxed"] for one in said] == [name]
        assert name in said[0].text.casefold()
        assert set(each.need.acceptable) < set(each.need.acceptable_relaxed) | set(each.need.known)
        given_up = [one.relaxable for one in each.need.constraints if one.attribute == name]
        assert given_up == [True]
        left = each.need.model_copy(
            update={"constraints": tuple(one for one in each.need.constraints if one.attribute != name)}
        )
        assert all(satisfied_share(left, world.catalogue[item]) == 1 for item in each.need.acceptable_relaxed)


def test_nobody_revises_who_was_not_told_that_nothing_fits(world: World) -> None:
    for says in ("Which color do you prefer?", "If nothing fits, tell me.", "Do none of these fit?", "I have plenty."):
        assert not [each.id for each in held(world, says, n=10) if each.need is not None and each.need.relaxed]


def test_a_declared_act_says_so_too(world: World) -> None:
    users = load_kind("cir6-pkg").settle(world)
    from trialogue.agents.base import Turn
    from trialogue.records import DialogueAct

    user = users.new("1", seed=0)
    user.start()
    user.answer(Turn((Utterance(speaker="system", text="Hm.", acts=(DialogueAct(intent="Nothing-Fits"),)),)))
    assert user.need.relaxed  # type: ignore[attr-defined]


def test_users_do_not_revise_where_an_item_was_just_put_forward(world: World) -> None:
    from trialogue.agents.base import Turn

    user = load_kind("cir6-pkg").settle(world).new("1", seed=0)
    user.start()
    other = next(item for item in world.catalogue.values() if item.id not in user.need.acceptable)  # type: ignore[attr-defined]
    text = f"{other.title} is a good one."
    mention = Mention(title=other.title, item_id=other.id, start=0, end=len(other.title), by=MentionedBy.DECLARED)
    user.answer(Turn((Utterance(speaker="system", text=text, mentions=(mention,)),)))
    user.answer(Turn((Utterance(speaker="system", text=NOTHING),)))
    assert not user.need.relaxed  # type: ignore[attr-defined]
    user.answer(Turn((Utterance(speaker="system", text=NOTHING),)))
    assert user.need.relaxed  # type: ignore[attr-defined]


def test_who_always_says_that_nothing_fits_gains_nothing(world: World) -> None:
    dialogues = held(world, NOTHING)
    assert value("need_met", dialogues).value == 0
    assert value("lift", dialogues).value == 0
    assert value("need_met_after_revision", dialogues).value == 0


def test_what_is_left_is_met_in_a_column_of_its_own(world: World, tmp_path: Path) -> None:
    (first, *_) = [each for each in held(world, NOTHING) if each.need is not None and each.need.relaxed]
    assert first.need is not None
    only_relaxed = next(item for item in first.need.acceptable_relaxed if item not in first.need.acceptable)
    title = world.catalogue[only_relaxed].title
    mention = Mention(title=title, item_id=only_relaxed, start=0, end=len(title))
    said = (
        Utterance(speaker="user", text="Hi", mentions=()),
        Utterance(speaker="system", text=title, mentions=(mention,)),
    )
    accommodating = first.model_copy(update={"utterances": (*first.utterances, *said)})
    linked = [
        each if each.mentions is not None else each.model_copy(update={"mentions": ()})
        for each in accommodating.utterances
    ]
    accommodating = accommodating.model_copy(update={"utterances": tuple(linked)})
    assert value("need_met", [accommodating]).value == 0
    assert value("need_met_after_revision", [accommodating]).value == 1
    unrevised = first.model_copy(
        update={"need": first.need.model_copy(update={"relaxed": (), "acceptable_relaxed": ()})}
    )
    why = value("need_met_after_revision", [unrevised]).why
    assert why is not None
    assert why.code is ReasonCode.NEED_NOT_REVISED
    write_records(tmp_path / "d.jsonl", [accommodating])
    assert list(read_records(tmp_path / "d.jsonl", Dialogue)) == [accommodating]
