"""What the commands of strategies are given: whose labels, unknown names, files in the way, another language."""

import json
from pathlib import Path

import pytest

from tests.cli.test_strategy_commands import labelled, run
from tests.demo_records import demo_situations
from trialogue.cli.shared.progress import refuse_input, refuse_inputs_in
from trialogue.cli.strategies.training import examples
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, Response, Score, Utterance, read_records, write_records
from trialogue.strategies.pairs import crossencoder
from trialogue.strategies.pairs.protocols import PairSet

GERMAN = [
    f"Haben Sie schon die Geschichte Nummer {number} gesehen, die mit den Schauspielern aus Hamburg?"
    for number in range(20)
]


def test_data_whose_labels_are_by_somebody_else_say_by_whom() -> None:
    with pytest.raises(
        DataError, match=r"no label has origin 'expert'; there are labels by trialogue-authors .*--set origin"
    ):
        examples(["demo"], "expert")
    assert len(examples(["demo"], "trialogue-authors")) > 100  # on references and contexts of situations


def test_every_unknown_strategy_is_reported_at_once_and_a_file_of_names_helps(tmp_path: Path) -> None:
    path = labelled(tmp_path / "d.jsonl")
    text = path.read_text("utf-8").replace('"similarity"', '"simil"').replace('"credibility"', '"credibilty"')
    path.write_text(text, "utf-8")
    with pytest.raises(DataError) as refused:
        examples([str(path)], "expert")
    assert len(refused.value.problems) == 2
    assert "Did you mean 'credibility'" in str(refused.value)
    (tmp_path / "names.yaml").write_text("simil: similarity\ncredibilty: credibility\n", "utf-8")
    assert len(examples([str(path)], "expert", tmp_path / "names.yaml")) == 48  # 12 dialogues of 4


def test_situations_teach_by_every_reference_also_where_contexts_are_bare(tmp_path: Path) -> None:
    bare = [
        one.model_copy(
            update={"context": tuple(each.model_copy(update={"strategies": None}) for each in one.context)},
        )
        for one in demo_situations()
    ]
    write_records(tmp_path / "s.jsonl", bare)
    found = examples([str(tmp_path / "s.jsonl")], "trialogue-authors")
    answered = [one for one in examples(["demo"], "trialogue-authors") if one.context]
    assert [one for one in found if one.context] == answered  # all but openings, which are nobody's reference


def test_a_model_is_not_judged_unseen_on_what_it_was_trained_on(tmp_path: Path) -> None:
    data = tmp_path / "d.jsonl"
    text = labelled(data).read_text("utf-8").replace('"system":"human"', '"system":"human","source":"mine"')
    data.write_text(text, "utf-8")
    made = run(
        "strategies", "train", "--data", data, "--model", "majority", "--out", tmp_path / "m", "--set", "bundled=false"
    )
    assert made.exit_code == 0, made.output
    found = run("strategies", "evaluate", tmp_path / "m", "--protocol", "transfer", "--data", data)
    assert (
        "trained on 48 of 48 different sentences (24 of 24 of six words or more): this is not transfer" in found.stderr
    )
    assert "100% of the texts also occur in the training data" in found.stdout
    (tmp_path / "m" / "fingerprints.json").unlink()  # as earlier versions left a folder
    found = run("strategies", "evaluate", tmp_path / "m", "--protocol", "transfer", "--data", data)
    assert "48 of 48 sentences are in mine, which the model was trained on" in found.stderr
    assert "an unknown share of the texts also occur in the training data" in found.stdout
    found = run("strategies", "evaluate", "default", "--protocol", "transfer", "--data", data)
    assert "this is not transfer" not in found.stderr
    assert "% of the texts also occur in the training data" in found.stdout


def test_the_next_strategy_is_predicted_by_cross_validation_on_the_command_line() -> None:
    words = ("strategies", "evaluate", "--data", "demo", "--protocol", "sequence", "--set", "folds=3")
    said = run(*words)
    assert said.exit_code == 0, said.output
    assert "the next strategy in 18 dialogues" in said.stdout
    assert said.stdout.count("perplexity") == 2
    found = json.loads(run(*words, "--json").stdout)["models"]
    assert found["ngram"]["perplexity"]["value"] < found["frequencies"]["perplexity"]["value"]
    assert "does not use --model; omit" in str(run(*words, "--model", "finetuned").exception)
    assert "does not use --test; omit" in str(run(*words, "--test", "demo").exception)


def test_options_that_say_nothing_about_what_comes_next_are_refused_by_name() -> None:
    words = ("strategies", "evaluate", "--data", "demo", "--protocol", "sequence")
    given = ("test_origin=x", "leak_test=false", "origin=person", "model.a=1", "bundled=true", "names=n.yaml")
    settings = (word for each in given for word in ("--set", each))
    others = {f"--set {each.partition('=')[0].partition('.')[0]}" for each in given}
    found = run(*words, "default", *settings, "--seed", "1", "--json")
    assert isinstance(found.exception, UsageError)
    named, _, takes = str(found.exception).partition("; omit it")
    assert set(named.removeprefix("--protocol sequence does not use ").split(", ")) == {"MODEL", *others}
    assert "folds" in takes
    asked = run(*words, "--model", "tfidf")  # the default of the other protocols is not taken for no answer
    assert "does not use --model" in str(asked.exception)
    assert "by dialogue" not in asked.stderr


