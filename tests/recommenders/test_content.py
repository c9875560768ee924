import numpy as np
import pytest

from tests.recommenders.material import film_expert, films
from trialogue.catalogue import Catalogue, Item
from trialogue_recommenders.content import LONGEST_QUERY, Content, best


def test_similar_items_share_people_kinds_or_words() -> None:
    similar = film_expert().content.similar("toy-story-1995", n=5)
    assert similar[0] == "toy-story-2-1999"
    assert "toy-story-3-2010" in similar


def test_an_item_is_not_similar_to_itself_and_not_to_what_shares_nothing_with_it() -> None:
    catalogue = Catalogue.from_items(
        [
            Item(id="a", title="Alpha", attributes={"genre": ("Drama",)}),
            Item(id="b", title="Beta", attributes={"genre": ("Drama",)}),
            Item(id="c", title="Gamma", attributes={"genre": ("War",)}),
        ]
    )
    assert Content(catalogue).similar("a") == ("b",)


def test_similarity_is_the_mean_of_the_cosines_of_the_facets() -> None:
    # facets: words, genre, director. Same genre, other words, other director: (0 + 1 + 0) / 3
    catalogue = Catalogue.from_items(
        [
            Item(id="a", title="Alpha", attributes={"genre": ("Drama",), "director": ("One",)}),
            Item(id="b", title="Beta", attributes={"genre": ("Drama",), "director": ("Two",)}),
        ]
    )
    assert Content(catalogue).similarities("a").tolist() == pytest.approx([1.0, 1 / 3])


def test_cosines_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = ["murder train snow", "train robbery robbery", "snow queen", "murder queen robbery"]
    items = [Item(id=str(number), title=text) for number, text in enumerate(texts)]
    query = "murder of a queen and a robbery, a robbery"
    vectorizer = TfidfVectorizer(stop_words="english")
    expected = vectorizer.fit_transform(texts) @ vectorizer.transform([query]).toarray().ravel()
    assert Content(Catalogue.from_items(items)).about(query) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("The Matrix", "the-matrix-1999"),
        ("matrix", "the-matrix-1999"),
        ("Blade runne4 2049", "blade-runner-2049-2017"),
        ("harry pottter", "harry-potter-philosophers-stone-2001"),
        ("the dark night", "the-dark-knight-2008"),
        ("AMELIE", "amelie-2001"),
    ],
)
def test_a_title_is_found_in_other_writing_and_with_slips(query: str, expected: str) -> None:
    found = film_expert().content.search(query)
    assert found[0][0] == expected
    assert found[0][1] >= 0.8


def test_the_very_title_scores_one_and_nothing_else_does() -> None:
    scores = [score for _, score in film_expert().content.search("Toy Story")]
    assert scores[0] == 1
    assert all(0.4 <= score < 1 for score in scores[1:])
    assert len(scores) > 1


@pytest.mark.parametrize("query", ["", " ", "???", "another movie please", "give me some films", "xyzzy plugh", "\x00"])
def test_what_is_no_title_finds_nothing(query: str) -> None:
    assert film_expert().content.search(query) == ()


def test_a_search_looks_at_the_first_characters_only() -> None:
    content = film_expert().content
    assert content.search("x" * 1_000_000) == ()
    assert content.search("Heat" + " " * LONGEST_QUERY + "wave")[0] == ("heat-1995", 1.0)


def test_words_of_talk_are_about_nothing_and_others_are_about_items() -> None:
    content = film_expert().content
    assert not content.about("could you please recommend me some good movies?").any()
    assert content.ids[int(np.argmax(content.about("I like samurai")))] == "seven-samurai-1954"


def test_an_empty_catalogue_and_items_without_words_are_no_trouble() -> None:
    empty = Content(Catalogue.from_items([]))
    assert empty.search("Heat") == ()
    assert empty.about("heat").shape == (0,)
    bare = Content(Catalogue.from_items([Item(id="1", title="..."), Item(id="2", title="")]))
    assert bare.similar("1") == ()
    assert bare.search("...") == (("1", 1.0),)


def test_rows_that_are_kept_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        film_expert().content.nearness("heat-1995")[0] = 2.0


def test_the_nearest_item_is_at_one_and_the_item_itself_at_zero() -> None:
    content = film_expert().content
    near = content.nearness("heat-1995")
    assert near.max() == 1
    assert near[content.place["heat-1995"]] == 0


def test_the_best_of_equal_scores_is_the_first_and_zero_is_never_among_them() -> None:
    assert best(np.array([0.0, 1.0, 2.0, 1.0, 0.0]), 10) == [2, 1, 3]
    assert best(np.array([1.0, 1.0, 1.0]), 2) == [0, 1]
    assert best(np.zeros(3), 2) == []
    assert best(np.zeros(0), 2) == []


def test_every_film_is_found_by_its_own_title() -> None:
    content = film_expert().content
    wrong = [
        item.title for item in films().values() if item.id not in [i for i, _ in content.search(item.title_with_year)]
    ]
    assert wrong == []
