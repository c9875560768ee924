"""Metrics by a neural network in a local folder, identified by its content: BERTScore and perplexity."""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.metrics.base import Array, RatioMetric, Reply, Undefined, ratio
from trialogue.metrics.references import EMPTY, NOT_COMPARED, MeanAgainstReference, reference_card
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, TextUse, Variant

WEIGHTS = (".safetensors", ".bin")
CONFIGURATION = "config.json"
_READ = ("*.json", "*.txt", "*.model", *(f"*{suffix}" for suffix in WEIGHTS))  # what a model's numbers depend on


@dataclass(frozen=True)
class ModelFolder:
    """A model on this machine."""

    path: Path
    name: str
    """The folder's name and the beginning of a hash of its files: the same model has the same name on any machine."""


def model_folder(path: str | None, *, metric: str) -> ModelFolder:
    """Open the model in a folder.

    Raises:
        UsageError: no folder is given, or there is no model in it.
    """
    if path is None:
        raise UsageError(
            f"{metric} needs a model: a local folder with {CONFIGURATION}, weights and tokenizer, as written "
            f"by transformers' save_pretrained. Write {metric}(model=FOLDER)."
        )
    folder = Path(path).expanduser()
    weights = any(file.suffix in WEIGHTS for file in folder.iterdir()) if folder.is_dir() else False
    if not weights or not (folder / CONFIGURATION).is_file():
        raise UsageError(
            f"There is no model in {path!r}, given to {metric}: the folder must have {CONFIGURATION} and "
            f"weights ({' or '.join('*' + suffix for suffix in WEIGHTS)}). Nothing is downloaded."
        )
    return ModelFolder(folder, f"{folder.resolve().name}-{_digest(folder.resolve())}")


@lru_cache
def _digest(folder: Path) -> str:
    """The first 8 hexadecimal digits of a hash of the files that a model's numbers depend on."""
    total = hashlib.sha256()
    for file in sorted({file for pattern in _READ for file in folder.glob(pattern)}):
        total.update(file.name.encode())
        with file.open("rb") as stream:
            total.update(hashlib.file_digest(stream, "sha256").digest())
    return total.hexdigest()[:8]


REMEMBERED = 512  # texts whose vectors are kept: references return with every system

BERTSCORE = reference_card(
    name="bertscore",
    title="BERTScore",
    summary="Similarity in meaning of a reply and the human reply, compared word by word with the embeddings of a "
    "model that you choose.",
    unit="cosine",
    low=-1,
    text=TextUse(unit="subword"),
    variants={
        "f1": Variant(
            summary="Harmonic mean of @precision and @recall of each reply; mean over replies.",
            source="Zhang et al. (ICLR 2020), sec. 3; bert_score.score with idf=False, rescale_with_baseline=False.",
        ),
        "precision": Variant(
            summary="Mean over a reply's tokens of the highest cosine with a token of the reference; mean over "
            "replies.",
            source="The same, P.",
        ),
        "recall": Variant(
            summary="Mean over a reference's tokens of the highest cosine with a token of the reply; mean over "
            "replies.",
            source="The same, R.",
        ),
    },
    default="f1",
    parameters={
        "model": "local folder of an encoder such as roberta-large; its content is part of the measure's name",
        "layer": "hidden layer whose vectors are compared: 0 is the input, -1 (default) the last. bert_score recommends one "
        "for each model, 17 for roberta-large",
    },
    caveats=(
        NOT_COMPARED,
        "Of several references, the one with the highest value counts, as in bert_score.",
        "Raw cosines: with some models, even unrelated sentences score .8 or more. No baseline is "
        "subtracted, because published ones belong to published models and layers.",
        "Values from different models or layers cannot be compared.",
    ),
    citation="Zhang et al. (ICLR 2020), 'BERTScore: Evaluating Text Generation with BERT'",
    extra="neural",
)


class Match(NamedTuple):
    """Precision and recall of a reply and a reference."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean; 0 if either is not positive."""
        if self.precision <= 0 or self.recall <= 0:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


class BertScore(MeanAgainstReference):
    """Mean BERTScore, raw; an empty reply or reference scores 0, as in bert_score.

    Raises:
        UsageError: there is no model in the folder, or it has no such layer.
        MissingExtraError: torch or transformers is not installed.
    """

    card = BERTSCORE

    def __init__(self, *, variant: str | None = None, model: str | None = None, layer: int = -1) -> None:
        folder = model_folder(model, metric="bertscore")
        self.declare(variant, model=folder.name, layer=layer)
        self._encoder = _Encoder(folder, layer)

    def _score(self, reply: str, reference: str) -> float:
        return float(getattr(self._encoder.match(reply, reference), self.variant))


