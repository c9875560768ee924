"""Dialogues as bubbles."""

from hypothesis import given
from hypothesis import strategies as st

from tests.render.made import examples
from trialogue.records import Dialogue, Mention, Utterance
from trialogue.subjects.evaluation.pages.chat import Segment, chat, segments

OFFSETS = st.none() | st.integers(-3, 40)


@given(st.text(max_size=30), st.lists(st.tuples(OFFSETS, OFFSETS), max_size=5))
def test_the_pieces_make_the_text_whatever_the_offsets(text: str, places: list[tuple[int | None, int | None]]) -> None:
    mentions = [Mention(title="t", start=start, end=end) for start, end in places]
    assert "".join(piece.text for piece in segments(text, mentions)) == text


def test_of_two_overlapping_mentions_the_first_is_marked() -> None:
    mentions = [Mention(title="late", start=2, end=6), Mention(title="early", start=0, end=4)]
    assert segments("abcdef", mentions) == (Segment("abcd", "early"), Segment("ef"))


def test_a_chat_knows_who_speaks_and_what_the_measures_are_called() -> None:
    example = examples("good", "bad")[0].model_copy(update={"facts": {"turns@pairs|v1": "4"}})
    found = chat(example, names={"human:satisfaction": "Satisfaction", "turns@pairs|v1": "Turns"})
    assert (found.measure, found.value, found.facts) == ("Satisfaction", "1", {"Turns": "4"})
    assert [bubble.speaker for bubble in found.bubbles[:2]] == ["User", "good"]
    assert found.bubbles[1].tags == ("experience inquiry",)
    assert found.bubbles[3].segments[0] == Segment("Heat (1995)", "Heat (1995)")


def test_a_long_first_utterance_is_cut_at_a_word_and_an_empty_one_passed_over() -> None:
    utterances = (Utterance(speaker="user", text=" "), Utterance(speaker="user", text="word " * 40))
    example = examples("a", "b")[0].model_copy(update={"dialogue": Dialogue(id="d", utterances=utterances)})
    found = chat(example, names={})
    assert found.preview.endswith("word …")
    assert len(found.preview) < 95
    assert found.system == "system"


@given(st.integers(0, 40))
def test_a_long_dialogue_shows_how_it_begins_and_ends_and_says_how_much_is_left_out(size: int) -> None:
    utterances = tuple(Utterance(speaker="user", text=str(place)) for place in range(size))
    example = examples("a", "b")[0].model_copy(update={"dialogue": Dialogue(id="d", utterances=utterances)})
    found = chat(example, names={})
    texts = [bubble.segments[0].text for bubble in found.bubbles]
    assert len(texts) + found.left_out == size
    assert texts[: found.first] == [str(place) for place in range(min(size, found.first))]
    assert texts[found.first :] == [str(place) for place in range(found.first + found.left_out, size)]
    assert found.left_out == 0 or found.left_out > 2
