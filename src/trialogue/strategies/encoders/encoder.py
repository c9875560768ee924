"""Sentence encoders from local files: BERT with numpy, other architectures with torch and transformers.

Locate and read sentence-encoder folders: weights, vocabulary and configuration, in the layout of the usual model hubs.

A folder holds ``config.json``, ``tokenizer.json`` and ``model.safetensors``; ``1_Pooling/config.json`` may declare how
token states are pooled into one vector. Nothing in it is executed.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from trialogue.cache import cache_folder
from trialogue.errors import DataError, MissingDataError, Problem, UsageError
from trialogue.extras import need
from trialogue.strategies.encoders.bert_numpy import Bert, Floats32, Pooling, Shape, Tokens

VARIABLE = "TRIALOGUE_ENCODER"
"""Environment variable that names the encoder to be used where none is given."""
MINILM = "all-minilm-l6-v2"
"""The encoder that ``trialogue data get minilm`` obtains."""

CONFIG, TOKENIZER, WEIGHTS, POOLING = "config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"
GET = "Get one with: trialogue data get minilm. Or give your own folder (--set model.encoder=FOLDER)."

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class EncoderFolder:
    """Folder of an encoder; its files have not been read yet."""

    path: Path
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
    """Folder of encoders downloaded by ``trialogue data get minilm``."""
    return cache_folder() / "encoders"


def find_encoder(name: str | None = None) -> EncoderFolder:
    """Locate an encoder by folder, by Hugging Face Hub name, or the default one.

    Args:
        name: a folder, or ``owner/name``, which is downloaded unless the hub's cache has it. None: what the environment
            variable TRIALOGUE_ENCODER names, else MiniLM as ``trialogue data get minilm`` put it there.

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


ROWS = 64  # encoded at a time
OWN_POSITIONS = 2  # that RoBERTa and its like keep for themselves; others can spare them


@dataclass(frozen=True, eq=False)
class TorchBackbone:
    """Transformer of any architecture of ``transformers.AutoModel``; no code in its folder is executed."""

    module: Any
    """In the mode for use, not for training."""
    width: int
    longest: int

    @classmethod
    def from_folder(cls, folder: EncoderFolder) -> "TorchBackbone":
        """Load from a folder.

        Raises:
            DataError: transformers cannot make it of what is in the folder.
            MissingExtraError: torch or transformers is not installed.
        """
        kind = folder.config.get("model_type")
        purpose = f"run an encoder of type {kind!r} (without torch, only BERT can be run)"
        need("torch", extra="neural", purpose=purpose)
        transformers = need("transformers", extra="neural", purpose=purpose)
        try:
            module = transformers.AutoModel.from_pretrained(str(folder.path), local_files_only=True)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise DataError(Problem(f"transformers cannot read this encoder: {error}.", str(folder.path))) from error
        return cls.from_module(module)

    @classmethod
    def from_module(cls, module: Any) -> "TorchBackbone":
        """Wrap an existing module."""
        module.eval()
        positions = int(getattr(module.config, "max_position_embeddings", 0) or 512)
        return cls(module, int(module.config.hidden_size), positions - OWN_POSITIONS)

    def pool(self, rows: Sequence[Tokens], pooling: Pooling = "mean") -> Floats32:
        """One embedding per row, shape (n, width)."""
        torch = need("torch", extra="neural", purpose="run this encoder")
        device = next(self.module.parameters()).device
        found = np.empty((len(rows), self.width), dtype=np.float32)
        order = np.argsort([len(row.ids) for row in rows], kind="stable")
        with torch.inference_mode():
            for start in range(0, len(rows), ROWS):
                part = order[start : start + ROWS]
                ids, types, mask = (torch.from_numpy(one).to(device) for one in pad_rows([rows[at] for at in part]))
                found[part] = pool_states(self.module, ids, types, mask, pooling).float().cpu().numpy()
        return found


def pad_rows(rows: Sequence[Tokens], pad: int = 0) -> tuple[Any, Any, Any]:
    """Padded token ids, segment ids and mask of rows, shape (n, longest) each."""
    longest = max(len(row.ids) for row in rows)
    ids, types, mask = (np.full((len(rows), longest), fill, dtype=np.int64) for fill in (pad, 0, 0))
    for place, row in enumerate(rows):
        size = len(row.ids)
        ids[place, :size], types[place, :size], mask[place, :size] = row.ids, row.types, 1
    return ids, types, mask


def pool_states(module: Any, ids: Any, types: Any, mask: Any, pooling: Pooling) -> Any:
    """One embedding per row of a batch: mean over the first segment, or the first token's state."""
    segments = getattr(module.config, "type_vocab_size", 0) or 0
    more = {"token_type_ids": types} if segments > 1 else {}
    states = module(input_ids=ids, attention_mask=mask, **more).last_hidden_state
    if pooling == "cls":
        return states[:, 0]
    first = (mask * (types == 0)).to(states.dtype).unsqueeze(-1)
    return (states * first).sum(dim=1) / first.sum(dim=1)


LONGEST = 128  # tokens; the rest of a sentence is cut off
MAX_REMEMBERED = 50_000  # vectors kept: 75 MB of 384 numbers
AT_ONCE = 2048  # sentences encoded before they are remembered

Key: TypeAlias = tuple[str, str | None]


