"""What ``trialogue strategies`` says: the next strategy, evaluation, pairs, coverage. In this process, for speed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.demo_records import demo_situations
from trialogue.cli.app import app
from trialogue.errors import DataError, TrialogueError, UsageError
from trialogue.records import Dialogue, Labeller, Situation, StrategyLabel, Utterance, write_records
from trialogue.strategies.bundled_model import default_model
from trialogue.subjects.alignment.commands.next_strategy import next_model, plans, rebuild_dialogues

RUNNER = CliRunner()


def run(*words: object) -> Result:
    return RUNNER.invoke(app, [str(word) for word in words])


def labelled(path: Path, count: int = 12) -> Path:
    """Dialogues in which a human recommender acknowledges, asks, and explains."""
    said = [
        ("acknowledgment", "Okay, I see."),
        ("opinion_inquiry", "What genre do you like?"),
        ("credibility", "It stars Tom Hanks."),
        ("similarity", "Me too, I love those as well."),
    ]
    dialogues = [
        Dialogue(
            id=f"d{number}",
            utterances=tuple(
                part
                for strategy, text in said
                for part in (
                    Utterance(speaker="user", text="I like comedies."),
                    Utterance(
                        speaker="system",
                        text=f"{text[:-1]} {number}{text[-1]}",
                        strategies=(StrategyLabel(strategy=strategy, origin="expert", by=Labeller.PERSON),),
                    ),
                )
            ),
            system="human",
        )
        for number in range(count)
    ]
    write_records(path, dialogues)
    return path


def test_the_next_strategy_is_reported_with_what_it_rests_on() -> None:
    found = run("strategies", "next", "demo", "--id", demo_situations()[3].id, "--set", "top=3")
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert demo_situations()[3].id in lines[0]
    assert sum("%  " in line for line in lines) == 3
    assert "In your next sentence:" in found.stdout
    assert "only 18 invented dialogues" in found.stderr


def test_the_next_strategy_as_json_is_a_distribution() -> None:
    found = run("strategies", "next", "demo", "--id", demo_situations()[0].id, "--json")
    plan = json.loads(found.stdout.splitlines()[0])
    assert sum(plan["next"].values()) == pytest.approx(1)
    assert plan["instruction"].startswith("In your next sentence:")
    assert plan["model"].startswith("ngram(")


def test_a_model_of_what_follows_is_learned_from_own_dialogues(tmp_path: Path) -> None:
    model = next_model([str(labelled(tmp_path / "d.jsonl"))])
    assert model.warning is None
    question = Dialogue(
        id="q",
        utterances=(
            Utterance(speaker="user", text="I like comedies."),
            Utterance(speaker="system", text="Okay, I see."),
            Utterance(speaker="user", text="I like comedies."),
        ),
    )
    write_records(tmp_path / "q.jsonl", [question])
    (planned,) = plans([str(tmp_path / "q.jsonl")], model.model, default_model())
    assert planned.plan.unlabelled_count == 0  # the reply was labelled on the way


def test_a_dialogue_of_situations_is_the_longest_with_its_reply() -> None:
    ids = {situation.dialogue_id for situation in demo_situations()}
    found = list(rebuild_dialogues(demo_situations()))
    assert {dialogue.id for dialogue in found} == ids
    longest = max(len(one.context) for one in demo_situations() if one.dialogue_id == found[0].id)
    assert len(found[0].utterances) == longest + 1


def test_planning_without_dialogues_or_with_an_unknown_id_is_refused(tmp_path: Path) -> None:
    model = next_model().model
    with pytest.raises(DataError, match="it contains no 'nobody'"):
        list(plans(["demo"], model, default_model(), ids=["nobody"]))
    write_records(tmp_path / "bare.jsonl", [Situation(id="s", context=(Utterance(speaker="user", text="Hi"),))])
    with pytest.raises(UsageError, match="no dialogue has a strategy label"):
        next_model([str(tmp_path / "bare.jsonl")])


def test_a_trained_model_is_evaluated_as_it_is_or_its_kind_by_folds(tmp_path: Path) -> None:
    data = labelled(tmp_path / "d.jsonl")
    as_it_is = run("strategies", "evaluate", "default", "--protocol", "transfer", "--data", data)
    assert "the intervals cover the sampling of test sentences, with models and calibration as fitted" in (
        as_it_is.stdout
    )
    assert as_it_is.exit_code == 0, as_it_is.output
    assert "by transfer" in as_it_is.stdout
    by_fold = run("strategies", "evaluate", "default", "--data", data, "--set", "folds=3", "--json")
    found = json.loads(by_fold.stdout[by_fold.stdout.index("{") :])
    assert (found["protocol"], found["folds"], found["n"]) == ("dialogue", 3, 48)
    assert "permuted labels" in run("strategies", "evaluate", "--data", data, "--protocol", "pairs").stdout


def test_pairs_are_written_and_the_same_seed_writes_the_same(tmp_path: Path) -> None:
    data = labelled(tmp_path / "d.jsonl")
    for name in ("a.csv", "b.csv"):
        found = run(
            "strategies",
            "train",
            "--data",
            data,
            "--out",
            tmp_path / name,
            "--set",
            "model.pairs=50",
            "--seed",
            "3",
            "--model",
            "pairs",
        )
        assert "100 pairs, 50 with the same strategy, 0 hard negatives" in found.stdout, found.output
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    hard = run(
        "strategies",
        "train",
        "--data",
        data,
        "--out",
        tmp_path / "h.jsonl",
        "--set",
        "model.pairs=50",
        "--model",
        "pairs",
        "--set",
        "model.hard=paper",
    )
    assert "10 hard negatives" in hard.stdout, hard.output  # a fifth of 50: similarity with acknowledgment
    rows = [json.loads(line) for line in (tmp_path / "h.jsonl").read_text("utf-8").splitlines()]
    assert {tuple(sorted(row["strategies"])) for row in rows if row["hard"]} == {("acknowledgment", "similarity")}
    found = run(
        "strategies",
        "train",
        "--data",
        data,
        "--out",
        tmp_path / "o.csv",
        "--model",
        "pairs",
        "--set",
        "model.hard=measured",
    )
    assert "none of the 4 strategies is hard" in str(found.exception)  # all are distinguished by their words
    assert not (tmp_path / "o.csv").exists()


def test_pairs_do_not_overwrite_what_they_are_drawn_from(tmp_path: Path) -> None:
    data = labelled(tmp_path / "d.jsonl")
    found = run("strategies", "train", "--data", data, "--out", data, "--model", "pairs")
    assert isinstance(found.exception, TrialogueError)
    found = run(
        "strategies", "train", "--data", data, "--out", tmp_path / "p.csv", "--model", "pairs", "--set", "model.hard=x"
    )
    assert "hard must be one of none, paper, measured" in str(found.exception)
    found = run("strategies", "train", "--data", tmp_path / "nowhere", "--out", tmp_path / "p.txt", "--model", "pairs")
    assert "written to .csv or .jsonl" in str(found.exception)  # before data are read


def test_coverage_is_reported_of_each_system() -> None:
    found = run("strategies", "label", "demo", "--set", "groups=2", "--coverage")
    assert found.exit_code == 0, found.output
    assert "fit none of the 13" in found.stdout
    assert "aria: " in found.stdout
    first = run("strategies", "label", "demo", "--json", "--coverage").stdout.splitlines()
    assert {json.loads(line)["system"] for line in first} >= {"aria", "bolt", "chip"}
