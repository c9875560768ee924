"""BERTScore: similarity of a reply and the human reference by contextual token embeddings."""

from functools import lru_cache
from typing import Any, NamedTuple

from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.metrics.model_folders import ModelFolder, model_folder
from trialogue.metrics.references import NOT_COMPARED, MeanAgainstReference
from trialogue.records import Card, FailurePolicy, TextUse, Variant

REMEMBERED = 512  # texts whose vectors are kept: references return with every system

CARD = Card(
    name="bertscore",
    title="BERTScore",
    summary="How close in meaning a reply is to the human reply, word by word, in the embeddings of a model of "
    "your choice.",
    unit="cosine",
    low=-1,
    high=1,
    better="higher",
    level="response",
    failed=FailurePolicy.WORST,
    needs=("reference",),
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

    card = CARD

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
