"""Scores of units as columns, against the same scores one by one."""

from pathlib import Path

import numpy as np

from tests.metrics.replies import PAIRS, replies
from trialogue.metrics import Conversation, conversations_of, get_metrics, measure
from trialogue.metrics.engine.unit_scores import UnitTable
from trialogue.records import Dialogue, Record, Score, Utterance, read_records, write_records

OF_DIALOGUES = ["length", "distinct", "repetition@self", "turns@user_utterances", "success_rate@accept_rating_good"]


def dialogues() -> list[Dialogue]:
    """Seven, of two systems; one holds nothing, one an empty reply."""
    texts = [["hi there", "hello you"], ["a"], [], ["no no", "", "no no"], ["b c d"], ["x"], ["y", "y"]]
    return [
        Dialogue(
            id=str(place),
            system="ab"[place % 2],
            utterances=tuple(Utterance(speaker=who, text=text) for text in said for who in ("user", "system")),
        )
        for place, said in enumerate(texts)
    ]


def measured(conversations: list[Conversation], names: list[str]) -> tuple[list[Score], UnitTable]:
    """One by one, and as columns."""
    single: list[Score] = []
    table = UnitTable()
    metrics = get_metrics(names)
    assert measure(conversations, metrics, sink=single.append) == measure(conversations, metrics, sink=table)
    return single, table


def key(score: Score) -> str:
    return score.model_dump_json()


def test_the_table_holds_the_same_scores() -> None:
    offline = [Conversation("A", "c", tuple(replies([pair])), dialogue_id="d") for pair in PAIRS]
    for conversations, names in (
        (list(conversations_of(dialogues())), OF_DIALOGUES),
        (offline, ["bleu@crslab", "distinct@chars", "length"]),
    ):
        single, table = measured(conversations, names)
        assert sorted(map(key, table)) == sorted(map(key, single))
        assert len(table) == len(single)
        assert table[0] == next(iter(table))
        assert table[:3] == list(table)[:3]


def test_a_file_of_blocks_reads_as_the_scores(tmp_path: Path) -> None:
    _, table = measured(list(conversations_of(dialogues())), OF_DIALOGUES)
    blocks: list[Record] = list(table.blocks())
    assert write_records(tmp_path / "scores.jsonl", blocks) == 2  # a batch of two systems
    assert list(read_records(tmp_path / "scores.jsonl", Score)) == list(table)


def test_values_of_dialogues_by_system() -> None:
    single, table = measured(list(conversations_of(dialogues())), ["length"])
    (name,) = {score.measure for score in single}
    found = table.of_dialogues(name)
    np.testing.assert_array_equal(
        found["a"], [2.0, 3.0, 1.0]
    )  # dialogues 0, 4 and 6: mean words of a reply; 2 has none
    np.testing.assert_allclose(found["b"], [1.0, 4 / 3, 1.0])
    assert set(table.dialogue_values()) == {
        (score.system, score.dialogue_id, score.measure, score.value) for score in single if score.level == "dialogue"
    }


def test_measures_of_some_systems_can_be_left_out() -> None:
    _, table = measured(list(conversations_of(dialogues())), ["length", "turns@user_utterances"])
    (length,) = {score.measure for score in table if "length" in score.measure}
    kept = table.drop({(length, "a")})
    assert {(score.measure, score.system) for score in table} - {(score.measure, score.system) for score in kept} == {
        (length, "a")
    }
