import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf, softmax

from tests.strategies.tiny import CONFIG, HEADS, LAYERS, WIDTH
from trialogue.errors import UsageError
from trialogue.strategies.encoders.bert_numpy import Bert, Shape, Tokens
from trialogue.strategies.encoders.encoder import read_weights


def rows(*lengths: int) -> list[Tokens]:
    rng = np.random.default_rng(3)
    return [Tokens(tuple(rng.integers(4, 200, n).tolist()), (0,) * (n - n // 3) + (1,) * (n // 3)) for n in lengths]


def bert(folder: Path) -> Bert:
    return Bert.from_weights(
        Shape.from_config(json.loads((folder / "config.json").read_text())), read_weights(folder / "model.safetensors")
    )


def plain(folder: Path, row: Tokens) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The last states of one sentence, written out from the paper in 64 bits."""
    w = {name: value.astype(np.float64) for name, value in read_weights(folder / "model.safetensors").items()}

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return np.asarray(
            (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True) * w[f"{name}.weight"] + w[f"{name}.bias"]
        )

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return np.asarray(x @ w[f"{name}.weight"].T + w[f"{name}.bias"])

    n = len(row.ids)
    x = w["embeddings.word_embeddings.weight"][list(row.ids)] + w["embeddings.position_embeddings.weight"][:n]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][list(row.types)], "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        heads = []
        parts = [dense(x, f"{layer}.attention.self.{name}") for name in ("query", "key", "value")]
        for head in range(HEADS):
            q, k, v = (part[:, head * WIDTH // HEADS : (head + 1) * WIDTH // HEADS] for part in parts)
            heads.append(softmax(q @ k.T / np.sqrt(WIDTH / HEADS), axis=1) @ v)
        x = norm(x + dense(np.hstack(heads), f"{layer}.attention.output.dense"), f"{layer}.attention.output.LayerNorm")
        wide = dense(x, f"{layer}.intermediate.dense")
        x = norm(
            x + dense(wide * (1 + erf(wide / np.sqrt(2))) / 2, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
        )
    return x


def test_the_states_are_those_of_the_paper_written_out(tiny_encoder: Path) -> None:
    row = rows(9)[0]
    found = bert(tiny_encoder).hidden(np.array([row.ids]), np.array([row.types]))[0]
    np.testing.assert_allclose(found, plain(tiny_encoder, row), atol=2e-5)


def test_a_vector_is_the_mean_of_the_states_of_the_first_segment_or_the_first_state(tiny_encoder: Path) -> None:
    row = rows(9)[0]  # six tokens of the first segment, three of the second
    states = plain(tiny_encoder, row)
    np.testing.assert_allclose(bert(tiny_encoder).pool([row])[0], states[:6].mean(axis=0), atol=2e-5)
    np.testing.assert_allclose(bert(tiny_encoder).pool([row], "cls")[0], states[0], atol=2e-5)


def test_a_vector_does_not_depend_on_the_rows_around_it(tiny_encoder: Path) -> None:
    many, model = rows(5, 9, 5, 12, 9, 5, 2), bert(tiny_encoder)
    together = model.pool(many)
    for row, vector in zip(many, together, strict=True):
        np.testing.assert_allclose(model.pool([row])[0], vector, atol=1e-6)


def test_no_rows_are_no_vectors(tiny_encoder: Path) -> None:
    assert bert(tiny_encoder).pool([]).shape == (0, WIDTH)


def test_it_says_what_transformers_says(tiny_encoder: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: the reference written out above stands in")
    transformers = pytest.importorskip("transformers")
    module = transformers.AutoModel.from_pretrained(str(tiny_encoder)).eval()
    row = rows(11)[0]
    with torch.no_grad():
        states = module(torch.tensor([row.ids]), token_type_ids=torch.tensor([row.types])).last_hidden_state
    found = bert(tiny_encoder).hidden(np.array([row.ids]), np.array([row.types]))
    np.testing.assert_allclose(found, states.numpy(), atol=2e-5)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model_type": "mpnet"}, "'mpnet'"),
        ({"hidden_act": "relu"}, "activation"),
        ({"num_attention_heads": 5}, "are inconsistent"),
        ({"hidden_size": "many"}, "does not state its sizes"),
    ],
)
def test_other_architectures_are_refused(change: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Shape.from_config(CONFIG | change)


def test_a_missing_weight_and_one_of_another_shape_are_named(tiny_encoder: Path) -> None:
    shape, weights = Shape.from_config(CONFIG), read_weights(tiny_encoder / "model.safetensors")
    name = "encoder.layer.1.output.dense.bias"
    with pytest.raises(UsageError, match=name):
        Bert.from_weights(shape, {own: value for own, value in weights.items() if own != name})
    with pytest.raises(UsageError, match=r"shape \(3,\)"):
        Bert.from_weights(shape, weights | {name: np.zeros(3, dtype=np.float32)})
