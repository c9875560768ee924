"""What `align` and labelling say of input that cannot be aligned: a clear error, or a declared None."""

import json
from pathlib import Path

import pytest

from tests.cli.test_strategy_commands import run as command
from tests.demo_records import demo_responses, demo_situations
from tests.strategies.made import examples
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.inputs.inputs import InputRecords
from trialogue.inputs.names import read_names, with_names
from trialogue.metrics import get_metric
from trialogue.metrics.base import Reply, Undefined
from trialogue.records import (
    Dialogue,
    Labeller,
    Reason,
    ReasonCode,
    Record,
    Response,
    Situation,
    StrategyLabel,
    Utterance,
    write_records,
)
from trialogue.strategies import evaluate_trained, examples_of, load_model
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.labelling import label_records
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import save_model
from trialogue.subjects.alignment.commands.align import align


def written(path: Path, *records: Record) -> Path:
    write_records(path, records)
    return path


def aligned(path: Path) -> object:
    return align([path], [], resamples=100, baselines=False)


def relabelled(situation: Situation, name: str | None) -> Situation:
    assert situation.reference is not None
    labels = None if name is None else (StrategyLabel(strategy=name, origin="expert", by=Labeller.PERSON),)
    return situation.model_copy(update={"reference": situation.reference.model_copy(update={"strategies": labels})})


def test_replies_to_situations_that_are_not_there_are_all_named(tmp_path: Path) -> None:
    first, *_ = demo_responses()
    lost = [first.model_copy(update={"situation_id": name}) for name in ("nowhere", "gone")]
    with pytest.raises(DataError) as refused:
        aligned(written(tmp_path / "d.jsonl", *demo_situations(), *lost))
    assert "'nowhere'" in str(refused.value)
    assert "'gone'" in str(refused.value)
    assert "Give the file of situations too" in str(refused.value)


def test_without_any_reference_nobody_knows_what_a_human_would_do(tmp_path: Path) -> None:
    bare = [situation.model_copy(update={"reference": None}) for situation in demo_situations()]
    with pytest.raises(DataError, match="the human's reply is unknown"):
        aligned(written(tmp_path / "d.jsonl", *bare, *demo_responses()))


def test_a_situation_without_reference_among_others_is_left_out_and_said_so(tmp_path: Path) -> None:
    first, *others = demo_situations()
    mixed = [first.model_copy(update={"reference": None}), *others]
    run = align([written(tmp_path / "d.jsonl", *mixed, *demo_responses())], [], resamples=100, baselines=False)
    counts = {standing.estimate.n for standing in run.league("behavior_alignment").standings}
    assert max(counts) < len(demo_situations())


def test_references_that_nobody_labelled_are_labelled_by_the_model(tmp_path: Path) -> None:
    bare = [relabelled(situation, None) for situation in demo_situations() if situation.reference is not None]
    run = align([written(tmp_path / "d.jsonl", *bare, *demo_responses())], [], resamples=100, baselines=False)
    assert run.findings.primary is not None
    assert run.findings.primary.startswith("implicit_alignment")  # not the count that a model's labels would bias
    reference = run.material.situations[0].reference
    assert reference is not None
    assert reference.strategies
    assert reference.strategies[0].origin.startswith("tfidf|")


def test_labels_of_a_model_in_the_files_are_not_taken_for_those_of_people(tmp_path: Path) -> None:
    bare = [relabelled(situation, None) for situation in demo_situations() if situation.reference is not None]
    labelled = list(label_records(bare, default_model()))
    run = align([written(tmp_path / "d.jsonl", *labelled, *demo_responses())], [], resamples=100, baselines=False)
    assert run.findings.primary is not None
    assert run.findings.primary.startswith("implicit_alignment")
    assert any("uses a model's labels" in warning for warning in run.findings.warnings)


def test_other_spellings_of_our_names_are_understood_without_a_file_of_names(tmp_path: Path) -> None:
    def respelt(said: Utterance) -> Utterance:
        labels = [label.model_copy(update={"strategy": spelt(label.strategy)}) for label in said.strategies or ()]
        return said.model_copy(update={"strategies": tuple(labels)})

    def spelt(name: str) -> str:
        return "none" if name == "no_strategy" else name.replace("_", " ").title()

    replies = [one.model_copy(update={"utterance": respelt(one.utterance)}) for one in demo_responses()]
    path = written(tmp_path / "d.jsonl", *demo_situations(), *replies)
    run = align([path], [], resamples=100, baselines=False)
    same = align(["demo"], [], resamples=100, baselines=False)
    assert [one.estimate.value for one in run.league("behavior_alignment").standings] == [
        one.estimate.value for one in same.league("behavior_alignment").standings
    ]
    assert not any("not among the 13" in warning for warning in run.findings.warnings)
    material = with_names(InputRecords(responses=replies), {}, spellings=False)
    assert material.responses == replies  # of another set, "none" is a word like any other


