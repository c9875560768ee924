"""``trialogue list encoders``, and training with an encoder, on a tiny one."""

from pathlib import Path

from typer.testing import CliRunner

from tests.cli.words import trialogue
from tests.strategies.made import examples
from tests.strategies.tiny import write_encoder
from trialogue.cli.app import app
from trialogue.records import Dialogue, Labeller, StrategyLabel, Utterance, write_records


def test_show_says_what_an_encoder_is(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "e")
    done = CliRunner().invoke(app, ["list", "encoders", str(folder)])
    assert done.exit_code == 0
    assert "bert, 2 layers of 16, mean pooling" in done.output
    assert "runs in numpy" in done.output


def test_a_model_is_trained_on_an_encoder_and_evaluated(tmp_path: Path) -> None:
    """End to end, on invented dialogues and a tiny encoder."""
    folder, data, out = write_encoder(tmp_path / "e"), write_talk(tmp_path / "d.jsonl"), tmp_path / "m"
    command = ["strategies", "train", "--data", str(data), "--model", "encoder", "--set", f"model.encoder={folder}"]
    done = CliRunner().invoke(
        app, [*command, "--set", "folds=2", "--set", "bundled=false", "--set", "model.strength=1.0", "-o", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "encoder|v1|data:" in done.output
    card = CliRunner().invoke(app, ["list", "models", str(out)])
    assert "On its own data, 2 folds by dialogue" in card.output


def test_mistakes_are_said_without_a_traceback(tmp_path: Path) -> None:
    data = write_talk(tmp_path / "d.jsonl")
    for wrong, says in (
        (["--model", "finetuned", "--set", "model.seeds=0"], "seeds must be at least 1"),
        (["--model", "encoder", "--set", f"model.encoder={tmp_path / 'nowhere'}"], "no such folder"),
        (["--model", "cross-encoder", "--set", "model.hard=very"], "hard must be one of none, paper, measured"),
        (["--model", "encoder", "--set", "model.depth"], "NAME=VALUE"),
    ):
        done = trialogue("strategies", "train", "--data", data, *wrong, "-o", tmp_path / "m")
        assert done.returncode == 2, done.stderr
        assert says in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "m").exists()


def write_talk(path: Path) -> Path:
    dialogues: dict[str, list[Utterance]] = {}
    for each in examples(8, dialogues=6):
        said = Utterance(
            speaker="system",
            text=each.text,
            strategies=(StrategyLabel(strategy=each.label, origin="expert", by=Labeller.PERSON),),
        )
        dialogues.setdefault(str(each.dialogue_id), []).append(said)
    write_records(path, [Dialogue(id=name, utterances=tuple(said)) for name, said in dialogues.items()])
    return path
