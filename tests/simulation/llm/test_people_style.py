"""How people write, measured in a corpus and shown to a model."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.simulation.made import film_ratings, films
from trialogue.cli.app import app
from trialogue.errors import DataError, UsageError
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue, Utterance
from trialogue.simulation.language.styles import add_typos
from trialogue.simulation.llm.people_style import (
    PeopleStyle,
    read_style,
    slips_of,
    style_of_people,
    typo_rate,
    write_style,
)
from trialogue.simulation.llm.users import LlmUsers
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.world import World


def dialogue(*texts: str, user: str | None = None, name: str = "d") -> Dialogue:
    said = tuple(Utterance(speaker="user", text=text) for text in texts)
    return Dialogue(id=name, utterances=(*said, Utterance(speaker="system", text="no no no no no")), user=user)


def texts_of(count: int, *, rate: float = 0.0) -> list[str]:
    """Texts of eight of 300 made-up words, of which some have a slip."""
    rng = np.random.default_rng(5)
    words = ["".join(rng.choice(list("abcdefghijklmnopqrtuvwxz"), 7)) for _ in range(300)]
    plain = [" ".join(rng.choice(words, 8)) for _ in range(count)]
    return [add_typos(text, rate, RandomSource(rng)) for text in plain]


def test_lengths_and_examples_are_of_the_users_alone() -> None:
    found = style_of_people(
        [dialogue("hi", "a b c", "...", user="x"), dialogue("a b c d e f", user="x"), dialogue("one two three four")]
    )
    assert (found.people, found.messages, found.mean_words) == (2, 4, 3.5)  # 1, 3, 6 and 4 words
    assert found.words == 6  # the least that four of five do not exceed: 1, 3, 4, 6
    assert sorted(found.examples) == [("hi", "a b c", "a b c d e f"), ("one two three four",)]
    assert found.typos is None  # too few words


def test_long_messages_are_no_examples_and_a_person_has_five_at_most() -> None:
    found = style_of_people([dialogue(*(f"message {number}" for number in range(9)), "long " * 40)])
    assert [len(each) for each in found.examples] == [5]
    assert not any("long" in text for each in found.examples for text in each)


def test_without_words_there_is_no_style() -> None:
    with pytest.raises(UsageError, match="the users of these dialogues write no words"):
        style_of_people([dialogue("...")])


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.03])
def test_planted_slips_are_estimated(rate: float) -> None:
    estimate = typo_rate(texts_of(1_500, rate=rate))
    assert estimate is not None
    assert estimate == pytest.approx(rate, abs=0.004)


def test_fewer_than_a_thousand_words_or_no_common_ones_give_no_rate() -> None:
    assert typo_rate(texts_of(100)) is None
    assert (
        typo_rate([f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}xyzw" for n in range(2_000)]) is None
    )


def test_inflected_forms_are_no_slips() -> None:
    assert not {"film", "films", "filmed"} & slips_of("films")
    assert {"mocie", "movei"} <= slips_of("movie")


def test_a_style_is_written_and_read(tmp_path: Path) -> None:
    style = style_of_people([dialogue("smth funny pls", user="x")])
    write_style(style, tmp_path / "style.json")
    assert read_style(tmp_path / "style.json") == style
    (tmp_path / "other.json").write_text('{"people": 0}')
    with pytest.raises(DataError, match=r"contains no writing style .*people: .*trialogue users fit"):
        read_style(tmp_path / "other.json")
    with pytest.raises(DataError, match="cannot be read"):
        read_style(tmp_path / "none.json")


def users(tmp_path: Path, kind: str = "single", **options: object) -> LlmUsers:
    write_style(
        PeopleStyle(people=2, messages=9, mean_words=3, words=5, typos=1.0, examples=(("yo",), ("hey dude",))),
        tmp_path / "style.json",
    )
    given = {"url": "http://localhost:9/v1", "model": "m", "style": str(tmp_path / "style.json"), **options}
    made = load_kind(f"llm:{kind}", **given).settle(World(films(), film_ratings()))
    assert isinstance(made, LlmUsers)
    return made


def test_a_case_is_shown_one_person_the_same_each_time(tmp_path: Path) -> None:
    made = users(tmp_path)
    shown = [made.describe_user("a nurse", str(case), seed=0) for case in range(20)]
    assert shown == [users(tmp_path).describe_user("a nurse", str(case), seed=0) for case in range(20)]
    assert all(text.startswith("Who you are: a nurse") for text in shown)
    assert all(("> yo" in text) != ("> hey dude" in text) for text in shown)
    assert len(set(shown)) == 2


def test_options_come_before_the_style(tmp_path: Path) -> None:
    policy = users(tmp_path).new("1", seed=0)._policy  # type: ignore[attr-defined]
    assert "mostly under 5 words" in policy._instruction
    policy = users(tmp_path, words=9).new("1", seed=0)._policy  # type: ignore[attr-defined]
    assert "mostly under 9 words" in policy._instruction
    slips = users(tmp_path).new("1", seed=0)._typing  # type: ignore[attr-defined]
    assert slips("something like that") != "something like that"
    assert users(tmp_path, typos=0).new("1", seed=0)._typing is None  # type: ignore[attr-defined]


def test_the_command_writes_a_style_and_states_it(tmp_path: Path) -> None:
    out = tmp_path / "style.json"
    found = CliRunner().invoke(app, ["users", "fit", "-d", "demo", "--out", str(out), "--method", "style"])
    assert found.exit_code == 0, found.output
    style = read_style(out)
    assert f"({style.people} people, {style.messages} messages of {style.mean_words:g} words" in found.output


def test_worded_users_are_shown_the_examples_and_make_no_slips(tmp_path: Path) -> None:
    assert "> " in users(tmp_path, "worded").new("1", seed=0)._instruction  # type: ignore[attr-defined]


@pytest.mark.mirror
@pytest.mark.parametrize(("corpus", "mean", "most"), [("crsarena-dial", 7.5, 0.01), ("inspired", 7.3, 0.01)])
def test_people_write_seven_words_and_slip_in_less_than_one_of_a_hundred(
    mirror: Path, corpus: str, mean: float, most: float
) -> None:
    found = style_of_people(gather([corpus]).dialogues)
    assert found.mean_words == pytest.approx(mean, abs=0.05)
    assert 0 < (found.typos or 0) < most
