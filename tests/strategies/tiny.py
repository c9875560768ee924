"""A tiny BERT with random weights in a folder, as encoders come: nothing is downloaded."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from trialogue.strategies.taxonomy import bundled_examples

WIDTH, WIDE, HEADS, LAYERS, POSITIONS = 16, 32, 4, 2, 64
CONFIG: dict[str, Any] = {
    "architectures": ["BertModel"],
    "attention_probs_dropout_prob": 0.0,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.0,
    "hidden_size": WIDTH,
    "intermediate_size": WIDE,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": POSITIONS,
    "model_type": "bert",
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "pad_token_id": 0,
    "type_vocab_size": 2,
}


def vocabulary() -> dict[str, int]:
    """The commonest words of the bundled sentences."""
    counts: dict[str, int] = {}
    for example in bundled_examples():
        for word in example.text.lower().replace("?", " ?").replace(".", " .").split():
            counts[word] = counts.get(word, 0) + 1
    kept = sorted(counts, key=lambda word: (-counts[word], word))[:300]
    return {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *kept])}


def weights(rng: np.random.Generator, words: int) -> dict[str, npt.NDArray[np.float32]]:
    """Random weights by the names of transformers' BertModel."""
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, WIDTH),
        "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    dense = {"attention.self.query": (WIDTH, WIDTH), "attention.self.key": (WIDTH, WIDTH)}
    dense |= {"attention.self.value": (WIDTH, WIDTH), "attention.output.dense": (WIDTH, WIDTH)}
    dense |= {"intermediate.dense": (WIDE, WIDTH), "output.dense": (WIDTH, WIDE)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        for name, (out, into) in dense.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = (out, into)
            shapes[f"encoder.layer.{layer}.{name}.bias"] = (out,)
        norms += [f"encoder.layer.{layer}.{part}.LayerNorm" for part in ("attention.output", "output")]
    found = {name: rng.normal(0, 0.4, shape).astype(np.float32) for name, shape in shapes.items()}
    for norm in norms:
        found[f"{norm}.weight"] = (1 + rng.normal(0, 0.1, WIDTH)).astype(np.float32)
        found[f"{norm}.bias"] = rng.normal(0, 0.1, WIDTH).astype(np.float32)
    return found


def write_encoder(folder: Path, *, seed: int = 0) -> Path:
    """An encoder in a folder; skips the test where the extra ``encoder`` is not installed."""
    files = pytest.importorskip("safetensors.numpy", reason="the extra 'encoder' is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="the extra 'encoder' is not installed")
    words = vocabulary()
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    special = [("[CLS]", words["[CLS]"]), ("[SEP]", words["[SEP]"])]
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=special
    )
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    files.save_file(weights(np.random.default_rng(seed), len(words)), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG | {"vocab_size": len(words)}))
    return folder
