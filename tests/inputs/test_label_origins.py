"""Whose labels correct a model: people's alone, however labels are written and whatever they are called."""

import json
from pathlib import Path

import pytest

from tests.cli.test_strategy_commands import run
from tests.subjects.alignment.commands.test_align_details import unlabelled
from tests.subjects.alignment.labelling.test_study import said_by_people
from trialogue.errors import DataError
from trialogue.inputs.inputs import InputRecords
from trialogue.inputs.label_origins import label_counts, with_labellers
from trialogue.metrics import offline_conversations
from trialogue.records import Dialogue, Labeller, Response, StrategyLabel, Utterance, write_records
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.alignment.commands.next_strategy import next_model
from trialogue.subjects.alignment.commands.result import AlignmentRun
from trialogue.subjects.alignment.labelling.answers import read_answers


def answers(path: Path, **more: str) -> Path:
    """Every pair of the demo labelled, without a probability, as an LLM would."""
    lines = [{"id": key, "strategy": name, **more} for key, name in said_by_people().items()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def aligned(folder: Path, labels: Path, by: Labeller | None = None) -> AlignmentRun:
    situations, responses = unlabelled()
    write_records(folder / "data.jsonl", [*situations, *responses])
    return align([folder / "data.jsonl"], [], answers=labels, labels_by=by, resamples=100, baselines=False)


def said(by: Labeller | None) -> Utterance:
    return Utterance(
        speaker="system", text="Me too.", strategies=(StrategyLabel(strategy="similarity", origin="x", by=by),)
    )


def test_labels_that_do_not_say_who_gave_them_are_asked_about_with_file_line_and_option(tmp_path: Path) -> None:
    path = answers(tmp_path / "answers.jsonl")
    with pytest.raises(DataError, match=r"answers\.jsonl, line 1, field by: .* do not state who gave them") as refused:
        aligned(tmp_path, path)
    assert "--set labels_by=person, model, llm or scripted" in str(refused.value)
    result = run(["align", "-s", str(tmp_path / "data.jsonl"), "--labels", str(path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert not (tmp_path / "out" / "report.html").exists()


def test_labels_of_an_llm_are_no_ground_truth(tmp_path: Path) -> None:
    """The first version said "labels by people on all 45 pairs" of these."""
    with pytest.raises(DataError, match="labels were given by an LLM") as refused:
        aligned(tmp_path, answers(tmp_path / "answers.jsonl"), Labeller.LLM)
    assert "--label-file" in str(refused.value)
    with pytest.raises(DataError, match="labels were given by a model"):
        read_answers(answers(tmp_path / "own.jsonl", by="model"))
    with pytest.raises(
        DataError, match="labels were given by an LLM"
    ):  # a file that says so is believed before the option
        read_answers(answers(tmp_path / "own.jsonl", by="llm"), by=Labeller.PERSON)
    with pytest.raises(DataError, match="no kind of labeller 'gpt'"):
        read_answers(answers(tmp_path / "own.jsonl", by="gpt"))


def test_labels_of_people_are_said_to_be_theirs(tmp_path: Path) -> None:
    found = aligned(tmp_path, answers(tmp_path / "answers.jsonl"), Labeller.PERSON)
    assert any("with labels by people on all 45 pairs" in warning for warning in found.findings.warnings)
    counts = {(each.system, each.side): each for each in found.findings.labels}
    assert set(counts) == {(name, side) for name in ("aria", "bolt", "chip") for side in ("reference", "reply")}
    assert all(each.is_by_people_alone and not each.is_rehearsed for each in counts.values())
    assert counts["aria", "reply"].by == {Labeller.PERSON: 63}  # of 63 situations, first turns among them


def test_labels_of_scripts_make_a_rehearsal_and_are_never_called_peoples(tmp_path: Path) -> None:
    found = aligned(tmp_path, answers(tmp_path / "answers.jsonl", by="scripted"))
    assert found.findings.warnings[0].startswith(
        "Labels that stand in for people's were given by scripts: this is a rehearsal"
    )
    assert any("with labels by scripts on all 45 pairs" in warning for warning in found.findings.warnings)
    assert not any("labels by people on all" in warning for warning in found.findings.warnings)
    assert all(each.is_rehearsed for each in found.findings.labels)


def test_records_whose_labels_do_not_say_who_gave_them_are_asked_about_too(tmp_path: Path) -> None:
    situations, responses = unlabelled()
    place = 5
    responses[place] = responses[place].model_copy(update={"utterance": said(None)})
    path = tmp_path / "data.jsonl"
    write_records(path, [*situations, *responses])
    line = len(situations) + place + 1
    with pytest.raises(DataError, match=rf"data\.jsonl, line {line}, field by: 1 strategy label does not state"):
        align([path], [], resamples=100, baselines=False)
    found = align([path], [], labels_by=Labeller.LLM, resamples=100, baselines=False)
    assert any("the labels of an LLM on 1 of " in warning for warning in found.findings.warnings)
    assert all(set(each.by) == {Labeller.MODEL} for each in found.findings.labels)  # the LLM's are replaced


def test_what_is_said_of_labels_holds_for_those_that_do_not_say_it_themselves() -> None:
    dialogues = [Dialogue(id="d", utterances=(said(None), said(Labeller.PERSON)))]
    material = with_labellers(InputRecords(dialogues=dialogues), Labeller.LLM, [])
    kinds = [label.by for each in material.dialogues[0].utterances for label in each.strategies or ()]
    assert kinds == [Labeller.LLM, Labeller.PERSON]


def test_planning_does_not_learn_from_labels_of_unknown_origin_as_if_people_gave_them(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    user = Utterance(speaker="user", text="hi")
    write_records(path, [Dialogue(id=f"d{n}", utterances=(user, said(None), user, said(None))) for n in range(3)])
    with pytest.raises(DataError, match=r"talks\.jsonl, line 1, field by: 6 strategy labels do not state"):
        next_model([str(path)])
    assert next_model([str(path)], labels_by=Labeller.PERSON).trained_on.startswith("3 labelled dialogues")


def test_labels_are_counted_by_who_gave_them_on_each_side() -> None:
    situations, _ = unlabelled()
    one = next(each for each in situations if each.turn != 0)
    situation = one.model_copy(update={"reference": said(Labeller.PERSON)})
    responses = [
        Response(situation_id=one.id, system=name, utterance=said(by))
        for name, by in (("a", Labeller.LLM), ("b", None), ("c", Labeller.MODEL))
    ]
    counts = label_counts(offline_conversations([situation], responses))
    assert [(each.system, each.side, each.by, each.unknown) for each in counts] == [
        ("a", "reference", {Labeller.PERSON: 1}, 0),
        ("a", "reply", {Labeller.LLM: 1}, 0),
        ("b", "reference", {Labeller.PERSON: 1}, 0),
        ("b", "reply", {}, 1),
        ("c", "reference", {Labeller.PERSON: 1}, 0),
        ("c", "reply", {Labeller.MODEL: 1}, 0),
    ]
    bare = Response(situation_id=one.id, system="a", utterance=Utterance(speaker="system", text="x"))
    assert label_counts(offline_conversations([one], [bare])) == ()
