"""Fine-tune a transformer encoder on labelled sentences with torch.

The word embeddings are frozen (half of a small encoder's weights, too many for a few thousand sentences), lower
layers have smaller learning rates than upper ones, and rare classes are upweighted. On processors with fast 16-bit
multiplication, it is used; the same machine gives the same network for the same seed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.extras import need
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.encoders.bert_numpy import Tokens
from trialogue.strategies.encoders.encoder import EncoderFolder, pad_rows, pool_states

PURPOSE = "fine-tune a transformer (the trained model runs without it)"
WARM_UP = 0.1  # share of the steps in which the rate rises; then it falls to 0
HEAD_RATE = 10.0  # times the encoder's rate: the linear layer on top begins at random
DECAY = 0.01  # of matrices, as in BERT
MAX_GRADIENT = 1.0
BUCKET = 16  # batches that are sorted by length together, so that little is padded
BLUR = 3.0  # tokens by which the sorting is blurred

_LAYER = re.compile(r"\blayers?\.(\d+)\.")


@dataclass(frozen=True)
class Training:
    """Training settings of a network; the defaults suit MiniLM and a few thousand sentences."""

    epochs: int = 5
    rate: float = 1e-4
    batch: int = 32
    dropout: float = 0.1
    """Before the linear layer; the encoder has its own."""
    smoothing: float = 0.0
    """Share of every label that is spread over all classes. Some steadies labels that are noisy, and flattens what a network
    says of unlikely classes, by which pairs of sentences are classified: .1 took .012 of their AUC."""
    balance: float = 0.5
    """Classes weigh as their frequency to the power of minus this; 0: all alike."""
    layer_decay: float = 0.9
    """Each layer learns this many times as fast as the one above it."""

    def __post_init__(self) -> None:
        """Raise UsageError for invalid values."""
        if self.epochs < 1 or self.batch < 1 or not self.rate > 0:
            raise UsageError(
                f"epochs and batch must be at least 1 and rate above 0, got {self.epochs}, {self.batch}, {self.rate}."
            )
        if not (0 <= self.dropout < 1 and 0 <= self.smoothing < 1 and 0 <= self.balance <= 1):
            raise UsageError(
                "dropout and smoothing must be at least 0 and below 1, balance 0 to 1, "
                f"got {self.dropout}, {self.smoothing} and {self.balance}."
            )
        if not 0 < self.layer_decay <= 1:
            raise UsageError(f"layer_decay must be above 0 and at most 1, got {self.layer_decay}.")


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network."""

    module: Any
    """The encoder, on the CPU and in the mode for use."""
    weights: Floats
    """Weights of the linear layer, shape (width, n_classes)."""
    bias: Floats
    """Shape (n_classes,)."""


def class_weights(labels: Ints, classes: int, power: float) -> Floats:
    """Class weights, shape (n_classes,): frequency to the power of -power, 1 on average over the sentences.

    >>> class_weights(np.array([0, 0, 0, 0, 1]), 2, 0.5).round(3).tolist()     # 1 / sqrt(4) to 1: 5 / 3 on either side
    [0.833, 1.667]
    """
    counts = np.bincount(labels, minlength=classes).astype(np.float64)
    raw = np.maximum(counts, 1) ** -power
    weights: Floats = raw * counts.sum() / (raw * counts).sum()
    return weights