def test_unlabelled_references_are_undefined_for_the_metric_itself() -> None:
    said = Utterance(speaker="system", text="Me too")
    found = get_metric("behavior_alignment").statistics(Reply("A", said, reference=said, turn=3))  # type: ignore[union-attr]
    assert isinstance(found, Undefined)
    assert "no strategy labels" in str(found.why)


def test_a_typo_in_a_label_is_no_mismatch_but_undefined_with_a_guess() -> None:
    good, bad = (
        Utterance(
            speaker="system", text="x", strategies=(StrategyLabel(strategy=name, origin="expert", by=Labeller.PERSON),)
        )
        for name in ("credibility", "credibilty")
    )
    found = get_metric("behavior_alignment").statistics(Reply("A", bad, reference=good, turn=3))  # type: ignore[union-attr]
    assert isinstance(found, Undefined)
    assert "did you mean 'credibility'" in str(found.why)


def labelled(name: str) -> Dialogue:
    said = Utterance(
        speaker="system",
        text="Have you seen it?",
        strategies=(StrategyLabel(strategy=name, origin="expert", by=Labeller.PERSON),),
    )
    return Dialogue(id="d", utterances=(said,))


def test_unknown_strategies_in_training_data_are_refused_and_a_mapping_helps() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'experience_inquiry'"):
        list(examples_of([labelled("experience_enquiry")]))
    (example,) = examples_of([labelled("asks")], mapping={"asks": "experience_inquiry"})
    assert example.label == "experience_inquiry"


def test_a_model_of_other_classes_is_not_judged_on_ours() -> None:
    given = [one.model_copy(update={"label": "recommend-show"}) for one in examples_of([labelled("similarity")])]
    with pytest.raises(UsageError, match=r"no label in the data .* is a class of the model"):
        evaluate_trained(default_model(), default_model().same_coefficients, given)


def test_a_model_that_lacks_people_s_strategies_is_refused_and_else_reported(tmp_path: Path) -> None:
    two = ("experience_inquiry", "opinion_inquiry")
    save_model(train(examples(20, classes=two), kind="majority"), tmp_path / "two")
    bare = [one.model_copy(update={"utterance": Utterance(speaker="system", text="So?")}) for one in demo_responses()]
    people = written(tmp_path / "people.jsonl", *demo_situations(), *bare)
    with pytest.raises(DataError, match=r"does not know: .*credibility \(\d+ times\)") as refused:
        align([people], [], model=str(tmp_path / "two"), resamples=100)
    assert "experience_inquiry (" not in str(refused.value)
    kept = [one for one in demo_situations() if one.reference and first(one.reference) in two]
    ids = {one.id for one in kept}
    known = written(tmp_path / "known.jsonl", *kept, *(one for one in bare if one.situation_id in ids))
    found = align([known], [], model=str(tmp_path / "two"), resamples=100, baselines=False)
    assert sum("knows 2 of the 14 strategies" in line for line in found.findings.warnings) == 1
    explicit = align(["demo"], [], model=str(tmp_path / "two"), resamples=100, baselines=False)  # asks no model
    assert not any("14 strategies" in line for line in explicit.findings.warnings)


def first(said: Utterance) -> str | None:
    return said.strategies[0].strategy if said.strategies else None


def test_sides_labelled_with_different_sets_are_undefined() -> None:
    ours, theirs = (
        Utterance(
            speaker="system", text="x", strategies=(StrategyLabel(strategy=name, origin="expert", by=Labeller.PERSON),)
        )
        for name in ("credibility", "Recommend-show")
    )
    metric = get_metric("behavior_alignment(taxonomy=any)")
    found = metric.statistics(Reply("A", theirs, reference=ours, turn=3))  # type: ignore[union-attr]
    assert isinstance(found, Undefined)
    assert "different label sets" in str(found.why)


def test_a_corpus_in_another_language_is_refused(tmp_path: Path) -> None:
    german = "Hast du den neuen Film schon gesehen oder soll ich dir einen anderen empfehlen?"
    situations = [
        Situation(
            id=f"s{n}",
            context=(Utterance(speaker="user", text="Ich suche etwas."),),
            reference=Utterance(speaker="system", text=f"{german} {n}"),
            dialogue_id=f"d{n}",
            turn=2,
        )
        for n in range(12)
    ]
    replies = [
        Response(situation_id=one.id, system="A", utterance=Utterance(speaker="system", text=f"{german} Ja {one.id}"))
        for one in situations
    ]
    path = written(tmp_path / "d.jsonl", *situations, *replies)
    with pytest.raises(DataError, match="in German") as refused:
        aligned(path)
    assert "any_language" in str(refused.value)
    said = command(
        "align",
        "-s",
        path,
        "--set",
        "any_language=true",
        "--set",
        "baselines=false",
        "--set",
        "resamples=100",
        "-o",
        tmp_path / "out",
    )
    assert said.exit_code == 0, said.output


