"""The plug-in point: kinds of simulated users by name, folder, file and ``module:Name``."""

from pathlib import Path
from typing import Any

import pytest

from tests.simulation.made import books, film_ratings, films
from tests.simulation.standin import Talker
from trialogue.agents.base import Turn
from trialogue.errors import DataError, TrialogueError, UnknownNameError
from trialogue.records import Need, Utterance
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import UserKind, kind_mistakes, load_kind
from trialogue.simulation.users.user import Stop
from trialogue.simulation.users.world import NeedsByCase, World


class Asker:
    """A user of one's own: says one thing, and is after something."""

    def __init__(self, need: Need) -> None:
        self.need = need

    def start(self, greeting: Turn | None = None) -> Utterance | Stop:
        return Utterance(speaker="user", text="Something good, please.")

    def answer(self, turn: Turn) -> Utterance | Stop:
        return Stop("user_ended")

    def resume(self, history: Any) -> None:
        pass


class Askers:
    def __init__(self, world: World) -> None:
        self.world = world
        self.cases = NeedsByCase.of_world(world, attributes=("genre",))

    def new(self, case: str, *, seed: int) -> Asker:
        return Asker(self.cases.draw(case, seed=seed).need)


class AskerKind:
    name = "askers"

    def __init__(self, tone: str = "polite") -> None:
        self.tone = tone

    def with_options(self, **changes: Any) -> "AskerKind":
        if set(changes) - {"tone"}:
            raise UnknownNameError("option of askers", next(iter(changes)), ["tone"])
        return AskerKind(**changes)

    def settle(self, world: World) -> Askers:
        return Askers(world)


KIND = AskerKind()


def no_kind() -> int:
    return 3


def test_a_kind_of_ones_own_takes_part_with_a_need_that_is_kept_with_the_dialogue() -> None:
    kind = load_kind(f"{__name__}:AskerKind", tone="curt")
    assert isinstance(kind, UserKind)
    users = kind.settle(World(films(), film_ratings()))
    dialogue = DialogueRunner()(Talker("talker"), users, Plan(("talker",), ("askers",), 1)[0])
    assert dialogue.need is not None
    assert dialogue.need.is_resolved
    assert dialogue.cluster == f"need:{dialogue.need.id}"
    assert dialogue.user == "askers/1"


def test_all_kinds_meet_the_same_needs_and_so_do_all_agents() -> None:
    world = World(films(), film_ratings())
    own, ours = load_kind(f"{__name__}:KIND").settle(world), load_kind("cir6-pkg").settle(world)
    for case in "123":
        assert own.new(case, seed=4).need == ours.new(case, seed=4).need  # type: ignore[attr-defined]


def test_a_file_describes_users(tmp_path: Path) -> None:
    file = tmp_path / "users.yaml"
    file.write_text("users: cir6-pkg\npatience: 2\n")
    assert load_kind(file).options.patience == 2  # type: ignore[attr-defined]
    file.write_text("patience: 2\n")
    with pytest.raises(DataError, match="is not a kind of user"):
        load_kind(file)


def test_what_is_no_kind_is_refused_and_so_are_wrong_options() -> None:
    with pytest.raises(UnknownNameError, match="It returned int"):
        load_kind(f"{__name__}:no_kind")
    with pytest.raises(UnknownNameError, match="cir7"):
        load_kind("cir7")
    assert [option for option, _ in kind_mistakes("cir6-pkg", {"patients": 2, "typos": "x"})] == ["patients", "typos"]
    assert [str(error)[:30] for _, error in kind_mistakes(f"{__name__}:KIND", {"volume": 2})] == [
        "There is no option of askers '"
    ]
    assert kind_mistakes(f"{__name__}:KIND", {"tone": "curt"}) == []


def test_ratings_of_other_items_are_refused_and_no_ratings_are_not() -> None:
    with pytest.raises(TrialogueError):
        load_kind("cir6-pkg").settle(World(books(), film_ratings()))
    asker = load_kind(f"{__name__}:KIND").settle(World(films())).new("1", seed=0)
    assert asker.need.source == "catalogue"  # type: ignore[attr-defined]
