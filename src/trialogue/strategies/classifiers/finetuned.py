"""Fine-tuned transformer classifier of single sentences: trained with torch in minutes, used without it.

Several networks that differ in their seeds can be averaged. If the encoder is a BERT, the saved model needs only numpy,
tokenizers and safetensors (16-bit numbers, the word embeddings once for all networks); other encoders need torch for
prediction, too.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trialogue.errors import DataError, Problem, UsageError
from trialogue.extras import need
from trialogue.records.files.opening import write_text
from trialogue.seeds import rng_for
from trialogue.strategies.base import (
    Context,
    Example,
    Floats,
    Kind,
    check_examples,
    data_hash,
    ordered_classes,
    settings_mark,
)
from trialogue.strategies.classifiers.encoder_linear import user_before
from trialogue.strategies.classifiers.finetuning import Network, Training, finetune
from trialogue.strategies.classifiers.tfidf import softmax
from trialogue.strategies.encoders.bert_numpy import Bert, Pooling, Shape
from trialogue.strategies.encoders.encoder import (
    LONGEST,
    EncoderFolder,
    SentenceEncoder,
    Tokenizer,
    find_encoder,
    is_bert,
    most_tokens,
    read_weights,
)
from trialogue.strategies.taxonomy import TAXONOMY, general_examples

VERSION = "v1"
PARTS, ARRAYS, WORDS = "finetuned.json", "finetuned.safetensors", "embeddings.word_embeddings.weight"
TOKENIZER = "tokenizer.json"
EPOCHS_WITH_GENERAL = 4

Half = npt.NDArray[np.float16]


@dataclass(frozen=True, eq=False)
class Member:
    """One network of the ensemble."""

    encoder: SentenceEncoder
    weights: Floats
    """Weights of the linear layer, shape (width, n_classes)."""
    bias: Floats
    """Shape (n_classes,)."""
    kept: Mapping[str, npt.NDArray[Any]]
    """The encoder's weights as they are saved; empty if torch runs it."""

    def probabilities(self, texts: Sequence[str], second_segments: Sequence[str] | None) -> Floats:
        """Class probabilities, shape (n, n_classes)."""
        return softmax(self.encoder.vectors(texts, second_segments).astype(np.float64) @ self.weights + self.bias)


@dataclass(frozen=True, eq=False)
class Finetuned:
    """Average of fine-tuned networks."""

    classes: tuple[str, ...]
    """The strategies it knows."""
    members: tuple[Member, ...]
    config: Mapping[str, Any]
    """The encoder's sizes."""
    uses_context: bool
    """Whether the user's last message counts."""
    origin: str
    """``finetuned|v1|data:…|with:…``, or ``finetuned+context|…``."""

    @property
    def name(self) -> str:
        """``finetuned`` or ``finetuned+context``."""
        return _name(self.uses_context)

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """The mean of the networks' probabilities, shape (n, n_classes)."""
        second_segments = _second_segments(contexts, len(texts)) if self.uses_context else None
        return np.asarray(np.mean([member.probabilities(texts, second_segments) for member in self.members], axis=0))

    def save(self, folder: Path) -> None:
        """Write the model into a folder, self-contained."""
        first = self.members[0].encoder
        parts = {
            "classes": self.classes,
            "origin": self.origin,
            "context": self.uses_context,
            "config": dict(self.config),
            "pooling": first.pooling,
            "longest": first.tokenizer.longest,
            "members": len(self.members),
        }
        write_text(folder / PARTS, json.dumps(parts))
        write_text(folder / TOKENIZER, first.tokenizer.source)
        arrays: dict[str, npt.NDArray[Any]] = {}
        for number, member in enumerate(self.members):
            arrays |= {
                f"{number}.head": member.weights.astype(np.float32),
                f"{number}.bias": member.bias.astype(np.float32),
            }
            arrays |= {WORDS if name == WORDS else f"{number}.{name}": value for name, value in member.kept.items()}
            if not member.kept:
                member.encoder.backbone.module.save_pretrained(str(folder / _network(number)))  # type: ignore[attr-defined]
        files = need("safetensors.numpy", extra="encoder", purpose="save a fine-tuned model")
        files.save_file(arrays, folder / ARRAYS)

    @classmethod
    def load(cls, folder: Path) -> "Finetuned":
        """Load a folder written by ``save``.

        Raises:
            DataError: a file is missing, is not what it should be, or they do not fit each other.
            MissingExtraError: tokenizers or safetensors is not installed (torch, where the encoder is no BERT).
        """
        stored = read_weights(folder / ARRAYS)
        try:
            parts = json.loads((folder / PARTS).read_text("utf-8"))
            classes, config = tuple(map(str, parts["classes"])), dict(parts["config"])
            pooling: Pooling = "cls" if parts["pooling"] == "cls" else "mean"
            words = Tokenizer.from_source((folder / TOKENIZER).read_text("utf-8"), int(parts["longest"]))
            shared = EncoderFolder(folder, config, pooling)
            members = tuple(_read(shared, words, stored, number, classes) for number in range(int(parts["members"])))
            return cls(classes, members, config, bool(parts["context"]), str(parts["origin"]))
        except (OSError, ValueError, KeyError, TypeError, UsageError) as error:
            raise DataError(Problem(f"this model cannot be read: {error}.", str(folder))) from error