def test_empty_replies_are_left_out_and_counted(tmp_path: Path) -> None:
    silent = [
        Response(situation_id=one.id, system="mute", utterance=Utterance(speaker="system", text=""))
        for one in demo_situations()
    ]
    bare = [relabelled(one, None) for one in demo_situations()]
    run = align([written(tmp_path / "d.jsonl", *bare, *silent, *demo_responses())], [], resamples=100, baselines=False)
    (mute,) = [one for one in run.league("implicit_alignment").standings if one.system == "mute"]
    assert mute.estimate.value is None
    assert mute.estimate.why == Reason.of(ReasonCode.BELIEF_MISSING)


def test_one_conversation_has_a_value_and_no_interval(tmp_path: Path) -> None:
    own = demo_situations()[0].dialogue_id
    situations = [one for one in demo_situations() if one.dialogue_id == own]
    ids = {one.id for one in situations}
    replies = [one for one in demo_responses() if one.situation_id in ids]
    run = align([written(tmp_path / "d.jsonl", *situations, *replies)], [], resamples=100)
    for standing in run.league("behavior_alignment").standings:
        assert standing.estimate.value is not None
        assert standing.estimate.interval is None
        assert standing.estimate.why
    assert {one.system for one in run.league("behavior_alignment").standings} == {
        "aria",
        "bolt",
        "chip",
    }  # no baselines


def test_a_model_folder_that_holds_none_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no model here"):
        align(["demo"], [], model=str(tmp_path))
    (tmp_path / "model.json").write_text(json.dumps({"format": 99, "card": {}}), "utf-8")
    with pytest.raises(DataError, match="Upgrade"):
        load_model(tmp_path)


def test_names_of_another_set_are_mapped_by_a_file(tmp_path: Path) -> None:
    strange = [relabelled(one, "asks") for one in demo_situations()]
    data = written(tmp_path / "d.jsonl", *strange, *demo_responses())
    (tmp_path / "names.yaml").write_text("asks: Opinion Inquiry\n", "utf-8")
    run = align([data], [], names=tmp_path / "names.yaml", resamples=100, baselines=False)
    assert {one.n for one in run.profiles} == {45}
    assert run.profiles[0].human_mix == {"opinion_inquiry": 1.0}


def test_a_file_of_names_is_checked_whole(tmp_path: Path) -> None:
    path = tmp_path / "names.yaml"
    path.write_text("a: credibilty\nb: similarity\nc: nothing\n", "utf-8")
    with pytest.raises(DataError) as refused:
        read_names(path)
    assert len(refused.value.problems) == 2
    assert "Did you mean 'credibility'" in str(refused.value)
    path.write_text("no: no_strategy\nyes: Opinion Inquiry\n1: similarity\n", "utf-8")
    assert read_names(path) == {"no": "no_strategy", "yes": "opinion_inquiry", "1": "similarity"}  # no truth values
    for text in ("[1, 2]", "a: [", "", "a: similarity\na: credibility\n", "{" * 5_000):
        path.write_text(text, "utf-8")
        with pytest.raises(DataError):
            read_names(path)


def test_situations_without_earlier_turns_say_why_nothing_is_aligned(tmp_path: Path) -> None:
    """The terminal said that nothing could be computed, and not why: 80 of 80 replies were first turns."""
    texts = ["What genres do you like?", "I loved that one.", "Have you seen Heat?", "It stars Al Pacino."]
    records: list[Record] = []
    for number in range(8):
        user, said = (
            Utterance(speaker="user", text="Hello, can you recommend a film for tonight?"),
            Utterance(speaker="system", text=texts[number % 4]),
        )
        records.append(Situation(id=f"s{number}", context=(user,), reference=said, dialogue_id=f"d{number}"))
        records.append(Response(situation_id=f"s{number}", system="a", utterance=said))
    write_records(tmp_path / "r.jsonl", records)
    run = align([tmp_path / "r.jsonl"], [], resamples=100)
    assert run.answer.startswith(
        "The systems cannot be ranked: no measure with a direction could be computed (the metric omits the first turn of a "
        "conversation)."
    )
    assert any(
        line.startswith("8 of 8 replies belong to the first turn of a conversation") and "(first=include)'" in line
        for line in run.findings.warnings
    )
    included = align([tmp_path / "r.jsonl"], [], metrics=["behavior_alignment(first=include)"], resamples=100)
    assert not any("first turn of a conversation" in line for line in included.findings.warnings)
