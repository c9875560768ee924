"""What INFACT's application exports: both spellings, and its defects."""

import json
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets import recognise
from trialogue.datasets.corpora.infact_firebase import FORMAT, read_export
from trialogue.errors import DataError, Problem
from trialogue.records import Response, Situation

CHECK = 'I am reading this carefully, and I give a rating of "Meaningless" to all three responses here'
FRAGMENT = "USER: hello\nCHAT-BOT: what do you like?\nUSER: something funny"


def trial(our: object, *, said: str = "Try Heat", check: bool = False, **more: Any) -> dict[str, Any]:
    """One page in the application's own spelling."""
    return {
        "Our_response": CHECK if check else said,
        "Our_rating": our,
        "Deep_crs_response": "ok",
        "Deep_crs_rating": "2",
        "Kbrd_response": "Star Wars (1977)",
        "Kbrd_rating": 3,
        "Dialog_ID": "6" if check else "12",
        "Fragment": "USER: hi" if check else FRAGMENT,
        "Time": 12.5,
        **more,
    }


def export(path: Path, **visitors: Any) -> Path:
    """A document as the database gives it."""
    path.write_text(json.dumps({"CRS_Study": visitors}), encoding="utf-8")
    return path


def read(path: Path) -> tuple[list[Situation], list[Response], list[Problem]]:
    """Situations, responses, and what was reported."""
    messages: list[Problem] = []
    records = list(read_export(path, note=messages.append))
    situations = [each for each in records if isinstance(each, Situation)]
    return situations, [each for each in records if isinstance(each, Response)], messages


def test_ratings_of_several_visitors_come_together_on_the_response_they_saw(tmp_path: Path) -> None:
    path = export(
        tmp_path / "a.json",
        tokenA=[None, trial(4), trial(1, check=True)],
        tokenB={"1": trial("5"), "2": trial("2", check=True), "Questionnaire": {"Demographic": {}}},
    )
    (situation,), responses, messages = read(path)
    assert [(each.speaker, each.text) for each in situation.context] == [
        ("user", "hello"),
        ("system", "what do you like?"),
        ("user", "something funny"),
    ]
    ratings = {each.system: [rating.value for rating in each.utterance.ratings] for each in responses}
    assert ratings == {"our": [4.0, 5.0], "deep_crs": [2.0, 2.0], "kbrd": [3.0, 3.0]}
    assert not messages
    assert recognise(path).name == FORMAT.name


def test_the_parsers_spelling_is_read_as_the_applications_is(tmp_path: Path) -> None:
    other = {
        "1": {"our_response": "Try Heat", "our_rating": "4", "kgsf_response": "ok", "kgsf_rating": "2",
              "kbrd_response": "hm", "kbrd_rating": "1", "dialog_id": 12, "fragment": FRAGMENT},
        "2": {"our_response": CHECK, "our_rating": 1, "dialog_id": 6, "fragment": "USER: hi"},
    }  # fmt: skip
    _, responses, _ = read(export(tmp_path / "a.json", token=other))
    assert [each.system for each in responses] == ["our", "kgsf", "kbrd"]


def test_no_cookie_of_a_visitor_is_in_the_records(tmp_path: Path) -> None:
    situations, responses, _ = read(export(tmp_path / "a.json", secretcookie=[None, trial(4), trial(1, check=True)]))
    assert "secretcookie" not in "".join(each.model_dump_json() for each in (*situations, *responses))


def test_who_failed_or_never_saw_the_check_is_left_out_and_counted(tmp_path: Path) -> None:
    path = export(
        tmp_path / "a.json", fails=[None, trial(4), trial(5, check=True)], skips=[None, trial(4)],
    )  # fmt: skip
    situations, _, messages = read(path)
    assert not situations
    assert sorted(problem.what for problem in messages) == [
        "a visitor failed the attention check and was left out.",
        "a visitor who never saw the attention check was left out, as in INFACT.",
    ]


def test_responses_filed_under_the_wrong_situation_are_left_out(tmp_path: Path) -> None:
    good = [None, trial(4), trial(1, check=True)]
    path = export(
        tmp_path / "a.json", one=good, two=good, sent_twice=[None, trial(1, said="another"), trial(1, check=True)]
    )
    _, responses, messages = read(path)
    assert len(responses[0].utterance.ratings) == 2
    assert "with other responses than the rest of its situation" in messages[0].what


@pytest.mark.parametrize("rating", ["", "0", "nine", None, 9999, "=1+1", True])
def test_what_is_no_rating_is_left_out(tmp_path: Path, rating: object) -> None:
    _, responses, messages = read(export(tmp_path / "a.json", one=[None, trial(rating), trial(1, check=True)]))
    assert responses[0].utterance.ratings == ()
    assert "not a number from 1 to 5" in messages[0].what


def test_a_dollar_in_a_response_is_text_like_any_other(tmp_path: Path) -> None:
    _, responses, _ = read(export(tmp_path / "a.json", one=[None, trial(3, said="it costs $5"), trial(1, check=True)]))
    assert responses[0].utterance.text == "it costs $5"


def test_an_export_without_visitors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no visitors"):
        read(export(tmp_path / "a.json"))
