"""Hidden needs: few items satisfy them, they follow from what a user likes, and every agent meets the same ones."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from tests.simulation.made import books, film_ratings, films, rng
from trialogue.catalogue import Catalogue, Item, Ratings, Scale
from trialogue.records import Constraint, Mention, Need, NeedSource, Utterance
from trialogue.simulation import Users
from trialogue.simulation.bundled import bundled_users
from trialogue.simulation.preferences import NeedPreferences, SingleItem
from trialogue.simulation.profiles import LIKED, Profile
from trialogue.simulation.users.needs import DECADE, Needs, decade_of, resolve_mentions, satisfied_share
from trialogue.simulation.users.world import NeedsByCase, World

USERS = Users(bundled_users("cir6-pkg"), films(), film_ratings())


def needs(n: int = 200) -> list[Need]:
    found = [USERS.new(str(case), seed=1).need for case in range(n)]
    return [need for need in found if need is not None]


def test_at_most_two_percent_of_the_catalogue_satisfy_a_need_and_at_least_one_item_does() -> None:
    most = int(0.02 * len(films()))  # 9 of 476
    assert all(1 <= len(need.acceptable) <= most for need in needs())
    assert all(set(need.targets) <= set(need.acceptable) and need.targets for need in needs())


def test_what_is_acceptable_is_what_satisfies_every_constraint_and_is_not_known() -> None:
    for need in needs(50):
        right = {item.id for item in films().values() if satisfied_share(need, item) == 1} - set(need.known)
        assert set(need.acceptable) == right
        assert need.constraints
        assert need.examples[0] in need.known


def test_equal_needs_have_equal_ids_and_others_have_others() -> None:
    again = Users(bundled_users("qrfa-single"), films(), film_ratings())
    assert [need.id for need in needs(50)] == [again.new(str(case), seed=1).need.id for case in range(50)]  # type: ignore[union-attr]
    assert len({need.id for need in needs()}) == 200
    assert all(one.id != other.id for one, other in pairwise(needs(20)))


def test_a_need_without_ratings_begins_with_an_item_of_the_catalogue() -> None:
    need = Needs(films(), attributes=("genre",)).of_catalogue(rng(3))
    assert need.source is NeedSource.CATALOGUE
    assert len(need.known) == 1
    assert not set(need.acceptable) & set(need.known)


def test_where_nothing_narrows_a_catalogue_down_the_need_is_one_item() -> None:
    alike = Catalogue.from_items(
        Item(id=f"{n}", title=f"Thing {n}", attributes={"kind": ("same",)}) for n in range(200)
    )
    need = Needs(alike, attributes=("kind",)).of_catalogue(rng(0))
    assert len(need.acceptable) == 1
    assert need.constraints == ()
    everything_known = Profile("u", {"b0": 5.0}, Catalogue.from_items([books()["b0"]]))
    one = Needs(Catalogue.from_items([books()["b0"]]), attributes=("subject",)).of_profile(everything_known, rng(0))
    assert one.acceptable == ("b0",)


def test_a_decade_is_a_constraint_like_any_other() -> None:
    item = Item(id="1", title="Heat", year=1995, attributes={"genre": ("Crime",)})
    need = Need(
        id="n",
        constraints=(
            Constraint(attribute="genre", values=("Crime", "Drama")),
            Constraint(attribute=DECADE, values=("1980s",), relaxable=True),
        ),
        acceptable=("2",),
    )
    assert decade_of(item) == "1990s"
    assert satisfied_share(need, item) == 0.5  # one of two
    assert decade_of(Item(id="2", title="It")) is None


def test_users_say_what_they_are_after_and_take_nothing_else() -> None:
    profile = Profile("u", {"heat-1995": 5.0} if "heat-1995" in films() else {next(iter(films())): 5.0}, films())
    need = Need(
        id="n",
        constraints=(
            Constraint(attribute="genre", values=("Western",)),
            Constraint(attribute="genre", values=("Comedy",)),
            Constraint(attribute=DECADE, values=("1970s",)),
        ),
        acceptable=("x",),
        examples=("a", "b"),
    )
    wants = NeedPreferences(SingleItem(profile), need)
    assert wants.undisclosed == {"genre", DECADE}
    assert [wants.value("genre", rng()) for _ in range(2)] == ["Western", "Comedy"]
    assert wants.value(DECADE, rng()) == "1970s"
    assert wants.undisclosed == frozenset()
    assert wants.value("genre", rng()) in ("Western", "Comedy")
    assert wants.opinion("x", rng()) == LIKED
    assert wants.focus(["a", "x", "b"]) == "x"
    assert wants.focus(["a", "b"]) == "b"
    assert wants.wanted_item(rng(), but=("a",)) == "b"


def test_a_user_whose_opinions_decide_likes_nothing_but_what_satisfies_the_need() -> None:
    user = USERS.new("7", seed=1)
    need = user.need
    assert need is not None
    wants = user._telling.preferences
    liked = {item for item in films() if wants.opinion(item, rng()) == LIKED}
    assert liked - set(need.known) == set(need.acceptable)


def test_what_was_named_is_looked_up_in_the_catalogue_whatever_ids_the_agent_uses() -> None:
    films_ = Catalogue.from_items(
        [
            Item(id="1", title="Heat", year=1995, attributes={"genre": ("Crime",)}),
            Item(id="2", title="Big", year=1988, attributes={"genre": ("Comedy",)}),
        ]
    )
    need = Need(id="n", constraints=(Constraint(attribute="genre", values=("Crime",)),), acceptable=("1",))
    said = (
        Utterance(speaker="user", text="hi", mentions=()),
        Utterance(
            speaker="system",
            text="Heat, Big or Xyz",
            mentions=(
                Mention(title="Heat (1995)", item_id="tt0113277"),
                Mention(title="Big", item_id="2"),
                Mention(title="Xyz", item_id="tt9"),
            ),
        ),
    )
    messages, found = resolve_mentions(said, need, films_, None)
    assert [mention.item_id for mention in messages[1].mentions or ()] == ["1", "2", "tt9"]
    assert found.fits == {"1": 1.0, "2": 0.0}
    assert found.is_resolved
    assert messages[0] is said[0]


@pytest.mark.parametrize("kind", ["cir6-pkg", "qrfa-single"])
def test_users_of_another_domain_have_needs_they_can_word(kind: str) -> None:
    from tests.simulation.made import book_ratings

    readers = Users(bundled_users(kind).with_options(profile_size=3), books(), book_ratings())
    need = readers.new("1", seed=0).need
    assert need is not None
    assert {each.attribute for each in need.constraints} <= {"subject"}
    assert len(need.acceptable) == 1  # a tenth of ten books is the least there can be


def shop(seed: int, *, items: int = 200, rated: float = 0.8) -> World:
    """Products with two to four attributes, of which few have nearly all ratings, and some have none."""
    draw = np.random.default_rng(seed)
    names = ("category", "brand", "color", "size")[: int(draw.integers(3, 5))]
    sizes = {name: int(draw.integers(4, 10)) for name in names}
    catalogue = Catalogue.from_items(
        Item(
            id=f"p{number}",
            title=f"Product {number}",
            attributes={n: (f"{n} {draw.integers(k)}",) for n, k in sizes.items()},
        )
        for number in range(items)
    )
    some = max(20, int(items * rated))
    popularity = 1 / np.arange(1, some + 1)
    rows = [
        (f"u{person}", f"p{item}", float(draw.integers(2, 6)))
        for person in range(100)
        for item in draw.choice(some, 15, replace=False, p=popularity / popularity.sum()).tolist()
    ]
    return World(catalogue, Ratings.from_rows(rows, scale=Scale(1, 5, 1), items=tuple(catalogue)))


WORLDS = {"films": World(films(), film_ratings()), "few ratings": shop(1), "hardly any": shop(2, rated=0.2)}


def drawn(world: World, n: int, *, profile_first: bool = False) -> list[Need]:
    cases = NeedsByCase.of_world(world, attributes=world.attributes, profile_first=profile_first)
    return [cases.draw(str(case), seed=5).need for case in range(n)]


def asked_for(found: list[Need], catalogue: Catalogue) -> tuple[float, set[str]]:
    """(Share of a catalogue with as much evenness as the needs: a participation ratio, what no need accepts)."""
    weights: Counter[str] = Counter()
    for need in found:
        weights.update(dict.fromkeys(need.acceptable, 1 / len(need.acceptable)))
    total, squares = sum(weights.values()), sum(each**2 for each in weights.values())
    return total**2 / squares / len(catalogue), set(catalogue) - set(weights)


@pytest.mark.parametrize("name", WORLDS)
def test_needs_ask_evenly_for_everything_however_popular(name: str) -> None:
    world = WORLDS[name]
    share, never = asked_for(drawn(world, 6_000), world.catalogue)
    popular, ignored = asked_for(drawn(world, 6_000, profile_first=True), world.catalogue)
    assert share > 0.75
    assert share > popular + 0.2
    assert not never  # what nobody has rated is asked for, too
    assert ignored


@pytest.mark.parametrize("name", WORLDS)
def test_needs_without_ratings_ask_evenly_for_everything(name: str) -> None:
    catalogue = WORLDS[name].catalogue
    share, never = asked_for(drawn(World(catalogue), 6_000), catalogue)
    assert share > 0.75
    assert not never


@pytest.mark.parametrize("seed", range(12))
def test_who_looks_for_something_likes_something_else_of_the_kind(seed: int) -> None:
    world = shop(seed, items=60 + 20 * seed, rated=(seed + 1) / 12)
    cases = NeedsByCase.of_world(world, attributes=world.attributes)
    for case in range(100):
        found = cases.draw(str(case), seed=seed)
        need, profile = found.need, found.profile
        assert profile is not None
        assert need.targets[0] in need.acceptable
        assert not set(need.acceptable) & set(profile.ratings)
        assert set(need.known) == set(profile.ratings)
        assert profile.opinion(need.examples[0]) == LIKED
        assert 7 <= len(profile.ratings) <= 8
        best = max(satisfied_share(need, world.catalogue[item]) for item in profile.liked_items)
        assert satisfied_share(need, world.catalogue[need.examples[0]]) == best
        assert cases.draw(str(case), seed=seed).need == need


def test_users_with_the_profiles_of_the_released_code_have_needs_from_these() -> None:
    released = Users(bundled_users("cir6-pkg").with_options(profile_variant="released"), films(), film_ratings())
    need = released.new("1", seed=0).need
    assert need is not None
    assert set(need.examples) <= set(need.known)


def test_only_one_item_is_liked_by_anybody() -> None:
    catalogue = shop(3, items=40).catalogue
    rows = [(f"u{person}", f"p{item}", 5.0 if item == 0 else 2.0) for person in range(3) for item in range(12)]
    world = World(catalogue, Ratings.from_rows(rows, scale=Scale(1, 5, 1), items=tuple(catalogue)))
    assert {need.examples for need in drawn(world, 200)} == {("p0",)}


def test_users_who_ask_for_what_they_like_have_the_needs_of_version_1() -> None:
    asking = Users(bundled_users("cir6-pkg").with_options(wants="profile"), films(), film_ratings())
    assert asking.new("3", seed=1).need.id == "2b022cb6a60e"  # type: ignore[union-attr]