def test_what_a_trained_model_does_not_take_is_refused_by_name_before_data_are_read(tmp_path: Path) -> None:
    words = ("strategies", "evaluate", "default", "--data", labelled(tmp_path / "d.jsonl"))
    found = run(*words, "--model", "tfidf", "--set", "model.c=1", "--set", "model.encoder=e")
    assert "A trained model does not use --model, --set model" in str(found.exception)
    assert "leave out MODEL" in str(found.exception)
    found = run(*words, "--protocol", "transfer", "--set", "folds=3", "--set", "leak_test=false")
    assert "does not use --set leak_test, --set folds" in str(found.exception)
    assert found.stderr == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--protocol", "dialog"), "There is no protocol 'dialog'. Did you mean 'dialogue'"),
        (("--protocol", "transfer"), "needs other data to test on: give --test, or a trained MODEL"),
        (("--test", "demo"), "--protocol dialogue does not use --test"),
        (("--model", "cross-encoder", "--set", "bundled=true"), "--model cross-encoder does not use --set bundled"),
        (("--model", "tfid"), "There is no kind of model 'tfid'. Did you mean 'tfidf'"),
        (("--set", "model.hard=none"), "the model 'tfidf' has no setting 'hard'"),
        (("--model", "cross-encoder", "--set", "model.epochs=-1"), "epochs and rate must be above 0"),
    ],
)
def test_what_evaluate_cannot_do_is_said_before_anything_is_read(given: tuple[str, ...], said: str) -> None:
    found = run("strategies", "evaluate", "--data", "demo", *given)
    assert isinstance(found.exception, UsageError)
    assert said in str(found.exception)
    assert found.stderr == ""


def test_settings_are_checked_before_data_are_read(tmp_path: Path) -> None:
    words = ("strategies", "train", "--data", tmp_path / "nowhere", "--out", tmp_path / "m")
    assert "the model 'tfidf' has no setting 'seeds'" in str(run(*words, "--set", "model.seeds=3").exception)
    found = run(*words, "--model", "cross-encoder", "--set", "model.hard=some")
    assert "hard must be one of none, paper, measured" in str(found.exception)


def test_a_folder_that_holds_a_model_is_refused_before_training_and_replaced_on_demand(tmp_path: Path) -> None:
    words = (
        "strategies",
        "train",
        "--data",
        labelled(tmp_path / "d.jsonl"),
        "--model",
        "majority",
        "--set",
        "bundled=false",
    )
    assert run(*words, "--out", tmp_path / "m").exit_code == 0
    again = run(*words, "--out", tmp_path / "m")
    assert isinstance(again.exception, UsageError)
    assert "--replace" in str(again.exception)
    assert "training" not in again.stderr
    assert run(*words, "--out", tmp_path / "m", "--replace").exit_code == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine", "utf-8")
    assert "no model" in str(run(*words, "--out", tmp_path / "other", "--replace").exception)


def test_a_classifier_of_pairs_is_replaced_on_demand_and_by_its_kind_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crossencoder, "plan_and_fit", lambda _settings: (crossencoder.PairPlan(pairs=10), Named))
    out, data = tmp_path / "m", labelled(tmp_path / "d.jsonl")
    words = ("strategies", "train", "--data", data, "--set", "bundled=false", "--out", out, "--model")
    assert run(*words, "cross-encoder", "--replace").exit_code == 0  # nothing there yet
    (out / "old").touch()
    again = run(*words, "cross-encoder")
    assert "already holds a pair classifier. Give another folder with --out, or use --replace" in str(again.exception)
    other = run(*words, "majority", "--replace")
    assert "holds a pair classifier, which cannot be replaced by another kind" in str(other.exception)
    assert (again.stderr, other.stderr) == ("", "")  # before anything was read
    done = run(*words, "cross-encoder", "--replace")
    assert done.exit_code == 0, done.output
    assert [path.name for path in out.iterdir()] == [crossencoder.PARTS]
    assert {path.name for path in tmp_path.iterdir()} == {"d.jsonl", "m"}


class Named:
    """A classifier of pairs that is a name only: what is trained needs a network, where it goes does not."""

    origin = "cross-encoder|made"

    def __init__(self, pairs: PairSet) -> None:
        assert len(pairs)

    def save(self, folder: Path) -> None:
        (folder / crossencoder.PARTS).write_text("{}", "utf-8")


def test_labels_go_beside_the_file_and_never_onto_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_records(path, [reply("Have you seen it?")])
    done = run("strategies", "label", path)
    assert done.exit_code == 0, done.output
    (found,) = read_records(tmp_path / "a.labelled.jsonl", Response)
    assert found.utterance.strategies
    assert "writing it would destroy it" in str(run("strategies", "label", path, path).exception)
    assert "is a folder" in str(run("strategies", "label", path, tmp_path).exception)


