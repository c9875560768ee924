"""Titles of measures: no two alike, and nothing in them that only the code knows."""

import string

from hypothesis import given
from hypothesis import strategies as st

from trialogue.findings import League, Measure
from trialogue.findings.titles import titles_of, with_titles
from trialogue.records import MeasureName


def asked(question: str, *, level: str = "dialogue") -> Measure:
    name = MeasureName.of_question(question, level="response" if level == "response" else "dialogue")
    return Measure(name=name, title=name.prose.capitalize(), by="people", better="higher", unit="points")


def need_met(users: str | None, turns: int = 10) -> Measure:
    name = f"need_met(turns={turns})@named|v1"
    measure = Measure(name=name, title="Need met", by="metric", better="higher", unit="share")
    return measure if users is None else measure.with_simulated(users)


def folded(title: str) -> str:
    return "".join(each for each in title.casefold() if each.isalnum())


@given(
    st.lists(st.text(string.ascii_letters + string.punctuation + " ", min_size=1, max_size=4), unique=True, max_size=9)
)
def test_no_two_titles_are_alike_up_to_case_and_marks(questions: list[str]) -> None:
    measures = {each.name: each for each in map(asked, questions)}
    titles = titles_of(measures.values())
    assert len({folded(title) or title for title in titles.values()}) == len(measures)


def test_questions_that_differ_in_case_are_named_as_they_were_asked() -> None:
    assert list(titles_of([asked("satisfaction"), asked("Satisfaction")]).values()) == [
        "Satisfaction (“satisfaction”)",
        "Satisfaction (“Satisfaction”) #2",
    ]
    levels = [asked("relevance"), asked("relevance", level="response")]
    assert list(titles_of(levels).values()) == ["Relevance (of dialogues)", "Relevance (of replies)"]


def test_a_title_has_parameters_and_names_of_users_only_where_they_tell_two_columns_apart() -> None:
    assert list(titles_of([need_met("cir6-pkg")]).values()) == ["Need met (simulated users)"]
    assert list(titles_of([need_met("kind"), need_met("rude")]).values()) == ["Need met (kind)", "Need met (rude)"]
    assert list(titles_of([need_met(None, 5), need_met(None, 10)]).values()) == [
        "Need met (turns 5)",
        "Need met (turns 10)",
    ]


def test_titles_of_titled_leagues_stay() -> None:
    leagues = with_titles(League(measure=each, standings=()) for each in (need_met(None, 5), need_met(None, 10)))
    assert with_titles(leagues) == leagues
    assert with_titles(leagues[:1])[0].measure.title == "Need met"
