"""Turns, user act ratio, words per turn: by hand, and the published numbers of KDD 2020 and DialogueKit."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.metrics import Settings, Undefined, all_variants, conversations_of, get_metric, measure
from trialogue.metrics.dialogue.turns import turns_of
from trialogue.records import Dialogue, Reason, ReasonCode, Score, Utterance

SPEAKERS = {"u": "user", "s": "system"}


def dialogue(who: str, *, name: str = "d", text: str = "one two") -> Dialogue:
    """A dialogue from letters: ``"uss"`` is a user utterance and two of the system."""
    utterances = tuple(Utterance.model_validate({"speaker": SPEAKERS[letter], "text": text}) for letter in who)
    return Dialogue(id=name, utterances=utterances, system="A")


def score(name: str, *dialogues: Dialogue) -> Score:
    return measure(conversations_of(dialogues), [get_metric(name)], settings=Settings(resamples=10))[0]


@pytest.mark.parametrize(
    ("who", "user", "switches", "utterances", "system"),
    [
        ("usus", 2, 1.5, 4, 2),
        ("susu", 2, 1.5, 4, 2),
        ("usssuu", 3, 1.0, 6, 1),
        ("uuu", 3, 0.0, 3, 0),
        ("s", 0, 0.0, 1, 1),
        ("", 0, 0.0, 0, 0),
    ],
)
def test_lengths_of_one_dialogue(who: str, user: int, switches: float, utterances: int, system: int) -> None:
    one = dialogue(who)
    assert score("turns", one).value == user
    assert score("turns@dialoguekit", one).value == switches
    assert score("turns@utterances", one).value == utterances
    assert score("turns@system_turns", one).value == system


def test_user_act_ratio_of_two_dialogues_differs_by_definition() -> None:
    two = (dialogue("us", name="1"), dialogue("usss", name="2"))
    assert score("user_act_ratio", *two).value == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert score("user_act_ratio@pooled", *two).value == pytest.approx(2 / 6)
    assert score("user_act_ratio@dialoguekit", *two).value == pytest.approx(2 / 4)


def test_user_act_ratio_of_an_empty_dialogue_is_undefined() -> None:
    found = score("user_act_ratio", dialogue("", name="1"), dialogue("us", name="2"))
    assert found.value == 0.5
    assert found.skipped == 1
    assert score("user_act_ratio@pooled", dialogue("")).why == Reason.of(ReasonCode.DIALOGUE_EMPTY)


def test_dialoguekit_s_ratio_has_no_value_where_the_system_is_silent() -> None:
    assert score("user_act_ratio@dialoguekit", dialogue("uu")).value is None
    assert score("user_act_ratio@dialoguekit", dialogue("uu", name="1"), dialogue("us", name="2")).value == 3.0


def test_words_per_turn_takes_a_run_of_utterances_as_one_turn() -> None:
    assert score("words_per_turn", dialogue("usssus")).value == 4.0  # 4 utterances of 2 words in 2 turns
    assert score("words_per_turn@user", dialogue("usssus")).value == 2.0


def test_words_per_turn_counts_words_of_every_script_by_white_space() -> None:
    assert score("words_per_turn", dialogue("s", text="你好  世界\n!")).value == 3.0
    assert score("words_per_turn", dialogue("s", text="")).value == 0.0


@pytest.mark.parametrize(("variant", "who"), [("system", "uu"), ("user", "ss")])
def test_words_per_turn_of_a_silent_speaker_are_undefined(variant: str, who: str) -> None:
    assert str(score(f"words_per_turn@{variant}", dialogue(who)).why) == f"the {variant} has no text in it"


def test_each_variant_says_its_unit() -> None:
    units = [metric.card.unit for metric in all_variants("turns")]
    assert len(set(units)) == len(units)
    assert get_metric("user_act_ratio@dialoguekit").card.high is None
    assert get_metric("user_act_ratio").card.high == 1


def test_no_table_may_rank_by_length() -> None:
    assert {get_metric(name).card.better for name in ("turns", "user_act_ratio", "words_per_turn")} == {"neither"}


@settings(deadline=None)
@given(st.text("us", max_size=12))
def test_turns_are_runs(who: str) -> None:
    one = dialogue(who)
    runs = [run for run in who.replace("us", "u s").replace("su", "s u").split() if run]
    assert turns_of(one.utterances, "system") == sum(run[0] == "s" for run in runs)
    half: Any = get_metric("turns@dialoguekit")
    assert half.statistics(one)[0] == max(len(runs) - 1, 0) / 2


@settings(deadline=None)
@given(st.text("us", max_size=12))
def test_the_user_s_share_is_a_share(who: str) -> None:
    metric: Any = get_metric("user_act_ratio")
    statistics = metric.statistics(dialogue(who))
    assert isinstance(statistics, Undefined) or 0 <= statistics[0] / statistics[1] <= 1


def kdd(mirror: Path, file: str) -> list[Dialogue]:
    speakers = {"user": "u", "agent": "s"}
    content = json.loads((mirror / "kdd2020" / file).read_text(encoding="utf-8"))
    return [dialogue("".join(speakers[row[0]] for row in rows), name=name) for name, rows in content.items()]


# Zhang & Balog (KDD 2020), Table 4, "Real users"; DialogueKit's numbers: see golden/recommendation.md
PUBLISHED = {
    "1219_andchill.json": (9.20, 8.64, 0.374, 0.599, 384),
    "1225_mb.json": (14.84, 14.30, 0.501, 1.003, 370),
    "1224_ms.json": (20.24, 19.74, 0.500, 1.000, 506),
}


@pytest.mark.mirror
@pytest.mark.parametrize("file", PUBLISHED)
def test_the_real_users_of_kdd_2020_come_out(mirror: Path, file: str) -> None:
    turns, switches, share, to_system, agent_utterances = PUBLISHED[file]
    dialogues = kdd(mirror, file)
    assert len(dialogues) == 25
    assert score("turns", *dialogues).value == pytest.approx(turns, abs=1e-9)
    assert score("turns@dialoguekit", *dialogues).value == pytest.approx(switches, abs=1e-9)
    assert score("user_act_ratio", *dialogues).value == pytest.approx(share, abs=5e-4)
    assert score("user_act_ratio@dialoguekit", *dialogues).value == pytest.approx(to_system, abs=5e-4)
    whole = score("turns@utterances", *dialogues).value
    assert whole == pytest.approx(turns + agent_utterances / 25)


@pytest.mark.mirror
def test_pooling_is_not_what_kdd_2020_did(mirror: Path) -> None:
    pooled = score("user_act_ratio@pooled", *kdd(mirror, "1219_andchill.json")).value
    assert pooled == pytest.approx(230 / 614)  # .3746, printed .374
    assert f"{pooled:.3f}" == "0.375"
