"""Nothing but the words of the systems depends on which of them stands where."""

import re
from collections import Counter
from itertools import permutations
from typing import Literal

import pytest

from tests.study.pages.made import html, page, plain
from trialogue.study.design.pages import Line, PairShown, Part, RatingShown, Step
from trialogue.study.design.questions import Question

TALK = (Line("user", "I look for a film."), Line("system", "Which genre?"))
REPLIES = ("Try Heat, it is long.", "Never.", "Have you seen Troy (2004)?")
SECRET = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')


def shown(replies: tuple[str, ...]) -> str:
    """The page of a task with replies in an order."""
    asked = Question(name="sense", question="How meaningful?", scale=("not", "", "very"))
    content = RatingShown(TALK, replies) if len(replies) == 3 else PairShown(TALK, replies)
    parts = tuple(Part(f"r{place}-", (asked,)) for place in range(1, len(replies) + 1)) if len(replies) == 3 else ()
    kind: Literal["rating", "preference"] = "rating" if parts else "preference"
    step = Step("task:1", "task", 3, 9, "token", parts, item=kind, content=content)
    return SECRET.sub("", html(page(step, texts=plain)))


@pytest.mark.parametrize("n", [2, 3])
def test_pages_with_systems_in_another_order_differ_in_nothing_but_the_order_of_their_words(n: int) -> None:
    pages = {order: shown(order) for order in permutations(REPLIES[:n])}
    first = pages[REPLIES[:n]]
    assert len(set(pages.values())) == len(pages)
    assert {Counter(source) == Counter(first) for source in pages.values()} == {True}  # nor can their lengths tell them
    masked = {re.sub("|".join(map(re.escape, REPLIES)), "...", source) for source in pages.values()}
    assert len(masked) == 1
