"""Perplexity of replies under a given language model."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from trialogue.extras import need
from trialogue.metrics.base import Array, Reply, Undefined, ratio
from trialogue.metrics.model_folders import ModelFolder, model_folder
from trialogue.metrics.names import full_name
from trialogue.metrics.references import EMPTY
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, TextUse, Variant

CARD = Card(
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
        "It depends on the model and its tokenizer: only values of the very same model can be compared.",
        (
            "Published perplexities are mostly those of a system under its own model, given the dialogue. "
            "This is different: one model reads all systems' replies, without the dialogue."
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


class Perplexity:
    """Perplexity of replies under the causal language model in a folder.

    Each reply is read by itself behind the model's begin-of-text token (or end-of-text token, where it has no other); if it
    has neither, the first token of a reply is not scored. Replies that are blank, too short to score, or longer than
    the model can read are left out.

    Raises:
        UsageError: there is no model in the folder.
        MissingExtraError: torch or transformers is not installed.
    """

    card = CARD
    per_dialogue = False

    def __init__(self, *, variant: str = CARD.default, model: str | None = None) -> None:
        folder = model_folder(model, metric="perplexity")
        self.measure = full_name(CARD, variant, {"model": folder.name})
        self._statistics, self._combine = FORMULAS[variant]
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
