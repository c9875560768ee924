import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.records import Dialogue, Labeller, Mention, StrategyLabel, Utterance, merge_turns
from trialogue.strategies.next_strategy.sequence import (
    START,
    UNLABELLED,
    USER_ACTS,
    histories_of,
    latest,
    sequences_hash,
    sequences_of,
    tokens_of,
    user_act,
)


def says(text: str, *strategies: str, origin: str = "expert") -> Utterance:
    labels = tuple(StrategyLabel(strategy=name, origin=origin, by=Labeller.PERSON) for name in strategies) or None
    return Utterance(speaker="system", text=text, strategies=labels)


def asks(text: str, *titles: str) -> Utterance:
    return Utterance(speaker="user", text=text, mentions=tuple(Mention(title=title) for title in titles))


TALK = Dialogue(
    id="d",
    utterances=(
        says("Hello!", "no_strategy"),
        says("Do you like comedies?", "opinion_inquiry"),
        asks("Yes."),
        asks("What do you recommend?"),
        says("Coco.", "encouragement"),
        asks("Thanks, bye"),
    ),
)


def test_a_dialogue_becomes_strategies_and_one_act_for_each_user_turn() -> None:
    assert tokens_of(TALK.utterances) == (
        START,
        "no_strategy",
        "opinion_inquiry",
        "user:question",
        "encouragement",
        "user:thanks",
    )


def test_user_turns_may_be_all_alike_or_left_out() -> None:
    assert tokens_of(TALK.utterances, user="turn")[3:] == ("user:turn", "encouragement", "user:turn")
    assert tokens_of(TALK.utterances, user="none") == (START, "no_strategy", "opinion_inquiry", "encouragement")


def test_joining_the_utterances_of_a_turn_changes_nothing() -> None:
    assert tokens_of(merge_turns(TALK).utterances) == tokens_of(TALK.utterances)


@pytest.mark.parametrize(
    ("text", "titles", "act"),
    [
        ("Thank you, I will watch it?", [], "user:thanks"),
        ("Have a great day", [], "user:thanks"),
        ("Is Coco funny?", ["Coco"], "user:question"),
        ("Yes, I liked Coco", ["Coco"], "user:mention"),
        ("yeah sure", [], "user:yes"),
        ("I haven't seen that", [], "user:no"),
        ("I haven’t seen that", [], "user:no"),
        ("Hi there!", [], "user:greeting"),
        ("Comedies mostly", [], "user:statement"),
        ("", [], "user:statement"),
    ],
)
def test_the_first_act_that_applies_decides(text: str, titles: list[str], act: str) -> None:
    assert user_act([asks(text, *titles)]) == act


@given(st.text(max_size=30), st.booleans())
def test_every_text_is_some_act(text: str, named: bool) -> None:
    assert user_act([asks(text, *(["Coco"] if named else []))]) in dict(USER_ACTS)


def test_only_labels_of_whoever_gave_the_first_one_count() -> None:
    labels = (
        StrategyLabel(strategy="similarity", origin="expert", by=Labeller.PERSON),
        StrategyLabel(strategy="credibility", origin="second", by=Labeller.PERSON),
    )
    assert tokens_of([Utterance(speaker="system", text="Me too", strategies=labels)]) == (START, "similarity")


def test_a_system_utterance_without_labels_is_in_the_history_and_never_predicted() -> None:
    unlabelled = Dialogue(id="u", utterances=(says("Hello"),))
    assert tokens_of(unlabelled.utterances) == (START, UNLABELLED)
    assert list(sequences_of([unlabelled, TALK])) == ["d"]


def test_dialogues_without_any_label_are_refused_with_a_hint() -> None:
    with pytest.raises(UsageError, match="Label them first"):
        sequences_of([Dialogue(id="u", utterances=(says("Hello"),))])


def test_two_dialogues_of_one_id_are_refused() -> None:
    with pytest.raises(UsageError, match="two dialogues have the id 'd'"):
        sequences_of([TALK, TALK])


def test_another_way_to_write_user_turns_is_refused() -> None:
    with pytest.raises(UsageError, match="user must be acts, turn, none, got 'all'"):
        tokens_of([], user="all")  # type: ignore[arg-type]


@pytest.mark.parametrize("user", ["acts", "turn", "none"])
def test_the_history_of_an_utterance_is_what_the_dialogue_up_to_it_gives(user: str) -> None:
    for index, history in histories_of(TALK, user=user):  # type: ignore[arg-type]
        assert history == tokens_of(TALK.utterances[:index], user=user)  # type: ignore[arg-type]
    assert [index for index, _ in histories_of(TALK)] == [0, 1, 4]


def test_nothing_said_is_only_the_beginning() -> None:
    assert tokens_of([]) == (START,)
    assert list(histories_of(Dialogue(id="e", utterances=()))) == []


@given(st.lists(st.sampled_from("abc"), max_size=6), st.integers(0, 8))
def test_the_latest_tokens_are_at_most_t_and_end_the_history(tokens: list[str], t: int) -> None:
    found = latest(tuple(tokens), t)
    assert len(found) == min(t, len(tokens))
    assert tuple(tokens)[len(tokens) - len(found) :] == found


def test_the_hash_of_sequences_knows_where_one_ends() -> None:
    assert sequences_hash([("a", "b"), ("c",)]) != sequences_hash([("a",), ("b", "c")])