def _read(
    folder: EncoderFolder, words: Tokenizer, stored: Mapping[str, npt.NDArray[Any]], number: int, classes: Sequence[str]
) -> Member:
    head, bias = (stored[f"{number}.{part}"].astype(np.float64) for part in ("head", "bias"))
    if is_bert(folder.config):
        own = {
            name.removeprefix(f"{number}."): value for name, value in stored.items() if name.startswith(f"{number}.")
        }
        kept = {name: value for name, value in own.items() if name not in ("head", "bias")} | {WORDS: stored[WORDS]}
        encoder = _in_numpy(folder, words, kept)
    else:
        from trialogue.strategies.encoders.encoder import TorchBackbone

        kept = {}
        backbone = TorchBackbone.from_folder(
            EncoderFolder(folder.path / _network(number), dict(folder.config), folder.pooling)
        )
        encoder = SentenceEncoder(backbone, words, folder.pooling, normalized=False)
    if head.shape != (encoder.width, len(classes)) or bias.shape != (len(classes),) or not np.isfinite(head).all():
        raise ValueError(f"network {number} has a linear layer of shape {head.shape} for {len(classes)} classes")
    return Member(encoder, head, bias, kept)


def _in_numpy(folder: EncoderFolder, words: Tokenizer, kept: Mapping[str, npt.NDArray[Any]]) -> SentenceEncoder:
    bert = Bert.from_weights(Shape.from_config(folder.config), kept)
    return SentenceEncoder(bert, words, folder.pooling, normalized=False)


def _network(number: int) -> str:
    return f"network{number}"


