"""Encode sentences with a transformer, each distinct sentence once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from trialogue.errors import DataError, Problem, UsageError
from trialogue.extras import need
from trialogue.strategies.encoders.bert_numpy import Bert, Floats32, Pooling, Shape, Tokens
from trialogue.strategies.encoders.folder import EncoderFolder
from trialogue.strategies.encoders.torch_encoder import OWN_POSITIONS

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
    """Tokens to vectors."""
    tokenizer: Tokenizer
    """Sentences to tokens."""
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
        from trialogue.strategies.encoders.torch_encoder import TorchBackbone

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
