"""Tiny randomly initialised models in folders, for tests of metrics that read with one."""

import json
from pathlib import Path

import pytest


def _tokenizer(folder: Path, special: dict[str, str], *, longest: int) -> None:
    """A tokenizer of single letters, as transformers reads it."""
    marks = [*special.values(), *"abcdefghijklmnopqrstuvwxyz .,?!"]
    vocabulary = {mark: number for number, mark in enumerate(marks)}
    cls, sep = special.get("cls_token"), special.get("sep_token")
    frame = None
    if cls and sep:
        frame = {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": cls, "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": sep, "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {mark: {"id": mark, "ids": [vocabulary[mark]], "tokens": [mark]} for mark in (cls, sep)},
        }
    described = {
        "version": "1.0",
        "added_tokens": [
            {"id": vocabulary[mark], "content": mark, "special": True, "single_word": False, "lstrip": False}
            | {"rstrip": False, "normalized": False}
            for mark in special.values()
        ],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False},
        "post_processor": frame,
        "decoder": None,
        "truncation": None,
        "padding": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": special["unk_token"]},
    }
    (folder / "tokenizer.json").write_text(json.dumps(described))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": longest, **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def causal(folder: Path, *, first: bool = True) -> str:
    """A GPT-2 of 2 layers that reads at most 32 tokens; with or without a begin-of-text token."""
    torch = pytest.importorskip("torch", reason="torch is not installed (extra 'neural')")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed (extra 'neural')")
    torch.manual_seed(3)
    _tokenizer(folder, {"unk_token": "<unk>"} | ({"bos_token": "<s>"} if first else {}), longest=32)
    shape = {"vocab_size": 40, "n_positions": 32, "n_embd": 16, "n_layer": 2, "n_head": 2}
    config = transformers.GPT2Config(**shape, initializer_range=0.5, bos_token_id=1, eos_token_id=1)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


def encoder(folder: Path) -> str:
    """A BERT of 2 layers that reads at most 24 tokens."""
    torch = pytest.importorskip("torch", reason="torch is not installed (extra 'neural')")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed (extra 'neural')")
    torch.manual_seed(4)
    marks = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
    _tokenizer(folder, marks, longest=24)
    shape = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.BertConfig(
        **shape, intermediate_size=32, max_position_embeddings=24, initializer_range=0.5, pad_token_id=3
    )
    transformers.BertModel(config).save_pretrained(folder)
    return str(folder)
