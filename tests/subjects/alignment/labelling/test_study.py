"""From the file of what to label to an estimate that rests on people: a study, its export, tables, and what is missing."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.test_strategy_commands import run
from tests.demo_records import demo_responses, demo_situations
from tests.subjects.alignment.commands.test_align_details import unlabelled
from trialogue.cli.strategies.training import examples
from trialogue.errors import DataError, UsageError
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Estimate, Interval, Labeller, StrategyLabel, write_records
from trialogue.records.files.cells import csv_text
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import save_model
from trialogue.study.opening import read_folder
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.alignment.commands.model_fit import seen_references
from trialogue.subjects.alignment.commands.result import bias_warnings, left_out
from trialogue.subjects.alignment.labelling.answers import read_answers
from trialogue.subjects.alignment.labelling.plan import label_plan, labelling_items, with_answers
from trialogue.subjects.alignment.labelling.study import label_study

EMQ = "implicit_alignment@emq"
HEAD = "dialogue_id,utterance,rater,label,role"


def said_by_people() -> dict[str, str]:
    """First strategy of every reference and reply of the demo, by id of its item."""
    pairs = [(f"{one.id}|reference", one.reference) for one in demo_situations()]
    pairs += [(f"{one.situation_id}|reply|{one.system}", one.utterance) for one in demo_responses()]
    return {key: said.strategies[0].strategy for key, said in pairs if said is not None and said.strategies}


def test_first_turns_are_not_labelled_because_they_do_not_count() -> None:
    situations, responses = unlabelled()
    items = labelling_items(situations, responses, 1_000)
    assert len({item["situation_id"] for item in items}) == 45  # of 63 situations; 18 are first ones
    only_first = [one for one in situations if one.turn == 0]
    ids = {one.id for one in only_first}
    assert labelling_items(only_first, [one for one in responses if one.situation_id in ids], 5)  # better than nothing


def test_empty_replies_are_not_labelled() -> None:
    situations, responses = unlabelled()
    mute = [
        one.model_copy(update={"utterance": one.utterance.model_copy(update={"text": " "})})
        if one.system == "chip"
        else one
        for one in responses
    ]
    assert {item["system"] for item in labelling_items(situations, mute, 10)} == {None, "aria", "bolt"}


def test_a_labelling_study_goes_out_and_its_export_comes_back(tmp_path: Path) -> None:
    situations, responses = unlabelled()
    items = labelling_items(situations, responses, 45)
    label_study(tmp_path / "study", items)
    file, shown, _ = read_folder(tmp_path / "study")
    assert (file.type, len(shown)) == ("labelling", len(items))
    assert [one.dialogue_id for one in shown] == [item["id"] for item in items]
    truth, rows = said_by_people(), [HEAD]
    for one in shown:
        rows.append(f"{one.dialogue_id},0,p1,{truth[str(one.dialogue_id)]},annotator")
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "labels.csv").write_text("\ufeff" + "\r\n".join(rows) + "\r\n", "utf-8")
    (tmp_path / "export" / "study.json").write_text('{"simulated": true}', "utf-8")
    write_records(tmp_path / "data.jsonl", [*situations, *responses])
    found = align([tmp_path / "data.jsonl"], [], answers=tmp_path / "export", resamples=100, baselines=False)
    (aria,) = [one for one in found.league("implicit_alignment@ppi|v1").standings if one.system == "aria"]
    assert aria.estimate.value == pytest.approx(24 / 45)  # every pair is labelled: what people say, whatever the model
    assert found.findings.warnings[0].startswith("Labels that stand in for people's were given by scripts")
    with pytest.raises(UsageError, match="exists already"):
        label_study(tmp_path / "study", items)


def test_what_no_page_can_show_is_reported_at_once(tmp_path: Path) -> None:
    context = [{"speaker": "user", "text": "hi"}]
    items = [{"id": "x" * 400, "context": context, "text": "a"}, {"id": "y", "context": context, "text": "b" * 30_000}]
    with pytest.raises(DataError) as refused:
        label_study(tmp_path / "study", items)
    assert len(refused.value.problems) == 2
    with pytest.raises(DataError, match="nothing to label"):
        label_study(tmp_path / "study", [])
    assert not (tmp_path / "study").exists()


def answers(path: Path, lines: Sequence[str]) -> dict[str, list[str]]:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return {key: [label.strategy for label in labels] for key, labels in read_answers(path, by=Labeller.PERSON).items()}


def test_of_several_labellers_the_adjudicator_counts_and_else_the_majority(tmp_path: Path) -> None:
    rows = [
        HEAD,
        "a,0,p1,similarity,annotator",
        "a,0,p2,credibility,annotator",
        "a,0,p3,credibility,annotator",
        "b,0,p1,similarity,annotator",
        "b,0,p2,credibility,annotator",
        "c,0,p1,similarity,annotator",
        "c,0,p2,similarity,annotator",
        "c,0,p3,similarity,annotator",
        "c,0,s1,offer_help,adjudicator",
    ]
    found = answers(tmp_path / "labels.csv", rows)
    assert {key: names[0] for key, names in found.items()} == {"a": "credibility", "b": "similarity", "c": "offer_help"}


def test_a_table_of_another_program_is_read_and_open_rows_wait(tmp_path: Path) -> None:
    rows = ["id;text;strategy", "a;Seen it?;Experience Inquiry", "b;Hm.;", "'=c;So.;similarity"]
    found = answers(tmp_path / "mine.csv", rows)
    assert found == {"a": ["experience_inquiry"], "=c": ["similarity"]}
    with pytest.raises(DataError, match="lacks the column id or dialogue_id and strategy or label"):
        answers(tmp_path / "other.csv", ["text,what", "a,b"])
    with pytest.raises(DataError, match=r"line 2: There is no strategy 'cheer'.* \(2 times, first here\)") as refused:
        answers(tmp_path / "names.csv", ["id,strategy", "a,cheer", "b,cheer"])
    assert len(refused.value.problems) == 1
    with pytest.raises(DataError, match="no answers"):
        answers(tmp_path / "empty.csv", ["id,strategy", "a,", "b,"])


def test_lines_that_are_not_answered_yet_are_passed_over_and_never_taken_for_no_strategy(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    rows = [{"id": "a", "strategy": None}, {"id": "b", "strategy": ""}, {"id": "c", "strategy": "similarity"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert list(read_answers(path, by=Labeller.PERSON)) == ["c"]
    path.write_text('{"id": null, "strategy": "similarity"}\n{"id": "a"}\n', "utf-8")
    with pytest.raises(DataError, match="an answer must have the form") as refused:
        read_answers(path)
    assert len(refused.value.problems) == 2


def test_every_cell_is_read_as_it_was_before_an_export_guarded_it(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    given = [("=c", "=likes", "@anna"), ("＋1", "similarity", "-ben"), ("'tis", "similarity", "'quoted'")]
    path.write_text(csv_text(["id", "strategy", "labeller"], given), "utf-8")
    assert "'=likes,'@anna" in path.read_text("utf-8")
    found = read_answers(path, by=Labeller.PERSON, mapping={"=likes": "similarity"})
    read = [(key, label.strategy, label.origin) for key, labels in found.items() for label in labels]
    assert read == [(key, "similarity", labeller) for key, _, labeller in given]


def test_answers_to_other_texts_are_left_out_and_said_so() -> None:
    given = {
        "talk-01#1|reference": (StrategyLabel(strategy="similarity", origin="p", by=Labeller.PERSON),),
        "elsewhere": (StrategyLabel(strategy="similarity", origin="p", by=Labeller.PERSON),),
    }
    with pytest.warns(UserWarning, match="1 of 2 answers belong to none of these .*'elsewhere'"):
        with_answers(demo_situations(), demo_responses(), given)


def estimate(low: float, value: float, high: float, n: int) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high, confidence=0.95, method="x"), n=n, clusters=n)


def test_a_plan_on_labels_rests_on_what_they_did() -> None:
    # (error / spread - 1 / N) / (1 / 50 - 1 / N) = 1 - r^2; of dialogues of one pair, as many hold labels as there are
    plan = label_plan("A", estimate(0.40, 0.5, 0.60, 400), [], labelled=50)
    assert plan is not None
    present, spread = (0.10 / 1.959964) ** 2, 0.25
    error = present / 1.03572**2  # t(.975, 49) / 1.959964 sqrt(50 / 49) = 2.00958 / 1.959964 1.01015 = 1.03572
    free = (error / spread - 1 / 400) / (1 / 50 - 1 / 400)  # .41: the model knows 59% of the variance
    target = present / 4 / 1.00463**2  # t(.975, 371) / 1.959964 sqrt(372 / 371) = 1.96639 / 1.959964 1.00135 = 1.00463
    wanted = 1 / ((target / spread - 1 / 400) / free + 1 / 400)  # 371.4
    assert plan.half_width == pytest.approx(wanted, abs=1)
    assert plan.same_width is None
    assert "with labels by people on 50 of 400 pairs" in plan.sentence


def test_where_people_labelled_everything_more_labels_are_no_advice(tmp_path: Path) -> None:
    found = align(["demo"], [], resamples=100, baselines=False)
    assert {plan.half_width for plan in found.plans} == {None}
    assert found.items() == []
    said = [plan.sentence for plan in found.plans]
    assert all(
        "with labels by the authors of invented data on all 45 pairs; halving it takes about" in line for line in said
    ), said
    for plan in found.plans:
        assert plan.sentence.endswith(f"so about {plan.replies_for_half - 45} more situations.")
    assert not any("even labels by people" in line for line in found.findings.warnings)


def test_more_labels_than_there_are_situations_give_a_warning(tmp_path: Path) -> None:
    situations, responses = unlabelled()
    write_records(tmp_path / "data.jsonl", [*situations, *responses])
    found = align([tmp_path / "data.jsonl"], [], resamples=100, baselines=False)
    assert len(found.items(45)) == 180  # a reference and three replies each; nothing is reported
    with pytest.warns(
        UserWarning, match="100 situations to label were requested, but only 45 are usable, so all of these are used"
    ):
        assert len(found.items(100)) == 180


def test_names_that_are_none_of_ours_and_empty_replies_are_reported() -> None:
    def with_typo() -> Iterator[object]:
        for one in demo_responses():
            empty = one.system == "bolt"
            labels = tuple(
                label.model_copy(update={"strategy": label.strategy.replace("opinion_inquiry", "opinon_inquiry")})
                for label in one.utterance.strategies or ()
            )
            update: dict[str, object] = {"strategies": labels} | ({"text": ""} if empty else {})
            yield one.model_copy(update={"utterance": one.utterance.model_copy(update=update)})

    material = InputRecords(situations=list(demo_situations()), responses=list(with_typo()))  # type: ignore[arg-type]
    lines = list(left_out([], material))
    assert lines[0] == "bolt: 63 of 63 replies are empty: their strategy is unknown, and they are left out."
    assert "not among the 13: 'opinon_inquiry' (" in lines[1]
    assert "; 'opinion_inquiry'?)" in lines[1]
    assert len(lines) == 2
    assert (
        len(list(left_out(["behavior_alignment(taxonomy=any)@summed|v1"], material))) == 1
    )  # theirs are taken as they are
    assert list(left_out([], InputRecords(situations=list(demo_situations()), responses=list(demo_responses())))) == []


def test_a_model_that_knows_the_references_by_heart_is_reported(tmp_path: Path) -> None:
    knows = train(examples(["demo"], "trialogue-authors"), kind="majority")
    save_model(knows, tmp_path / "m")
    found = align(["demo"], [], model=str(tmp_path / "m"), metrics=[EMQ], resamples=100, baselines=False)
    assert "different sentences (" in found.findings.warnings[0]
    assert "has memorised the references" in found.findings.warnings[0]
    plain = align(["demo"], [], metrics=[EMQ], resamples=100, baselines=False)
    assert not any("memorised" in line for line in plain.findings.warnings)
    old = replace(knows, fingerprints=None)  # as earlier versions left a folder: the names of corpora only
    assert "trained on trialogue-demo, which" in next(seen_references(plain.material, old))
    card = old.card.model_copy(update={"sources": ("inspired/dev",)})
    assert list(seen_references(plain.material, replace(old, card=card))) == []


def test_measures_that_are_known_to_be_wrong_are_reported() -> None:
    situations, responses = unlabelled()
    bare = InputRecords(situations=situations, responses=responses)
    lines = list(bias_warnings(["implicit_alignment@thresholded|v1", "behavior_alignment@summed|v1"], bare))
    assert "is not corrected for classification errors" in lines[0]
    assert "a model's labels here, on 252 of 252" in lines[1]  # 63 references, 3 times 63 replies
    people = InputRecords(situations=list(demo_situations()), responses=list(demo_responses()))
    assert list(bias_warnings(["implicit_alignment@emq|v1", "behavior_alignment@summed|v1"], people)) == []


def test_the_command_takes_responses_as_an_option_and_refuses_bad_places_first(tmp_path: Path) -> None:
    situations, responses = unlabelled()
    write_records(tmp_path / "s.jsonl", situations)
    for system in ("aria", "bolt"):
        write_records(tmp_path / f"{system}.jsonl", [one for one in responses if one.system == system])
    words = (
        "align",
        "--situations",
        tmp_path / "s.jsonl",
        tmp_path / "aria.jsonl",
        tmp_path / "bolt.jsonl",
    )
    more = ("--set", "resamples=100", "--set", "baselines=false", "--out", tmp_path / "run")
    found = run(
        *words,
        *more,
        "--label-file",
        tmp_path / "i.jsonl",
        "--label-study",
        tmp_path / "study",
        "--set",
        "label_count=5",
    )
    assert found.exit_code == 0, found.output
    assert "(15 texts)" in found.stdout  # 5 situations: a reference and two replies
    first = json.loads((tmp_path / "i.jsonl").read_text("utf-8").splitlines()[0])
    assert (tmp_path / "study" / "items.jsonl").read_text("utf-8").count(first["id"]) == 1
    again = run(*words, *more, "--label-study", tmp_path / "study")
    assert "is not empty" in str(again.exception)
    assert "reading" not in again.stderr  # before the work
    assert "--label-file needs a file name" in str(run(*words, *more, "--label-file", tmp_path).exception)
    assert "a name that ends in .jsonl" in str(run(*words, *more, "--label-file", tmp_path / "i.csv").exception)
