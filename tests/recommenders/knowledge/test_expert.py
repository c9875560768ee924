from tests.recommenders.material import film_expert, films
from trialogue.catalogue import Catalogue, Item
from trialogue_recommenders import Expert
from trialogue_recommenders.expert import CANDIDATES, Ranking, Wish
from trialogue_recommenders.vocabulary import Feature

HORROR, COMEDY, WAR = ((Feature("genre", name),) for name in ("Horror", "Comedy", "War"))


def test_what_is_wanted_is_in_all_of_the_ranking_and_what_is_unwanted_in_none() -> None:
    ranking = film_expert().rank(Wish(wanted=frozenset({HORROR}), unwanted=frozenset({COMEDY}), years=(1980, 1989)))
    assert ranking.fits
    for item_id in ranking.ids:
        item = films()[item_id]
        assert "Horror" in item.attributes["genre"]
        assert "Comedy" not in item.attributes["genre"]
        assert 1980 <= (item.year or 0) <= 1989


def test_a_ranking_has_twenty_items_the_best_first_and_none_of_those_left_out() -> None:
    popular = film_expert().rank(Wish())
    assert len(popular.ids) == len(set(popular.ids)) == CANDIDATES
    assert film_expert().rank(Wish(), without=popular.ids[:3]).ids[:17] == popular.ids[3:]


def test_years_are_given_up_before_kinds_and_one_kind_before_all() -> None:
    items = [
        Item(id="old war", title="A", year=1950, attributes={"genre": ("War",)}),
        Item(id="new comedy", title="B", year=2000, attributes={"genre": ("Comedy",)}),
        Item(id="drama", title="C", year=2000, attributes={"genre": ("Drama",)}),
    ]
    expert = Expert(Catalogue.from_items(items))
    assert expert.rank(Wish(wanted=frozenset({WAR}), years=(2000, 2009))) == Ranking(("old war",), fits=False)
    assert expert.rank(Wish(wanted=frozenset({WAR, COMEDY}))) == Ranking(("old war", "new comedy"), fits=False)
    assert expert.rank(Wish(wanted=frozenset({HORROR}))).fits is False
    assert len(expert.rank(Wish(wanted=frozenset({HORROR}))).ids) == 3
    assert expert.rank(Wish(years=(1900, 1910))).fits is False


def test_somebody_of_several_trades_is_wanted_in_any_of_them() -> None:
    eastwood = (Feature("director", "Clint Eastwood"), Feature("actor", "Clint Eastwood"))
    ids = film_expert().rank(Wish(wanted=frozenset({eastwood}))).ids
    trades = [
        {name for name, values in films()[item_id].attributes.items() if "Clint Eastwood" in values} for item_id in ids
    ]
    assert all(trades)
    assert {"director", "actor"} <= set.union(*trades)


def test_an_item_like_one_is_like_it() -> None:
    ranking = film_expert().rank(Wish(liked=("toy-story-1995",)), without=["toy-story-1995"], like_one=True)
    assert {"toy-story-2-1999", "toy-story-3-2010"} <= set(ranking.ids[:5])


def test_words_of_the_user_bring_what_they_are_about_to_the_top() -> None:
    assert film_expert().rank(Wish(topics=("I want samurai",))).ids[0] == "seven-samurai-1954"


def test_an_empty_catalogue_ranks_nothing() -> None:
    assert Expert(Catalogue.from_items([])).rank(Wish(wanted=frozenset({WAR}))).ids == ()


def test_a_ranking_of_nothing_left_is_empty() -> None:
    assert film_expert().rank(Wish(), without=tuple(films())).ids == ()
