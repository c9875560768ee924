"""The bundled material is complete, consistent, readable, and what its README says of it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb
from pathlib import Path
from statistics import correlation

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.demo_records import demo_dialogues, demo_preferences, demo_responses, demo_situations
from trialogue.datasets.corpora.demo import CORPUS, FilmRow, StarRating, bundled_path, film_rows, synthetic_ratings
from trialogue.datasets.store import locate
from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import (
    NO_STRATEGY,
    STRATEGIES,
    Dialogue,
    Preference,
    Response,
    Situation,
    Utterance,
    read_records,
    write_records,
)

SYSTEMS = ("aria", "bolt", "chip")
GENRES = [
    "Action",
    "Adventure",
    "Animation",
    "Comedy",
    "Crime",
    "Drama",
    "Family",
    "Fantasy",
    "History",
    "Horror",
    "Music",
    "Mystery",
    "Romance",
    "Science Fiction",
    "Thriller",
    "War",
    "Western",
]
RECORDS = ("dialogues.jsonl", "preferences.jsonl", "situations.jsonl", "responses.jsonl")
NOT_IN_THE_CATALOGUE = {"Total Recall", "Happy Feet"}  # named in texts, without an id


@cache
def films() -> dict[str, FilmRow]:
    return {film.id: film for film in film_rows()}


def all_utterances() -> Iterator[tuple[str, Utterance]]:
    for situation in demo_situations():
        assert situation.reference is not None
        for utterance in (*situation.context, situation.reference):
            yield situation.id, utterance
    for response in demo_responses():
        yield f"{response.situation_id} {response.system}", response.utterance
    for dialogue in demo_dialogues():
        for utterance in dialogue.utterances:
            yield dialogue.id, utterance


class TestFilms:
    def test_there_are_many_each_with_its_own_id(self) -> None:
        assert len(film_rows()) == CORPUS.source.counts["films"] == len(films()) >= 220

    def test_no_film_is_there_twice(self) -> None:
        assert len({(film.title, film.year) for film in film_rows()}) == len(film_rows())

    def test_ids_are_slugs_that_end_in_the_year(self) -> None:
        wrong = [film.id for film in film_rows() if not re.fullmatch(rf"[a-z0-9]+(-[a-z0-9]+)*-{film.year}", film.id)]
        assert wrong == []

    def test_they_come_by_year_and_then_id(self) -> None:
        keys = [(film.year, film.id) for film in film_rows()]
        assert keys == sorted(keys)

    def test_every_genre_has_at_least_ten_films(self) -> None:
        counts = Counter(genre for film in film_rows() for genre in film.genres)
        assert sorted(counts) == GENRES
        assert min(counts.values()) >= 10

    def test_genres_are_in_alphabetical_order_and_each_once(self) -> None:
        assert [film.id for film in film_rows() if list(film.genres) != sorted(set(film.genres))] == []

    def test_every_decade_from_the_thirties_is_there(self) -> None:
        decades = Counter(film.year // 10 * 10 for film in film_rows())
        assert sorted(decades) == list(range(1930, 2030, 10))
        assert min(decades.values()) >= 10

    def test_every_film_has_two_to_four_actors_and_somebody_who_directed_it(self) -> None:
        assert [film.id for film in film_rows() if not 2 <= len(film.actors) <= 4 or not film.director] == []

    def test_descriptions_are_one_line_of_8_to_20_words_and_no_two_are_the_same(self) -> None:
        texts = [film.description for film in film_rows()]
        assert [text for text in texts if not 8 <= len(text.split()) <= 20 or "\n" in text] == []
        assert [text for text in texts if not text[0].isupper() and not text[0].isdigit()] == []
        assert [text for text in texts if text[-1] not in ".?!"] == []
        assert len(set(texts)) == len(texts)

    @pytest.mark.parametrize("title", ["It", "Her", "Up", "Us", "Once", "Saw", "Heat", "Drive", "Room", "Soul", "1917"])
    def test_titles_that_are_ordinary_words_are_among_them(self, title: str) -> None:
        assert title in {film.title for film in film_rows()}

    @pytest.mark.parametrize("title", ["Suspiria", "Dune", "True Grit", "Little Women", "West Side Story"])
    def test_some_titles_are_those_of_two_films(self, title: str) -> None:
        assert [film.title for film in film_rows()].count(title) == 2

    @pytest.mark.parametrize(
        ("part", "whole"),
        [
            ("Alien", "Aliens"),
            ("Toy Story", "Toy Story 2"),
            ("Blade Runner", "Blade Runner 2049"),
            ("Moon", "Moonlight"),
        ],
    )
    def test_some_titles_begin_with_another(self, part: str, whole: str) -> None:
        assert {part, whole} <= {film.title for film in film_rows()}

    @pytest.mark.mirror
    def test_years_are_those_of_movielens(self, mirror: Path) -> None:
        """A second source for facts; it ends in 2018, so that later films can only be remakes of what it has."""
        published = movielens_years(mirror / "movielens" / "ml-latest-small" / "movies.csv")
        known = [film for film in film_rows() if film.title.casefold() in published and film.year < 2018]
        wrong = {film.id for film in known if film.year not in published[film.title.casefold()]}
        # Shown abroad or at a festival in the year before or after; and "Oldboy" is the remake there, "Old Boy" ours.
        assert wrong == {"cinema-paradiso-1988", "once-2007", "oldboy-2003"}
        assert len(known) > 300


def movielens_years(path: Path) -> dict[str, set[int]]:
    years: dict[str, set[int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        found = re.search(r',"?(.*?)(?:, (The|A|An|La))?(?: \([^()]*\))* \((\d{4})\)\s*"?,', line)
        if found:
            title = f"{found[2]} {found[1]}" if found[2] else found[1]
            years.setdefault(title.casefold(), set()).add(int(found[3]))
    return years


class TestTexts:
    def test_every_mention_points_at_the_title_it_names(self) -> None:
        wrong = [
            (where, mention.title, utterance.text[mention.start : mention.end])
            for where, utterance in all_utterances()
            for mention in utterance.mentions or ()
            if utterance.text[mention.start : mention.end].casefold() != mention.title.casefold()
        ]
        assert wrong == []

    def test_every_mention_has_the_id_of_a_film_with_that_title(self) -> None:
        without: set[str] = set()
        for _, utterance in all_utterances():
            for mention in utterance.mentions or ():
                if mention.item_id is None:
                    without.add(mention.title)
                else:
                    assert films()[mention.item_id].title == mention.title
        assert without == NOT_IN_THE_CATALOGUE

    def test_somebody_looked_for_films_in_every_utterance(self) -> None:
        assert [where for where, utterance in all_utterances() if utterance.mentions is None] == []

    def test_a_title_of_several_words_is_never_left_unannotated(self) -> None:
        titles = [film.title for film in film_rows() if " " in film.title]
        pattern = re.compile(
            "|".join(rf"\b{re.escape(title)}(?!\w)" for title in sorted(titles, key=len, reverse=True))
        )
        for where, utterance in all_utterances():
            spans = [(mention.start or 0, mention.end or 0) for mention in utterance.mentions or ()]
            for found in pattern.finditer(utterance.text):
                assert any(start <= found.start() and found.end() <= end for start, end in spans), (where, found[0])

    def test_no_text_holds_a_placeholder_markup_or_a_blank_too_many(self) -> None:
        bad = re.compile(r"[\[\]<>{}|_]|\b(?:T.DO|X{3}|F.XME|lorem)\b|  |^\s|\s$|\s[.,;:!?](?!\.)")
        assert [(where, each.text) for where, each in all_utterances() if bad.search(each.text) or not each.text] == []

    def test_labelled_sentences_make_up_the_whole_reply(self) -> None:
        for where, utterance in all_utterances():
            labels = utterance.strategies or ()
            if len(labels) > 1:
                assert " ".join(label.text or "" for label in labels) == utterance.text, where
            elif labels:
                assert labels[0].text is None

    def test_no_path_of_a_machine_or_address_is_in_the_files(self) -> None:
        for path in bundled_path().iterdir():
            assert not re.search(r"https?://|/home/|/tmp/", path.read_text(encoding="utf-8")), path.name


class TestSituations:
    def test_there_are_at_least_48_from_18_dialogues(self) -> None:
        situations = demo_situations()
        assert len({situation.id for situation in situations}) == len(situations) == CORPUS.source.counts["situations"]
        assert len(situations) >= 48
        assert len({situation.cluster for situation in situations}) == 18

    def test_contexts_have_one_to_nine_utterances_and_end_on_the_user(self) -> None:
        lengths = Counter(len(situation.context) for situation in demo_situations())
        assert min(lengths) == 1
        assert max(lengths) <= 9
        assert all(situation.context[-1].speaker == "user" for situation in demo_situations())

    def test_deeper_situations_of_a_dialogue_continue_the_shallower_ones(self) -> None:
        for earlier, later in zip(demo_situations(), demo_situations()[1:], strict=False):
            if earlier.dialogue_id == later.dialogue_id:
                assert later.context[: len(earlier.context) + 1] == (*earlier.context, earlier.reference)

    def test_turn_counts_the_system_turns_before_the_reply(self) -> None:
        for situation in demo_situations():
            assert situation.turn == sum(utterance.speaker == "system" for utterance in situation.context)

    def test_every_strategy_occurs_and_no_other_label(self) -> None:
        labels = [label for each in demo_situations() if each.reference for label in each.reference.strategies or ()]
        assert {label.strategy for label in labels} == {*STRATEGIES, NO_STRATEGY}
        assert min(Counter(label.strategy for label in labels).values()) >= 3
        assert {label.origin for label in labels} == {"trialogue-authors"}

    def test_targets_are_films_that_the_reference_names(self) -> None:
        for situation in demo_situations():
            assert situation.reference is not None
            assert situation.targets is not None
            named = {mention.item_id for mention in situation.reference.mentions or ()}
            assert set(situation.targets) <= named & set(films())
        assert sum(bool(situation.targets) for situation in demo_situations()) >= 20

    def test_their_source_is_the_demo(self) -> None:
        assert {situation.source for situation in demo_situations()} == {"trialogue-demo"}


class TestResponses:
    def test_each_system_answers_each_situation_once(self) -> None:
        given = Counter((response.situation_id, response.system) for response in demo_responses())
        wanted = {(situation.id, system) for situation in demo_situations() for system in SYSTEMS}
        assert set(given) == wanted
        assert set(given.values()) == {1}

    def test_every_reply_is_labelled(self) -> None:
        for response in demo_responses():
            labels = response.utterance.strategies
            assert labels
            assert {label.strategy for label in labels} <= {*STRATEGIES, NO_STRATEGY}
            assert {label.origin for label in labels} == {"trialogue-authors"}

    def test_every_ranking_has_20_different_films(self) -> None:
        for response in demo_responses():
            ranking = response.utterance.ranking
            assert ranking is not None
            assert len(ranking) == len(set(ranking)) == 20
            assert set(ranking) <= set(films())

    def test_nobody_but_chip_uses_a_template(self) -> None:
        shares = {
            system: len({reply.utterance.text for reply in of_system(system)}) / len(of_system(system))
            for system in SYSTEMS
        }
        assert shares["aria"] == shares["bolt"] == 1
        assert shares["chip"] < 0.9

    def test_no_system_repeats_the_human(self) -> None:
        human = {situation.reference.text for situation in demo_situations() if situation.reference}
        assert [reply.utterance.text for reply in demo_responses() if reply.utterance.text in human] == []

    def test_alignment_with_the_human_falls_from_aria_to_chip(self) -> None:
        # First turns left out: 47 replies per system; 25, 6 and 3 of them start with the human's strategy.
        assert [matches(system) for system in SYSTEMS] == [(25, 47), (6, 47), (3, 47)]

    def test_rankings_get_worse_from_aria_to_chip(self) -> None:
        # 25 situations have targets; one among the first ten in 16, 10 and 1 of them.
        assert [hits_at_10(system) for system in SYSTEMS] == [(16, 25), (10, 25), (1, 25)]

    def test_aria_says_more_than_bolt_and_bolt_more_than_chip(self) -> None:
        words = [sum(len(reply.utterance.text.split()) for reply in of_system(system)) for system in SYSTEMS]
        assert words == sorted(words, reverse=True)


def of_system(system: str) -> list[Response]:
    return [response for response in demo_responses() if response.system == system]


def first_label(utterance: Utterance | None) -> str:
    assert utterance is not None
    assert utterance.strategies
    return utterance.strategies[0].strategy


def matches(system: str) -> tuple[int, int]:
    later = {situation.id: situation for situation in demo_situations() if situation.turn}
    replies = [reply for reply in of_system(system) if reply.situation_id in later]
    same = [first_label(reply.utterance) == first_label(later[reply.situation_id].reference) for reply in replies]
    return sum(same), len(same)


def hits_at_10(system: str) -> tuple[int, int]:
    targets = {situation.id: set(situation.targets) for situation in demo_situations() if situation.targets}
    rankings = {reply.situation_id: reply.utterance.ranking or () for reply in of_system(system)}
    found = [not targets[name].isdisjoint(rankings[name][:10]) for name in targets]
    return sum(found), len(found)


class TestDialogues:
    def test_every_guest_talks_to_every_system_once(self) -> None:
        pairs = Counter((dialogue.user, dialogue.system) for dialogue in demo_dialogues())
        assert len(pairs) == 60 == CORPUS.source.counts["dialogues"]
        assert {user for user, _ in pairs} == {f"guest-{number:02d}" for number in range(1, 21)}
        assert {system for _, system in pairs} == set(SYSTEMS)

    def test_ids_are_unique_and_no_two_dialogues_are_the_same(self) -> None:
        assert len({dialogue.id for dialogue in demo_dialogues()}) == 60
        assert len({tuple(each.text for each in dialogue.utterances) for dialogue in demo_dialogues()}) == 60

    def test_they_have_4_to_12_utterances_in_turns_and_the_user_begins(self) -> None:
        for dialogue in demo_dialogues():
            speakers = [utterance.speaker for utterance in dialogue.utterances]
            assert 4 <= len(speakers) <= 12, dialogue.id
            assert speakers == ["user" if place % 2 == 0 else "system" for place in range(len(speakers))]

    def test_satisfaction_is_14_11_and_4_of_20(self) -> None:
        satisfied = Counter(dialogue.system for dialogue in demo_dialogues() if rating_of(dialogue) == 1)
        assert satisfied == {"aria": 14, "bolt": 11, "chip": 4}

    def test_aria_and_bolt_cannot_be_distinguished_and_chip_is_behind_both(self) -> None:
        # Guests whom only one of the two satisfied; the two-sided sign test over them, times the three pairs.
        assert [only_one(*pair) for pair in combinations(SYSTEMS, 2)] == [(7, 4), (10, 0), (7, 0)]
        assert sign_test(7, 4) == pytest.approx(2 * (330 + 165 + 55 + 11 + 1) / 2048)  # C(11, 7) + ... + C(11, 11)
        assert sign_test(7, 4) > 0.5
        assert 3 * sign_test(10, 0) < 0.01
        assert 3 * sign_test(7, 0) < 0.05

    def test_ratings_are_0_or_1_by_the_user(self) -> None:
        assert {rating_of(dialogue) for dialogue in demo_dialogues()} == {0.0, 1.0}

    def test_their_source_is_the_demo(self) -> None:
        assert {dialogue.source for dialogue in demo_dialogues()} == {"trialogue-demo"}


def rating_of(dialogue: Dialogue) -> float:
    (rating,) = dialogue.ratings
    assert (rating.name, rating.rater, rating.low, rating.high) == ("satisfaction", "user", 0, 1)
    return rating.value


def only_one(one: str, other: str) -> tuple[int, int]:
    rated = {(dialogue.user, dialogue.system): rating_of(dialogue) for dialogue in demo_dialogues()}
    differences = [rated[user, one] - rated[user, other] for user in {user for user, _ in rated}]
    return differences.count(1), differences.count(-1)


def sign_test(more: int, fewer: int) -> float:
    n = more + fewer
    return min(1.0, sum(comb(n, k) for k in range(more, n + 1)) / float(2 ** (n - 1)))


class TestVotes:
    def test_there_are_40_with_unique_ids(self) -> None:
        assert len({vote.id for vote in demo_preferences()}) == len(demo_preferences()) == 40

    def test_they_compare_dialogues_of_the_rater_with_the_two_systems(self) -> None:
        dialogues = {dialogue.id: dialogue for dialogue in demo_dialogues()}
        for vote in demo_preferences():
            for system, dialogue_id in ((vote.a, vote.dialogue_a), (vote.b, vote.dialogue_b)):
                assert dialogue_id is not None
                assert (dialogues[dialogue_id].system, dialogues[dialogue_id].user) == (system, vote.rater)

    def test_nobody_votes_on_a_pair_twice_and_everybody_votes_twice(self) -> None:
        pairs = Counter((vote.rater, frozenset((vote.a, vote.b))) for vote in demo_preferences())
        assert set(pairs.values()) == {1}
        assert set(Counter(vote.rater for vote in demo_preferences()).values()) == {2}

    def test_wins_and_ties_are_as_the_readme_says(self) -> None:
        wins = {pair: standing(*pair) for pair in combinations(SYSTEMS, 2)}
        # (wins of the first, wins of the second, ties)
        assert wins == {("aria", "bolt"): (7, 6, 2), ("aria", "chip"): (9, 1, 2), ("bolt", "chip"): (8, 1, 4)}

    def test_nobody_prefers_a_dialogue_that_frustrated_them_to_one_that_did_not(self) -> None:
        rated = {dialogue.id: rating_of(dialogue) for dialogue in demo_dialogues()}
        assert [vote.id for vote in demo_preferences() if against_the_ratings(vote, rated)] == []


def standing(one: str, other: str) -> tuple[int, int, int]:
    votes = [vote for vote in demo_preferences() if {vote.a, vote.b} == {one, other}]
    winners = Counter({"a": vote.a, "b": vote.b, "tie": "tie"}[vote.choice] for vote in votes)
    return winners[one], winners[other], winners["tie"]


def against_the_ratings(vote: Preference, rated: dict[str, float]) -> bool:
    difference = rated[vote.dialogue_a or ""] - rated[vote.dialogue_b or ""]
    return (vote.choice == "a" and difference < 0) or (vote.choice == "b" and difference > 0)


class TestReading:
    def test_the_corpus_gives_everything_once(self) -> None:
        counts = Counter(record.kind for record in CORPUS.read(bundled_path()))
        assert counts == {"dialogue": 60, "preference": 40, "situation": 63, "response": 189}
        published = CORPUS.source.counts
        assert {f"{kind}s": count for kind, count in counts.items()} | {"films": len(films())} == published

    def test_it_is_at_hand_without_a_download(self) -> None:
        assert locate(CORPUS) == bundled_path()

    @pytest.mark.parametrize("name", RECORDS)
    def test_files_are_what_trialogue_would_write(self, name: str, tmp_path: Path) -> None:
        path = bundled_path(name)
        write_records(tmp_path / name, read_records(path, Dialogue, Preference, Situation, Response))
        assert (tmp_path / name).read_bytes() == path.read_bytes()

    def test_all_files_together_are_small(self) -> None:
        assert sum(path.stat().st_size for path in bundled_path().iterdir()) < 500_000

    def test_the_card_says_that_it_is_invented(self) -> None:
        assert any("invented" in defect for defect in CORPUS.source.defects)
        assert "invented" in bundled_path("README.md").read_text(encoding="utf-8")

    def test_a_file_that_is_not_bundled_is_refused_with_the_nearest_name(self) -> None:
        with pytest.raises(UnknownNameError, match=r"no bundled file 'film\.jsonl'.*'films\.jsonl'"):
            bundled_path("film.jsonl")


@dataclass(frozen=True)
class Thing:
    """The least that the generator of ratings needs."""

    id: str
    year: int
    genres: tuple[str, ...]


class TestSyntheticRatings:
    def test_about_300_users_rate_about_30_films_each(self) -> None:
        ratings = synthetic_ratings(film_rows())
        users = Counter(rating.user for rating in ratings)
        assert len(users) == 300
        # 300 Poisson(30) draws: mean 30, standard deviation of the mean sqrt(30/300) = 0.32; five of them
        assert abs(len(ratings) / 300 - 30) < 1.6
        assert all(name.startswith("synthetic-") for name in users)

    def test_the_same_seed_gives_the_same_ratings_and_another_others(self) -> None:
        first = synthetic_ratings(film_rows(), seed=3, users=20)
        assert first == synthetic_ratings(film_rows(), seed=3, users=20)
        assert first != synthetic_ratings(film_rows(), seed=4, users=20)

    def test_no_film_is_rated_twice_by_a_user(self) -> None:
        ratings = synthetic_ratings(film_rows())
        assert len({(rating.user, rating.item) for rating in ratings}) == len(ratings)

    def test_all_stars_of_the_scale_are_given_and_middling_ones_most(self) -> None:
        stars = Counter(rating.stars for rating in synthetic_ratings(film_rows()))
        assert sorted(stars) == [half / 2 for half in range(1, 11)]
        assert stars.most_common(1)[0][0] in {3.0, 3.5, 4.0}

    def test_popularity_has_a_long_tail(self) -> None:
        counts = sorted(Counter(rating.item for rating in synthetic_ratings(film_rows())).values(), reverse=True)
        top_fifth = sum(counts[: len(film_rows()) // 5]) / sum(counts)
        assert top_fifth > 0.45  # 20% of films would have 20% of the ratings if all were equally known

    def test_users_agree_with_themselves_about_genres(self) -> None:
        # Two halves of one user's ratings of a genre correlate, as tastes are constant; without them they would not.
        halves = genre_means(synthetic_ratings(film_rows(), users=300, per_user=100))
        even, odd = ([pair[side] for pair in halves] for side in (0, 1))
        assert correlation(even, odd) > 0.3

    @settings(max_examples=40, deadline=None)
    @given(
        things=st.lists(
            st.tuples(st.integers(1900, 2030), st.sets(st.sampled_from(GENRES), min_size=1, max_size=4)), max_size=30
        ),
        users=st.integers(0, 8),
        per_user=st.floats(0, 60),
        seed=st.integers(-5, 5),
    )
    def test_ratings_are_on_the_scale_whatever_the_items(
        self, things: list[tuple[int, set[str]]], users: int, per_user: float, seed: int
    ) -> None:
        items = [Thing(str(n), year, tuple(sorted(genres))) for n, (year, genres) in enumerate(things)]
        ratings = synthetic_ratings(items, seed=seed, users=users, per_user=per_user)
        assert all(0.5 <= rating.stars <= 5 and rating.stars * 2 == int(rating.stars * 2) for rating in ratings)
        assert {rating.item for rating in ratings} <= {item.id for item in items}
        assert len({(rating.user, rating.item) for rating in ratings}) == len(ratings) <= users * len(items)

    def test_without_items_or_users_there_are_none(self) -> None:
        assert synthetic_ratings([]) == []
        assert synthetic_ratings(film_rows(), users=0) == []

    def test_a_negative_number_of_users_is_refused(self) -> None:
        with pytest.raises(UsageError, match="must not be negative, got -1 and 30"):
            synthetic_ratings(film_rows(), users=-1)

    def test_an_item_without_a_genre_is_refused_by_name(self) -> None:
        with pytest.raises(UsageError, match="1 items have no genre, for example 'b'"):
            synthetic_ratings([Thing("a", 1999, ("War",)), Thing("b", 1999, ())])

    def test_the_catalogue_takes_them_as_they_are(self) -> None:
        from trialogue.catalogue import Ratings, Scale

        made = synthetic_ratings(film_rows(), users=10)
        ratings = Ratings.from_rows(made, scale=Scale(0.5, 5, 0.5), items=tuple(films()))
        assert len(ratings) == len(made)
        assert ratings.of_user("synthetic-001")[made[0].item] == made[0].stars


def genre_means(ratings: list[StarRating]) -> list[tuple[float, float]]:
    """(mean of even-numbered, mean of odd-numbered ratings) of each user and genre with at least ten of each."""
    stars: dict[tuple[str, str], list[float]] = {}
    for rating in ratings:
        for genre in films()[rating.item].genres:
            stars.setdefault((rating.user, genre), []).append(rating.stars)
    enough = [values for values in stars.values() if len(values) >= 20]
    return [(sum(each[::2]) / len(each[::2]), sum(each[1::2]) / len(each[1::2])) for each in enough]
