"""Locate and read sentence-encoder folders: weights, vocabulary and configuration, in the layout of the usual model hubs.

A folder holds ``config.json``, ``tokenizer.json`` and ``model.safetensors``; ``1_Pooling/config.json`` may declare how
token states are pooled into one vector. Nothing in it is executed.
"""

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.cache import cache_folder
from trialogue.errors import DataError, MissingDataError, Problem, UsageError
from trialogue.extras import need
from trialogue.strategies.encoders.bert_numpy import Pooling

VARIABLE = "TRIALOGUE_ENCODER"
"""Environment variable that names the encoder to be used where none is given."""
MINILM = "all-minilm-l6-v2"
"""The encoder that ``trialogue strategies encoder get`` obtains."""

CONFIG, TOKENIZER, WEIGHTS, POOLING = "config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"
GET = "Get one with: trialogue strategies encoder get. Or give your own folder (--encoder FOLDER)."

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class EncoderFolder:
    """Folder of an encoder; its files have not been read yet."""

    path: Path
    """Path."""
    config: dict[str, Any]
    """Content of ``config.json``."""
    pooling: Pooling
    """Pooling of token states into a vector."""

    @property
    def weights(self) -> Path:
        """Path of the weights."""
        return self.path / WEIGHTS

    @property
    def tokenizer(self) -> Path:
        """Path of the tokenizer."""
        return self.path / TOKENIZER

    def fingerprint(self) -> str:
        """Twelve hex digits of the sha256 of weights, tokenizer and configuration."""
        digest = hashlib.sha256(self.pooling.encode())
        for name in (CONFIG, TOKENIZER, WEIGHTS):
            with (self.path / name).open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return digest.hexdigest()[:12]


def encoders_folder() -> Path:
    """Folder of encoders downloaded by ``trialogue strategies encoder get``."""
    return cache_folder() / "encoders"


def find_encoder(name: str | None = None) -> EncoderFolder:
    """Locate an encoder by folder, by Hugging Face Hub name, or the default one.

    Args:
        name: a folder, or ``owner/name``, which is downloaded unless the hub's cache has it. None: what the environment
            variable TRIALOGUE_ENCODER names, else MiniLM as ``trialogue strategies encoder get`` put it there.

    Raises:
        MissingDataError: none is named, and none is there.
        UsageError: there is no such folder, and the hub does not have it or cannot be reached.
        DataError: the folder lacks a file, or ``config.json`` cannot be read.
    """
    given = name or os.environ.get(VARIABLE)
    if given is None:
        kept = encoders_folder() / MINILM
        if not kept.is_dir():
            raise MissingDataError(f"there is no sentence encoder on this computer. {GET}")
        return read_folder(kept)
    path = Path(given).expanduser()
    if path.is_dir():
        return read_folder(path)
    if _HUB_NAME.fullmatch(given) and not path.exists():
        return read_folder(_fetch_from_hub(given))
    raise UsageError(f"there is no encoder at {given!r}: no such folder. {GET}")


def read_folder(path: Path) -> EncoderFolder:
    """Open an encoder folder.

    Raises:
        DataError: a file is missing, or a configuration cannot be read.
    """
    missing = [name for name in (CONFIG, TOKENIZER, WEIGHTS) if not (path / name).is_file()]
    if missing:
        hint = "Older formats (pytorch_model.bin, vocab.txt alone) can be converted with transformers' save_pretrained."
        raise DataError(Problem(f"this encoder lacks {', '.join(missing)}.", str(path), hint=hint))
    config = _json(path / CONFIG)
    asked = _json(path / POOLING) if (path / POOLING).is_file() else {}
    return EncoderFolder(path, config, "cls" if asked.get("pooling_mode_cls_token") is True else "mean")


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        hint = "Download the encoder again."
        raise DataError(Problem(f"this configuration cannot be read: {error}.", str(path), hint=hint)) from error
    if not isinstance(found, dict):
        raise DataError(Problem("not the configuration of an encoder that save_pretrained wrote.", str(path)))
    return found


def _fetch_from_hub(name: str) -> Path:
    hub = need("huggingface_hub", extra="encoder", purpose=f"fetch the encoder {name}")
    try:
        return Path(hub.snapshot_download(name, allow_patterns=[CONFIG, TOKENIZER, WEIGHTS, POOLING]))
    except (OSError, ValueError) as error:
        what = (str(error).strip() or repr(error)).splitlines()[0]
        raise UsageError(
            f"{name!r} is not a local folder, and the Hugging Face Hub did not provide it: {what} {GET}"
        ) from error