class _Encoder:
    """Vectors of a text's tokens in one layer of a model."""

    def __init__(self, folder: ModelFolder, layer: int) -> None:
        self._torch = need("torch", extra="neural", purpose="compute BERTScore")
        transformers = need("transformers", extra="neural", purpose="compute BERTScore")
        self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
        model: Any = transformers.AutoModel.from_pretrained(folder.path, local_files_only=True)
        self._model = model.float().eval()
        layers: int = model.config.num_hidden_layers
        if not -layers - 1 <= layer <= layers:
            raise UsageError(f"The model {folder.name} has layers 0 to {layers}, got layer={layer}.")
        self._layer = layer
        longest = getattr(model.config, "max_position_embeddings", None)
        self._longest = min(self._tokenizer.model_max_length, longest or self._tokenizer.model_max_length)
        self._framing = {self._tokenizer.cls_token_id, self._tokenizer.sep_token_id}
        self.vectors = lru_cache(REMEMBERED)(self._vectors)

    def _vectors(self, text: str) -> tuple[Any, Any]:
        """Vectors of length 1, shape (tokens, size), and which of them are not begin and end marks."""
        torch = self._torch
        ids = self._tokenizer(text.strip(), truncation=True, max_length=self._longest)["input_ids"]
        with torch.inference_mode():
            layers = self._model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
            vectors = torch.nn.functional.normalize(layers[self._layer][0], dim=-1)
        return vectors, torch.tensor([one not in self._framing for one in ids], dtype=torch.bool)

    def match(self, reply: str, reference: str) -> Match:
        """Greedy matching; begin and end marks may be matched with, and are not themselves matched."""
        if not reply.strip() or not reference.strip():
            return Match(0.0, 0.0)
        (ours, our_words), (theirs, their_words) = self.vectors(reply), self.vectors(reference)
        cosines = ours @ theirs.T
        precision = cosines.max(dim=1).values[our_words].mean()
        recall = cosines.max(dim=0).values[their_words].mean()
        return Match(float(precision), float(recall))


PERPLEXITY = Card(
    name="perplexity",
    title="Perplexity",
    summary="How surprising replies are to a causal language model that reads each reply separately.",
    unit="perplexity",
    low=1,
    better="lower",
    level="response",
    text=TextUse(unit="subword"),
    failed=FailurePolicy.UNDEFINED,
    variants={
        "exp_mean": Variant(
            summary="exp of the mean loss of all tokens of all replies.",
            source="Jelinek et al. (1977); CRSLab, evaluator/metrics/gen.py, PPLMetric (over batches instead of tokens).",
        ),
        "mean_exp": Variant(
            summary="Mean over replies of exp of the reply's mean token loss: one odd reply can dominate it.",
            source="RevCore, its evaluation code (over batches instead of replies).",
        ),
    },
    default="exp_mean",
    parameters={"model": "local folder of a causal language model; its content is part of the measure's name"},
    caveats=(
        "Losses of 2, 3 and 4 give 20.09 with @exp_mean and 27.36 with @mean_exp.",
        "Perplexity depends on the model and its tokenizer, so only values of the same model can be compared.",
        (
            "Published perplexities are mostly those of a system under its own model, given the dialogue. Here, one "
            "model reads the replies of all systems, without the dialogue."
        ),
        "Dull, frequent wording has low perplexity.",
    ),
    citation="Jelinek et al. (1977), 'Perplexity - a measure of the difficulty of speech recognition tasks'",
    extra="neural",
)


def _losses(losses: Sequence[float]) -> tuple[float, float]:
    return (math.fsum(losses), float(len(losses)))


def _perplexity(losses: Sequence[float]) -> tuple[float, float]:
    return (math.exp(math.fsum(losses) / len(losses)), 1.0)


def _exp_ratio(sums: Array) -> Array:
    value: Array = np.exp(ratio(sums))
    return value


FORMULAS: dict[str, tuple[Callable[[Sequence[float]], tuple[float, float]], Callable[[Array], Array]]] = {
    "exp_mean": (_losses, _exp_ratio),
    "mean_exp": (_perplexity, ratio),
}
"""By variant: what of a reply's token losses is summed, and what becomes of the sums."""


class Perplexity(RatioMetric):
    """Perplexity of replies under the causal language model in a folder.

    Each reply is read by itself behind the model's begin-of-text token (or end-of-text token, where it has no other); if it
    has neither, the first token of a reply is not scored. Replies that are blank, too short to score, or longer than
    the model can read are left out.

    Raises:
        UsageError: there is no model in the folder.
        MissingExtraError: torch or transformers is not installed.
    """

    card = PERPLEXITY

    def __init__(self, *, variant: str | None = None, model: str | None = None) -> None:
        folder = model_folder(model, metric="perplexity")
        self.declare(variant, model=folder.name)
        self._statistics, self._combine = FORMULAS[self.variant]
        self._reader = _LanguageModel(folder)

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(sum of token losses, tokens), or (perplexity of the reply, 1)."""
        if not unit.text.strip():
            return EMPTY
        losses = self._reader.losses(unit.text)
        return losses if isinstance(losses, Undefined) else self._statistics(losses)

    def combine(self, sums: Array) -> Array:
        """Perplexity of the system."""
        return self._combine(sums)


class _LanguageModel:
    """A causal language model and its tokenizer."""

    def __init__(self, folder: ModelFolder) -> None:
        self._torch = need("torch", extra="neural", purpose="compute perplexity")
        transformers = need("transformers", extra="neural", purpose="compute perplexity")
        self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder.path, local_files_only=True)
        self._model = model.float().eval()
        first = self._tokenizer.bos_token_id
        if first is None:
            first = self._tokenizer.eos_token_id
        self._prefix = [] if first is None else [first]
        self._longest: int | None = getattr(model.config, "max_position_embeddings", None)

    def losses(self, text: str) -> Sequence[float] | Undefined:
        """Negative log-likelihood of each token, in nats."""
        tokens = self._prefix + self._tokenizer(text, add_special_tokens=False)["input_ids"]
        if len(tokens) < 2:
            return Undefined(Reason.of(ReasonCode.REPLY_TOO_FEW_TOKENS))
        if self._longest is not None and len(tokens) > self._longest:
            return Undefined(Reason.of(ReasonCode.REPLY_TOO_LONG, tokens=self._longest))
        torch = self._torch
        with torch.inference_mode():
            ids = torch.tensor([tokens])
            logits = self._model(input_ids=ids).logits[0, :-1]
            losses: list[float] = torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="none").tolist()
        return losses
