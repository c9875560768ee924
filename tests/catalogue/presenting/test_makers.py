"""Who is said to have made an item: the words that are looked for first leave out no form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue.presenting import statements as said_as
from trialogue.catalogue.presenting.claims import _makers_in, makers_forms

BLANK = 4 * said_as.BLANK
WORDS = st.sampled_from(
    [
        "directed",
        "made",
        "helmed",
        "wrote",
        "gave",
        "us",
        "created",
        "it",
        "this",
        "the",
        "film",
        "movie",
        "is",
        "was",
        "by",
        "from",
        "of",
        "behind",
        "who",
        "director",
        "author",
        "writer",
        "mind",
        "man",
        "camera",
        "at",
        "helm",
        "in",
        "chair",
        "as",
        "with",
        "its",
        "direction",
        "has",
        "had",
        "Sofia",
        "Coppola",
        "Mann's",
        "Lee",
        "1999,",
        ".",
        ",",
        ":",
        "“",
        '"',
        "(",
        ")",
        "and",
        "that",
        "which",
        "comes",
        "came",
        "drama",
        "thriller",
        "put",
        "penned",
        "pen",
        "brought",
        "to",
        "screen",
    ]
)
TEXTS = st.tuples(st.lists(WORDS, max_size=7), st.lists(WORDS, max_size=9), st.sampled_from(["", '"', "*_", "“"])).map(
    lambda parts: f"{' '.join(parts[0])} {parts[2]}{BLANK}{parts[2]} {' '.join(parts[1])}"
)


@given(text=TEXTS)
def test_words_that_are_looked_for_first_leave_out_no_maker(text: str) -> None:
    every = [found.span() for _, pattern in said_as.MAKERS for found in pattern.finditer(text)]
    assert [found.span() for found in _makers_in(text, makers_forms(text))] == every


@pytest.mark.parametrize(
    ("text", "named"),
    [(f'See "{BLANK}" by Sofia Coppola.', ["Sofia Coppola"]), ("no title here, by Sofia Coppola", [])],
)
def test_a_form_that_begins_with_the_title_is_found_behind_its_marks(text: str, named: list[str]) -> None:
    assert [found["names"] for found in _makers_in(text, makers_forms(text))] == named


@given(
    text=st.lists(
        st.sampled_from(
            [
                "2",
                "120",
                "two",
                "three",
                "hours",
                "h",
                "hrs",
                "hour",
                "and",
                "a",
                "half",
                "min",
                "mins",
                "minutes",
                "ninety",
                "about",
                "just",
                "over",
                "run-",
                "it's",
            ]
        ),
        max_size=7,
    ).map(" ".join)
)
def test_words_that_are_looked_for_first_leave_out_no_running_time(text: str) -> None:
    if said_as.HOURS.search(text) or said_as.MINUTES.search(text):
        assert said_as.TIMED.search(text)
