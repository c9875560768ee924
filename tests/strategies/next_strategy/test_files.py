import json
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import DataError
from trialogue.strategies.next_strategy.files import load_sequence_model, save_sequence_model
from trialogue.strategies.next_strategy.ngram import NGramFit
from trialogue.strategies.next_strategy.sequence import START, SequenceModel, Tokens

AB = ("a", "b")
DATA: list[Tokens] = [(START, "a", "user:turn", "b", "a"), (START, "b", "a", "ä")]
MODELS: dict[str, SequenceModel] = {
    "witten_bell": NGramFit(order=3, classes=AB, user="turn")(DATA),
    "kneser_ney": NGramFit(order=2, smoothing="kneser_ney", classes=AB)(DATA),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_a_model_is_the_same_after_a_trip_through_a_file(name: str, suffix: str, tmp_path: Path) -> None:
    model, path = MODELS[name], tmp_path / f"model{suffix}"
    save_sequence_model(model, path)
    again = load_sequence_model(path)
    assert (again.origin, again.classes, again.user, again.memory) == (
        model.origin,
        model.classes,
        model.user,
        model.memory,
    )
    for tokens in (*DATA, ("martian",), ()):
        assert again.prefix_distributions(tokens).tolist() == model.prefix_distributions(tokens).tolist()


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("witten_bell", {"format": 2}),
        ("witten_bell", {"kind": "labeller"}),
        ("witten_bell", {"model": "oracle"}),
        ("witten_bell", {"order": 4}),
        ("witten_bell", {"order": 0}),
        ("witten_bell", {"smoothing": "laplace"}),
        ("witten_bell", {"counts": [[], [], []]}),
        ("witten_bell", {"counts": [[[[], [1]]], [], []]}),
        ("witten_bell", {"counts": [[[[], [0, 0]]], [], []]}),
        ("witten_bell", {"counts": None}),
    ],
)
def test_a_damaged_file_is_refused_by_name(name: str, damage: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save_sequence_model(MODELS[name], path)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | damage), "utf-8")
    with pytest.raises(DataError, match=r"model\.json: this sequence model cannot be read"):
        load_sequence_model(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b"{"])
def test_what_is_no_model_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read"):
        load_sequence_model(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        load_sequence_model(tmp_path / "none.json")
