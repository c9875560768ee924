"""Records to other formats and back; what a format cannot hold is reported."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from tests.records import strategies as made
from trialogue.datasets import AnyRecord, Repairs, get_format
from trialogue.datasets.conversion import convert, shard, targets
from trialogue.datasets.tables.format import guess_mapping, table_format
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.records import (
    Dialogue,
    ItemOpinion,
    Labeller,
    Mention,
    Rating,
    Response,
    Score,
    Situation,
    StrategyLabel,
    Utterance,
    read_records,
    situations_of,
)

SAMPLES = Path(__file__).parents[2] / "data"
HI, HELLO = Utterance(speaker="user", text='hi; "you",\nthere'), Utterance(speaker="system", text="hello é 😀")
PLAIN = Dialogue(id="a", utterances=(HI, HELLO), system="R2", user="w1")
RICH = Dialogue(
    id="b",
    utterances=(
        Utterance(
            speaker="system",
            text="Tin Moon!",
            id="7",
            strategies=(StrategyLabel(strategy="credibility", origin="expert", by=Labeller.PERSON),),
            mentions=(Mention(title="Tin Moon (1987)", item_id="9", start=0, end=8),),
            ranking=("9", "3"),
            ratings=(Rating(name="relevance", value=2.5, rater="x", low=1, high=3),),
            meta={"turn_id": 1},
        ),
    ),
    source="made",
    ratings=(Rating(name="satisfaction", value=4),),
    opinions=(ItemOpinion(title="Tin Moon (1987)", by="user", liked=True),),
    outcome={"fine": "accept"},
)
SITUATION = Situation(id="s1", context=(HI,), reference=HELLO, targets=("9",), dialogue_id="a", turn=0)
REPLY = Response(
    situation_id="s1",
    system="R2",
    utterance=Utterance(
        speaker="system",
        text="Tin Moon?",
        ratings=(Rating(name="fluency", value=3, rater="x"), Rating(name="fluency", value=2.25, rater="y")),
    ),
)
SCORE = Score(measure="m", level="system", value=1)


def to(records: list[AnyRecord], path: Path, target: str) -> tuple[int, list[str]]:
    repairs = Repairs()
    count = convert(records, path, to=target, note=repairs)
    return count, [str(problem) for problem in repairs.problems]


def test_our_own_format_holds_everything(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl.gz"
    everything: list[AnyRecord] = [RICH, SITUATION, REPLY, SCORE]
    assert to(everything, path, "trialogue") == (4, [])
    assert list(read_records(path, Dialogue, Situation, Response, Score)) == everything


def test_an_unknown_format_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'openai-chat'"):
        convert([PLAIN], tmp_path / "x", to="openai")
    assert targets() == ["csv", "dialoguekit", "openai-chat", "trialogue"]


@pytest.mark.parametrize("target", ["dialoguekit", "openai-chat", "csv"])
def test_a_format_that_can_hold_nothing_of_it_is_refused_and_writes_nothing(tmp_path: Path, target: str) -> None:
    path = tmp_path / "made"
    with pytest.raises(DataError, match=r"the input has none; given: score records \(2×\)"):
        to([SCORE, SCORE], path, target)
    with pytest.raises(DataError, match="given: nothing"):
        to([], path, target)
    assert list(tmp_path.iterdir()) == []


def test_chat_format_and_back_gives_the_same_dialogue(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    assert to([PLAIN], path, "openai-chat") == (1, [])
    assert json.loads(path.read_text()) == {
        "id": "a",
        "model": "R2",
        "user": "w1",
        "messages": [{"role": "user", "content": HI.text}, {"role": "assistant", "content": HELLO.text}],
    }
    [back] = get_format("openai-chat").read(path)
    assert back == PLAIN.model_copy(update={"source": "made"})


def test_what_was_said_beside_the_dialogue_goes_back_to_its_place(tmp_path: Path) -> None:
    repairs = Repairs()
    original = list(get_format("openai-chat").read(SAMPLES / "openai_chat" / "chat.jsonl", note=repairs))
    path = tmp_path / "chat.jsonl"
    _, notes = to(original, path, "openai-chat")
    assert list(get_format("openai-chat").read(path)) == original
    roles = [message["role"] for message in json.loads(path.read_text().splitlines()[0])["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant"]
    assert len(notes) == 1
    assert "dialogue source (2×)" in notes[0]


def test_what_the_chat_format_cannot_hold_is_counted(tmp_path: Path) -> None:
    count, [messages] = to([PLAIN, RICH, SITUATION, REPLY, SCORE], tmp_path / "made.jsonl", "openai-chat")
    assert count == 2
    for part in (
        "dialogue opinions (1×)",
        "dialogue outcome (1×)",
        "dialogue ratings (1×)",
        "utterance strategies (1×)",
        "utterance mentions (1×)",
        "utterance ranking (1×)",
        "utterance ratings (1×)",
        "situation records (1×)",
        "response records (1×)",
        "score records (1×)",
    ):
        assert part in messages


def test_dialoguekit_gets_the_dialogues(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    count, [messages] = to([PLAIN, RICH, SCORE], path, "dialoguekit")
    assert count == 2
    assert "score records (1×)" in messages
    assert list(get_format("dialoguekit").read(path)) == [PLAIN, RICH]


def test_dialogues_survive_csv_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    count, [messages] = to([PLAIN, RICH], path, "csv")
    assert count == 2
    for part in ("dialogue opinions (1×)", "ids of mentioned items (1×)", "origins of strategies (1×)", "raters (1×)"):
        assert part in messages
    mapping = guess_mapping(path, note=Repairs())
    assert mapping is not None
    plain, rich = table_format(mapping).read(path, note=Repairs())
    assert isinstance(plain, Dialogue)
    assert isinstance(rich, Dialogue)
    assert [(said.speaker, said.text) for said in plain.utterances] == [("user", HI.text), ("system", HELLO.text)]
    assert (plain.system, plain.user) == ("R2", "w1")
    [said] = rich.utterances
    assert said.id == "7"
    assert [label.strategy for label in said.strategies or ()] == ["credibility"]
    assert [(mention.title, mention.start) for mention in said.mentions or ()] == [("Tin Moon (1987)", 0)]
    assert said.ranking == ("9", "3")
    assert [(rating.name, rating.value) for rating in said.ratings] == [("relevance", 2.5)]
    assert [(rating.name, rating.value) for rating in rich.ratings] == [("satisfaction", 4)]


def test_responses_and_situations_survive_csv(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    count, [messages] = to([SITUATION, REPLY], path, "csv")
    assert count == 1
    assert "cannot store it: situation turn (1×)." in messages
    mapping = guess_mapping(path, note=Repairs())
    assert mapping is not None
    situation, reply = table_format(mapping).read(path, note=Repairs())
    assert situation == SITUATION.model_copy(update={"turn": None, "source": "made"})
    assert reply == REPLY


def test_situations_without_response_and_responses_without_situation_are_no_surprise(tmp_path: Path) -> None:
    lonely = SITUATION.model_copy(update={"id": "s2"})
    stray = REPLY.model_copy(update={"situation_id": "s9"})
    count, [messages] = to([lonely, stray], tmp_path / "made.csv", "csv")
    assert count == 1
    assert "situations without response (1×)" in messages


def test_two_ratings_of_one_utterance_by_several_are_reported(tmp_path: Path) -> None:
    ratings = tuple(Rating(name="fluency", value=value, rater=rater) for value, rater in ((1, "x"), (2, "y")))
    dialogue = PLAIN.model_copy(update={"utterances": (HI, HELLO.model_copy(update={"ratings": ratings}))})
    _, [messages] = to([dialogue], tmp_path / "made.csv", "csv")
    assert "repeated ratings with the same name (1×)" in messages


@given(dialogue=made.dialogues)
def test_any_dialogue_can_be_written_in_every_format(
    dialogue: Dialogue, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("made")
    for target in targets():
        path = folder / target
        assert to([dialogue], path, target)[0] == 1
        assert path.stat().st_size > 0


@given(dialogue=made.dialogues)
def test_texts_and_speakers_survive_the_chat_format(
    dialogue: Dialogue, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("made") / "made.jsonl"
    to([dialogue], path, "openai-chat")
    [back] = get_format("openai-chat").read(path, note=Repairs())
    assert isinstance(back, Dialogue)
    assert [(said.speaker, said.text) for said in back.utterances] == [(s.speaker, s.text) for s in dialogue.utterances]


@pytest.mark.mirror
@pytest.mark.parametrize(("corpus", "count"), [("inspired", 198), ("redial", 1000), ("infact", 70)])
def test_real_corpora_can_be_written_as_csv_and_chat_and_read_again(
    mirror: Path, tmp_path: Path, corpus: str, count: int
) -> None:
    records = list(get_format(corpus).read(mirror / corpus, note=Repairs()))
    texts = [[said.text for said in record.utterances] for record in records if isinstance(record, Dialogue)]
    assert to(records, tmp_path / "made.csv", "csv")[0] == count
    assert to(records, tmp_path / "made.jsonl", "openai-chat")[0] == count
    mapping = guess_mapping(tmp_path / "made.csv", note=Repairs())
    assert mapping is not None
    for back in (
        table_format(mapping).read(tmp_path / "made.csv", note=Repairs()),
        get_format("openai-chat").read(tmp_path / "made.jsonl", note=Repairs()),
    ):
        assert [[said.text for said in record.utterances] for record in back if isinstance(record, Dialogue)] == texts


def test_situations_cut_from_dialogues_keep_their_ids(tmp_path: Path) -> None:
    cut = list(situations_of(PLAIN))
    replies = [REPLY.model_copy(update={"situation_id": each.id}) for each in cut]
    to([*cut, *replies], tmp_path / "made.csv", "csv")
    mapping = guess_mapping(tmp_path / "made.csv", note=Repairs())
    assert mapping is not None
    back = list(table_format(mapping).read(tmp_path / "made.csv", note=Repairs()))
    assert [record.id for record in back if isinstance(record, Situation)] == ["a#1"]


def test_shards_hold_every_record_once_in_order(tmp_path: Path) -> None:
    records = [Dialogue(id=str(n), system="a", utterances=()) for n in range(7)]
    files = shard(iter(records), tmp_path / "new" / "shards", size=3, suffix=".jsonl.gz")
    assert [path.name for path in files] == [f"part-00000{n}.jsonl.gz" for n in range(3)]
    assert [each for path in files for each in read_records(path, Dialogue)] == records
    assert len(list(read_records(files[-1], Dialogue))) == 1


def test_shards_are_neither_mixed_with_older_files_nor_made_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "part-000009.jsonl").write_text("")
    with pytest.raises(UsageError, match="is not empty: name a new folder"):
        shard([Dialogue(id="1", system="a", utterances=())], tmp_path, size=3)
    with pytest.raises(UsageError, match="is a file, not a folder"):
        shard([Dialogue(id="1", system="a", utterances=())], tmp_path / "part-000009.jsonl", size=3)
    with pytest.raises(DataError, match="there are no records to write"):
        shard([], tmp_path / "none", size=3)
    assert not (tmp_path / "none").exists()