def test_names_that_differ_after_a_dot_stay_different_and_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    for name in ("gpt-4.1.jsonl", "gpt-4.5.jsonl.gz", "a=b.jsonl"):
        write_records(tmp_path / name, [reply("Have you seen it?")])
    for given in (tmp_path / "gpt-4.1.jsonl", f"mine={tmp_path / 'gpt-4.5.jsonl.gz'}", tmp_path / "a=b.jsonl"):
        assert run("strategies", "label", given).exit_code == 0
    made = tmp_path / "gpt-4.1.labelled.jsonl"
    assert sorted(path.name for path in tmp_path.glob("*.labelled.jsonl")) == [
        "a=b.labelled.jsonl", made.name, "gpt-4.5.labelled.jsonl"
    ]  # fmt: skip
    before = made.read_bytes()
    again = run("strategies", "label", tmp_path / "gpt-4.1.jsonl", "--set", "abstain=1")
    assert isinstance(again.exception, UsageError)
    assert f"{made} exists already" in str(again.exception)
    assert made.read_bytes() == before
    assert run("strategies", "label", tmp_path / "gpt-4.1.jsonl", made, "--set", "abstain=1").exit_code == 0
    assert made.read_bytes() != before


def test_a_file_with_an_equals_sign_is_not_written_onto_itself(tmp_path: Path) -> None:
    path = tmp_path / "a=b.jsonl"
    write_records(path, [reply("Have you seen it?")])
    assert "writing it would destroy it" in str(run("strategies", "label", path, path).exception)
    refuse_input(path, ["x" * 5_000, "nowhere"])  # what is missing is reported elsewhere


def test_a_file_in_a_folder_that_is_read_is_not_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    (folder / "more").mkdir(parents=True)
    path = folder / "more" / "a.jsonl"
    write_records(path, [reply("Have you seen it?")])
    before = path.read_bytes()
    found = run("strategies", "label", folder, path)
    assert f"{path} is also an input, as part of {folder}" in str(found.exception)
    assert path.read_bytes() == before
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    with pytest.raises(UsageError, match="is also an input"):
        refuse_input(link, [None, f"a={folder}"])
    refuse_input(folder / "new.jsonl", [folder])  # is not there: nothing is lost


@pytest.mark.parametrize("words", [("evaluate",), ("align", "-s")])
def test_results_do_not_take_the_place_of_data_of_the_same_name(words: tuple[str, ...], tmp_path: Path) -> None:
    export = tmp_path / "export"
    export.mkdir()
    write_records(export / "scores.jsonl", [Score(measure="human:x", level="dialogue", value=1, rater="p")])
    found = run(*words, export, "--out", export)
    assert f"{export / 'scores.jsonl'} is also an input, as part of {export}" in str(found.exception)
    simulated = tmp_path / "simulated"  # of which the dialogues alone are read: results may lie beside them
    simulated.mkdir()
    write_records(simulated / "dialogues.jsonl", [Dialogue(id="d", utterances=())])
    (simulated / "scores.jsonl").write_text("{}", "utf-8")
    refuse_inputs_in(simulated, [simulated, f"a={simulated}"])


def test_another_language_is_refused_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    write_records(path, [reply(text, number) for number, text in enumerate(GERMAN)])
    for more in ((), ("--coverage",)):
        assert "English" in str(run("strategies", "label", path, *more).exception)
        assert run("strategies", "label", path, *more, "--set", "any_language=true").exit_code == 0


def reply(text: str, number: int = 0) -> Response:
    return Response(situation_id=f"s{number}", system="A", utterance=Utterance(speaker="system", text=text))


def test_coverage_as_json_is_one_object_a_system() -> None:
    lines = run("strategies", "label", "demo", "--json", "--coverage").stdout.splitlines()
    assert [json.loads(line)["system"] for line in lines] == ["aria", "bolt", "chip"]


def test_a_model_s_kind_is_evaluated_with_the_bundled_sentences_if_it_was_trained_with_them(tmp_path: Path) -> None:
    data, model = labelled(tmp_path / "d.jsonl"), tmp_path / "m"
    data.write_text(data.read_text("utf-8").replace('"similarity"', '"no_strategy"'), "utf-8")
    made = run("strategies", "train", "--data", data, "--model", "majority", "--out", model)
    assert made.exit_code == 0, made.output
    words = ("strategies", "evaluate", model, "--data", data, "--set", "folds=3", "--set", "leak_test=false")
    for given, messages in (((), True), (("--set", "bundled=false"), False)):
        found = run(*words, *given)
        assert ("labelled sentences and the bundled ones" in found.stderr) is messages, found.output
        assert "left out" not in found.stdout  # no_strategy is one of the classes that models are trained on
        without = run(*words, *given, "--set", "paper_classes=true")
        assert "12 with labels of other classes (no_strategy) left out" in without.stdout
    assert "the bundled ones" not in run("strategies", "evaluate", "--model", "majority", *words[3:]).stderr