def batches(lengths: Ints, size: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Batches of one epoch, in random order, with rows of similar length together."""
    order = rng.permutation(len(lengths))
    blurred = lengths + rng.uniform(-BLUR, BLUR, len(lengths))
    made = []
    for start in range(0, len(order), size * BUCKET):
        part = order[start : start + size * BUCKET]
        part = part[np.argsort(blurred[part], kind="stable")]
        made += [part[at : at + size] for at in range(0, len(part), size)]
    for place in rng.permutation(len(made)):
        yield made[place]


def finetune(
    folder: EncoderFolder, rows: Sequence[Tokens], labels: Ints, classes: int, *, training: Training, seed: int
) -> Network:
    """Fine-tune an encoder as a classifier.

    Args:
        folder: the encoder to begin from, of any architecture.
        rows: tokenized sentences.
        labels: the class of each, from 0, shape (n,).
        classes: how many there are.
        training: how.
        seed: seed for the linear layer, dropout and the order of the rows.

    Raises:
        DataError: transformers cannot read the folder.
        MissingExtraError: torch or transformers is not installed.
    """
    torch = need("torch", extra="neural", purpose=PURPOSE)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rng = np.random.default_rng(seed)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        encoder = _encoder(folder).to(device)
        head = torch.nn.Linear(encoder.config.hidden_size, classes).to(device)
        drop = torch.nn.Dropout(training.dropout)
        steps = training.epochs * -(-len(rows) // training.batch)
        optimizer = torch.optim.AdamW(_groups(encoder, head, training))
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, steps))
        weight = torch.tensor(class_weights(labels, classes, training.balance), dtype=torch.float32, device=device)
        loss_of = torch.nn.CrossEntropyLoss(weight=weight, label_smoothing=training.smoothing)
        lengths = np.array([len(row.ids) for row in rows])
        encoder.train()
        for _ in range(training.epochs):
            for part in batches(lengths, training.batch, rng):
                ids, types, mask = (torch.from_numpy(one).to(device) for one in pad_rows([rows[at] for at in part]))
                with torch.autocast(device.type, dtype=torch.bfloat16, enabled=quick_halves(torch, device)):
                    vectors = pool_states(encoder, ids, types, mask, folder.pooling)
                scores = head(drop(vectors.float()))
                loss_of(scores, torch.from_numpy(labels[part]).to(device)).backward()
                torch.nn.utils.clip_grad_norm_([*encoder.parameters(), *head.parameters()], MAX_GRADIENT)
                optimizer.step()
                optimizer.zero_grad()
                schedule.step()
    weights = head.weight.detach().cpu().numpy().astype(np.float64)
    return Network(encoder.cpu().eval(), weights.T.copy(), head.bias.detach().cpu().numpy().astype(np.float64))


def rate_at(step: int, steps: int) -> float:
    """Learning-rate factor at a step: linear warm-up over the first tenth, then linear decay to 0.

    >>> [round(rate_at(step, 20), 2) for step in (0, 1, 2, 11, 19)]
    [0.5, 1.0, 1.0, 0.5, 0.06]
    """
    rise = WARM_UP * steps
    return min((step + 1) / rise, max(0.0, (steps - step) / (steps - rise)), 1.0)


def quick_halves(torch: Any, device: Any) -> bool:
    """Whether the device multiplies bfloat16 faster than float32."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    able = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(able is not None and able())


def _encoder(folder: EncoderFolder) -> Any:
    transformers = need("transformers", extra="neural", purpose=PURPOSE)
    try:
        found = transformers.AutoModel.from_pretrained(str(folder.path), local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise DataError(Problem(f"transformers cannot read this encoder: {error}.", str(folder.path))) from error
    found.get_input_embeddings().weight.requires_grad_(False)
    return found.float()


def _groups(encoder: Any, head: Any, training: Training) -> list[dict[str, Any]]:
    """Parameters with their rates and decay."""
    layers = int(getattr(encoder.config, "num_hidden_layers", 1))
    groups = [{"params": list(head.parameters()), "lr": training.rate * HEAD_RATE, "weight_decay": DECAY}]
    for name, parameter in encoder.named_parameters():
        if parameter.requires_grad and "pooler" not in name:
            layer = _layer_of(name)
            below = layers if layer is None else layers - 1 - layer
            rate = training.rate * training.layer_decay**below
            groups.append({"params": [parameter], "lr": rate, "weight_decay": DECAY if parameter.ndim > 1 else 0.0})
    return groups


def _layer_of(name: str) -> int | None:
    """Layer number in ``encoder.layer.3.output``; None outside of layers."""
    found = _LAYER.search(name)
    return int(found[1]) if found else None