@dataclass(frozen=True)
class FinetunedFit:
    """Training settings; call it with examples."""

    encoder: str | None = None
    """A folder, or a name on the Hugging Face Hub; None: TRIALOGUE_ENCODER, or what ``trialogue data get minilm``
    obtained."""
    seeds: int = 1
    """Networks that are averaged."""
    use_context: bool = False
    """Also the user's last message, as a second segment."""
    definitions: bool = False
    """Also train on what defines the strategies, a phrase at a time."""
    general: bool = False
    """Also learn from ``taxonomy.general_examples()`` where they are among the sentences. Linear models gain by them;
    a network classified INSPIRED's pairs with an AUC of .939 for .940, ReDial's with .981 for .975, within the intervals."""
    seed: int = 0
    """Seed of the first network."""
    longest: int = LONGEST
    """Most tokens of a sentence (with context, of both segments)."""
    epochs: int | None = None
    """None: 5, or 4 with the general sentences, which are as many again as a corpus of two hundred dialogues."""
    rate: float = Training.rate
    batch: int = Training.batch
    dropout: float = Training.dropout
    smoothing: float = Training.smoothing
    balance: float = Training.balance
    layer_decay: float = Training.layer_decay

    def __post_init__(self) -> None:
        """Raise UsageError for invalid values."""
        if self.seeds < 1 or self.longest < 8:
            raise UsageError(f"seeds must be at least 1 and longest at least 8, got {self.seeds} and {self.longest}.")
        self._training_settings()

    @property
    def name(self) -> str:
        """``finetuned`` or ``finetuned+context``."""
        return _name(self.use_context)

    def __call__(self, examples: Sequence[Example]) -> Finetuned:
        """Train a model on the examples.

        Raises:
            UsageError: no examples, only one strategy, empty sentences, or no such encoder.
            MissingDataError: no encoder is named and none is there.
            MissingExtraError: torch or transformers is not installed.
        """
        check_examples(examples)
        folder = find_encoder(self.encoder)
        classes = ordered_classes(example.label for example in examples)
        learned = examples if self.general else drop_general(examples)
        given = [*learned, *(definition_examples(classes) if self.definitions else ())]
        words = Tokenizer.from_source(
            folder.tokenizer.read_text("utf-8"), min(self.longest, most_tokens(folder.config))
        )
        second_segments = _second_segments([each.context for each in given], len(given)) if self.use_context else None
        rows = words.rows(
            [(each.text, None if second_segments is None else second_segments[at]) for at, each in enumerate(given)]
        )
        labels = np.array([classes.index(each.label) for each in given], dtype=np.int64)
        members: list[Member] = []
        for number in range(self.seeds):
            seed = int(rng_for(self.seed + number, "finetune").integers(2**31))
            found = finetune(folder, rows, labels, len(classes), training=self._training_settings(), seed=seed)
            members.append(_member(folder, words, found, members[0] if members else None))
        origin = f"{self.name}|{VERSION}|data:{data_hash(given)}|with:{folder.fingerprint()}{settings_mark(self)}"
        return Finetuned(classes, tuple(members), folder.config, self.use_context, origin)

    def _training_settings(self) -> Training:
        own = ("rate", "batch", "dropout", "smoothing", "balance", "layer_decay")
        usual = EPOCHS_WITH_GENERAL if self.general else Training.epochs
        return Training(
            epochs=usual if self.epochs is None else self.epochs, **{name: getattr(self, name) for name in own}
        )


def _member(folder: EncoderFolder, words: Tokenizer, found: Network, first: Member | None) -> Member:
    """A network as it will be when it is read again."""
    head, bias = (part.astype(np.float32).astype(np.float64) for part in (found.weights, found.bias))
    if not is_bert(folder.config):
        from trialogue.strategies.encoders.encoder import TorchBackbone

        return Member(
            SentenceEncoder(TorchBackbone.from_module(found.module), words, folder.pooling, normalized=False),
            head,
            bias,
            {},
        )
    state = found.module.state_dict().items()
    kept: dict[str, Half] = {name: value.numpy().astype(np.float16) for name, value in state if _is_used(name)}
    if first is not None:
        kept[WORDS] = first.kept[WORDS]  # the same in all networks: they were not trained
    return Member(_in_numpy(folder, words, kept), head, bias, kept)


def _is_used(name: str) -> bool:
    return not name.startswith("pooler.") and name != "embeddings.position_ids"


def drop_general(examples: Sequence[Example]) -> Sequence[Example]:
    """Sentences without the bundled general ones; all of them, if some class has no others."""
    general = frozenset(general_examples())
    others = [example for example in examples if example not in general]
    complete = {example.label for example in others} == {example.label for example in examples}
    return others if complete else examples


def definition_examples(classes: Sequence[str]) -> list[Example]:
    """Sentences from the strategies' definitions and criteria, with these labels."""
    found = []
    for strategy in (TAXONOMY[name] for name in classes if name in TAXONOMY):
        phrases = [strategy.definition, *strategy.use.replace(";", ",").split(",")]
        found += [
            Example(text=each.strip(), label=strategy.name, source="taxonomy") for each in phrases if each.strip()
        ]
    return found


def _second_segments(contexts: Sequence[Context] | None, n: int) -> list[str]:
    return [user_before(context) for context in contexts] if contexts is not None else [""] * n


def _name(context: bool) -> str:
    return "finetuned+context" if context else "finetuned"


KIND = Kind(
    name="finetuned",
    summary="A sentence encoder fine-tuned on strategies; trains in minutes with torch, runs without it.",
    recipe=FinetunedFit,
    load=Finetuned.load,
)
