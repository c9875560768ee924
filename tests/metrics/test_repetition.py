"""Repetition in the dialogue, in the reply, and over all replies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.replies import of, reply, scores, value, why
from trialogue.errors import UsageError
from trialogue.metrics import Settings, conversations_of, get_metric, measure
from trialogue.metrics.repetition import Repetition
from trialogue.records import Dialogue, Reason, ReasonCode, Score, Utterance


def dialogue(*texts: str) -> Dialogue:
    """A dialogue in which user and system take turns, the user first, repeating each other's words."""
    utterances = tuple(
        Utterance.model_validate({"speaker": ("user", "system")[place % 2], "text": text})
        for place, text in enumerate(texts)
    )
    return Dialogue(id="d", utterances=utterances, system="A")


def in_dialogue(*texts: str) -> tuple[Score, list[Score]]:
    single: list[Score] = []
    metric = get_metric("repetition@self")
    found = measure(conversations_of([dialogue(*texts)]), [metric], settings=Settings(resamples=2), sink=single.append)
    return found[0], [score for score in single if score.level == "utterance"]


def test_a_reply_repeats_if_the_system_said_it_before() -> None:
    system, single = in_dialogue(
        "Hi", "What do you like?", "Heat", "See  Heat", "no", "See Heat", "no", "What do you like?"
    )
    assert [score.value for score in single] == [0, 0, 1, 1]
    assert system.value == 0.5


def test_repeating_the_user_is_no_repetition_and_case_matters() -> None:
    system, _ = in_dialogue("Hello", "Hello", "bye", "hello")
    assert system.value == 0


def test_a_dialogue_of_one_turn_repeats_nothing() -> None:
    assert in_dialogue("Hi", "Hello")[0].value == 0


def test_empty_replies_are_left_out() -> None:
    system, _ = in_dialogue("Hi", "", "Hi", "", "Hi", "Hello")
    assert (system.value, system.skipped) == (0, 2)
    for variant in ("self", "corpus"):
        assert why(f"repetition@{variant}", " ") == "the reply is empty"


def test_what_a_system_said_before_a_situation_is_not_known() -> None:
    found = scores("repetition@self", [reply("Hello", situation="s1", context=["Hello"])])[0]
    assert found.value is None
    assert found.why == Reason.of(ReasonCode.EARLIER_REPLIES_UNKNOWN)
    assert get_metric("repetition@self").card.needs == ("dialogue",)


def test_ngrams_that_recur_within_a_reply() -> None:
    # so so so so: 3 bigrams, 1 distinct; I like it: 2 of 2
    assert of("repetition(n=2)@ngram", "so so so so") == pytest.approx(2 / 3)
    assert value("repetition(n=2)@ngram", [reply("so so so so"), reply("I like it")]) == pytest.approx(1 / 3)
    assert of("repetition@ngram", "a b c d a b c d") == pytest.approx(1 - 4 / 5)  # n = 4
    assert why("repetition@ngram", "a b c") == "the reply has fewer words than an n-gram of 4"


def test_replies_that_recur_in_any_dialogue() -> None:
    units = [reply("Hello"), reply("Hello "), reply("hello"), reply("Hello")]
    assert value("repetition@corpus", units) == 1 - 2 / 4
    assert of("repetition@corpus", "神 🙂") == 0


@given(texts=st.lists(st.sampled_from(["a", "b b", "c c c"]), min_size=1, max_size=6))
def test_a_second_implementation_agrees(texts: list[str]) -> None:
    units = [reply(text) for text in texts]
    assert value("repetition@corpus", units) == pytest.approx(1 - len(set(texts)) / len(texts))
    shares = [1 - len(set(text.split())) / len(text.split()) for text in texts]
    assert value("repetition(n=1)@ngram", units) == pytest.approx(sum(shares) / len(shares))


def test_n_is_in_the_name_where_it_matters() -> None:
    assert get_metric("repetition(n=3)@ngram").measure == "repetition(n=3)@ngram|v1"
    assert get_metric("repetition@ngram").measure == "repetition(n=4)@ngram|v1"
    with pytest.raises(UsageError, match="Only repetition@ngram has an n"):
        get_metric("repetition(n=3)@corpus")
    with pytest.raises(UsageError, match="n must be a whole number"):
        Repetition(variant="ngram", n=0)
