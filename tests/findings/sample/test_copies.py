"""Copies of texts, equal or with changed words."""

import random
import re
from unicodedata import normalize

import pytest
from benchmarks.sample_cases import changed, talk
from hypothesis import given
from hypothesis import strategies as st

from trialogue.findings.sample.copies import CopyFinder, _plain, joined_groups
from trialogue.findings.sample.units import UnitAudit
from trialogue.records import ClusterKind


def text(rng: random.Random) -> str:
    return "\n".join(said.text for said in talk(rng))


@pytest.mark.parametrize("share", [0.0, 0.02, 0.05, 0.1, 0.15])
def test_copies_are_found_with_a_word_in_seven_changed_and_nothing_else_is(share: float) -> None:
    rng = random.Random(7)
    finder, origin, place = CopyFinder(), {}, 0
    for original in range(200):
        said = text(rng)
        for time in range(rng.choice((1, 1, 1, 2, 3, 8))):
            finder.add(place, changed(rng, said, share) if time else said)
            origin[place] = original
            place += 1
    group_of = {one: number for number, group in enumerate(finder.near()) for one in group}
    copies = [one for one in origin if one - 1 in origin and origin[one - 1] == origin[one]]
    found = sum(one in group_of and group_of[one] == group_of.get(one - 1) for one in copies)
    assert found >= 0.95 * len(copies)
    groups = finder.near()
    wrong = sum(len({origin[one] for one in group}) > 1 for group in groups)
    assert wrong <= 0.01 * len(groups)


@pytest.mark.parametrize("is_near", [True, False])
def test_equal_texts_differ_at_most_in_case_spaces_and_punctuation(is_near: bool) -> None:
    finder = CopyFinder(is_near=is_near)
    said = text(random.Random(1))
    for place, one in enumerate(
        (said, said.upper().replace(" ", "  "), said.replace(".", "!"), text(random.Random(2)))
    ):
        finder.add(place, one)
    assert finder.exact() == ((0, 1, 2),)


def test_short_texts_are_no_copies() -> None:
    finder = CopyFinder()
    for place in range(9):
        finder.add(place, "Hi, I am looking for a film. Hello! How can I help you today?")
    assert finder.exact() == finder.near() == ()


def test_long_texts_without_spaces_are_compared_too() -> None:
    finder = CopyFinder()
    said = "我想找一部关于海边小镇的老电影最好是喜剧片你有什么推荐吗谢谢" * 4
    finder.add(0, said)
    finder.add(1, said)
    assert finder.exact() == ((0, 1),)


def test_the_order_of_texts_does_not_matter() -> None:
    rng = random.Random(3)
    said = [text(rng) for _ in range(30)]
    texts = [*said, *(changed(rng, each, 0.05) for each in said[:10])]
    order = rng.sample(range(40), 40)
    one, other = CopyFinder(), CopyFinder()
    for place, each in enumerate(texts):
        one.add(place, each)
    for place in order:
        other.add(place, texts[place])
    assert {frozenset(group) for group in one.near()} == {frozenset(group) for group in other.near()}
    assert one.near() == tuple((place, place + 30) for place in range(10))


def test_dialogues_of_different_needs_are_different_however_alike() -> None:
    said = text(random.Random(5))
    for kind, fields in ((ClusterKind.NEED, {"copies"}), (ClusterKind.DIALOGUE, {"copies", "near_copies"})):
        audit = UnitAudit(kind)
        for place in range(3):
            audit.add(f"d{place}", f"cluster {place}", asked=[said], replies=["Try Heat (1995)."])
        assert audit.facts().keys() - {"texts"} == fields


def test_failures_are_alike_and_no_copies() -> None:
    audit = UnitAudit(ClusterKind.DIALOGUE)
    for place in range(8):
        failed = "Sorry, something went wrong. " * 8
        audit.add(f"d{place}", f"dialogue:d{place}", asked=["hello there " * 20], replies=[failed[:380]])
    assert audit.facts().keys() == {"suspects"}


def test_links_join_groups() -> None:
    assert joined_groups([(3, 2), (2, 1), (8, 9)]) == ((1, 2, 3), (8, 9))


@given(
    st.text(st.characters() | st.sampled_from("\u0391\u03a3\u03c2\u017f\u0130\u2019\u2014\uff11\uff21\u0301\u200b _.,"))
)
def test_the_letters_of_a_text_are_those_of_its_words(said: str) -> None:
    words = re.sub(r"\W+", "", said if said.isascii() else normalize("NFKC", said))
    assert _plain(said) == words.lower().replace("_", "").encode("utf-8", "surrogatepass")