class Backbone(Protocol):
    """Transformer that pools rows of tokens into embeddings: ``Bert``, or one that needs torch."""

    @property
    def width(self) -> int:
        """Embedding size."""
        ...

    @property
    def longest(self) -> int:
        """Maximum number of tokens per row."""
        ...

    def pool(self, rows: Sequence[Tokens], pooling: Pooling = "mean") -> Floats32:
        """One embedding per row, shape (n, width); a row depends on its own tokens only."""
        ...


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """Tokenizer defined by ``tokenizer.json``."""

    source: str
    """The content of ``tokenizer.json``."""
    longest: int
    """Most tokens of a row."""
    _inner: Any = field(repr=False)

    @classmethod
    def from_source(cls, source: str, longest: int) -> "Tokenizer":
        """Create from the content of a file.

        Raises:
            UsageError: it is not a tokenizer.
            MissingExtraError: the package tokenizers is not installed.
        """
        tokenizers = need("tokenizers", extra="encoder", purpose="run a sentence encoder")
        try:
            inner = tokenizers.Tokenizer.from_str(source)
        except Exception as error:  # the package raises nothing narrower
            raise UsageError(f"the encoder's tokenizer.json cannot be read: {error}.") from error
        inner.no_padding()
        inner.enable_truncation(longest)
        return cls(source, longest, inner)

    def rows(self, keys: Sequence[Key]) -> list[Tokens]:
        """Tokenise sentences, alone (None) or with a second segment."""
        pairs = [_plain(text) if second is None else (_plain(text), _plain(second)) for text, second in keys]
        return [Tokens(tuple(each.ids), tuple(each.type_ids)) for each in self._inner.encode_batch(pairs)]


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate, which the tokenizer would reject


@dataclass(frozen=True, eq=False)
class SentenceEncoder:
    """Sentence encoder with a cache."""

    backbone: Backbone
    tokenizer: Tokenizer
    pooling: Pooling = "mean"
    """Pooling of token states into a vector."""
    normalized: bool = True
    """Whether vectors are given length 1."""
    _known: dict[Key, Floats32] = field(default_factory=dict, repr=False)

    @property
    def width(self) -> int:
        """Embedding size."""
        return self.backbone.width

    def vectors(self, texts: Sequence[str], second_segments: Sequence[str] | None = None) -> Floats32:
        """Embeddings of sentences, shape (n, width).

        Args:
            texts: sentences; an empty one has a vector, too (of the tokens that begin and end every sentence).
            second_segments: the text that each is read together with, as BERT's second segment, such as its context.
        """
        keys: list[Key] = (
            [(text, None) for text in texts]
            if second_segments is None
            else list(zip(texts, second_segments, strict=True))
        )
        if len(self._known) > MAX_REMEMBERED:
            self._known.clear()
        fresh: dict[Key, Floats32] = {}
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        for start in range(0, len(new), AT_ONCE):
            part = new[start : start + AT_ONCE]
            found = self.backbone.pool(self.tokenizer.rows(part), self.pooling)
            if self.normalized:
                found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-12))
            fresh.update(zip(part, found, strict=True))
        rows = [fresh[key] if key in fresh else self._known[key] for key in keys]
        self._known.update(_first_items(fresh, MAX_REMEMBERED - len(self._known)))
        return np.array(rows, dtype=np.float32).reshape(len(keys), self.width)


def _first_items(found: Mapping[Key, Floats32], most: int) -> Iterator[tuple[Key, Floats32]]:
    for _, item in zip(range(most), found.items(), strict=False):
        yield item


def open_encoder(folder: EncoderFolder, *, longest: int = LONGEST) -> SentenceEncoder:
    """Open the encoder in a folder: BERT architectures run in numpy, others in torch.

    Raises:
        UsageError: weights and sizes do not fit each other.
        DataError: the weights cannot be read.
        MissingExtraError: tokenizers, safetensors or (for other architectures) torch is not installed.
    """
    backbone: Backbone
    if is_bert(folder.config):
        backbone = Bert.from_weights(Shape.from_config(folder.config), read_weights(folder.weights))
    else:
        backbone = TorchBackbone.from_folder(folder)
    words = Tokenizer.from_source(folder.tokenizer.read_text("utf-8"), min(longest, backbone.longest))
    return SentenceEncoder(backbone, words, folder.pooling)


def is_bert(config: Mapping[str, Any]) -> bool:
    """Whether numpy can run an encoder with this configuration."""
    try:
        Shape.from_config(config)
    except UsageError:
        return False
    return True


def most_tokens(config: Mapping[str, Any]) -> int:
    """Maximum number of tokens per row for a configuration; 510 if it does not say.

    >>> most_tokens({"model_type": "roberta", "max_position_embeddings": 514})
    512
    """
    if is_bert(config):
        return Shape.from_config(config).positions
    given = config.get("max_position_embeddings")
    return (given if isinstance(given, int) and given > OWN_POSITIONS else 512) - OWN_POSITIONS


def read_weights(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays in a safetensors file.

    Raises:
        DataError: it cannot be read, or holds numbers that numpy does not know (bfloat16).
    """
    files = need("safetensors", extra="encoder", purpose="read the weights of a sentence encoder")
    numpy_files = need("safetensors.numpy", extra="encoder", purpose="read the weights of a sentence encoder")
    try:
        return dict(numpy_files.load_file(path))
    except (OSError, ValueError, TypeError, KeyError, files.SafetensorError) as error:
        raise DataError(Problem(f"these weights cannot be read: {error}.", str(path))) from error
