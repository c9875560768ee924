"""The paper's pair classifier: a cross-encoder that predicts whether two sentences share a strategy.

Yang et al. (SIGIR 2024), section 5.1: BERT-large on ``[CLS] H [SEP] C [SEP]``, two classes, trained on 50,000 pairs with one
strategy and 50,000 with two ("Original"), or with 10,000 hard ones among the latter ("Mixed-hard"). It is trained with the
``Trainer`` of transformers on any folder that has an encoder, on a GPU if there is one. It serves as the baseline: it
encodes every pair separately, classifiers of single sentences do better with an equal encoder, and a split of pairs greatly
overstates its accuracy.
"""

import contextlib
import hashlib
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.extras import need
from trialogue.fingerprints import fingerprints_of, read_fingerprints, write_fingerprints
from trialogue.records.files.opening import write_text
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Floats, data_hash, settings_mark
from trialogue.strategies.encoders.bert_numpy import Tokens
from trialogue.strategies.encoders.encoder import LONGEST, EncoderFolder, Tokenizer, find_encoder, most_tokens, pad_rows
from trialogue.strategies.models import check_settings, write_folder
from trialogue.strategies.pairs.protocols import (
    N_HARD,
    N_SAME,
    PAPER_CONFUSIONS,
    Hard,
    PairSet,
    measure,
    training_pairs,
)

VERSION = "v1"
NAME = "cross-encoder"
PARTS, TOKENIZER = "crossencoder.json", "tokenizer.json"
PURPOSE = "train or use a cross-encoder"
ROWS = 64  # judged at a time

HardPairs: TypeAlias = Literal["none", "paper", "measured"]


@dataclass(frozen=True, eq=False)
class CrossEncoder:
    """Trained pair classifier."""

    module: Any
    """Model of transformers with two classes; 1 is "they share a strategy"."""
    tokenizer: Tokenizer
    """Turns pairs of sentences into token ids."""
    segments: bool
    """Whether the second sentence is marked as another segment."""
    origin: str
    """``cross-encoder|v1|data:…|with:…``."""
    fingerprints: frozenset[str] | None = None
    """Fingerprints of the training sentences; None: unknown."""

    def same_probability(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """Probability that each pair shares a strategy, at a prior of one half; shape (n,).

        The order of a pair matters: it reads the left sentence first.
        """
        torch = need("torch", extra="neural", purpose=PURPOSE)
        rows = self.tokenizer.rows(list(zip(left, right, strict=True)))
        device = next(self.module.parameters()).device
        chances = np.empty(len(rows))
        order = np.argsort([len(row.ids) for row in rows], kind="stable")
        self.module.eval()
        with torch.inference_mode():
            for start in range(0, len(rows), ROWS):
                part = order[start : start + ROWS]
                batch = {name: one.to(device) for name, one in _batch([rows[at] for at in part], self.segments).items()}
                chances[part] = torch.softmax(self.module(**batch).logits.double(), dim=1)[:, 1].cpu().numpy()
        return chances

    def save(self, folder: Path) -> None:
        """Write the model into an existing folder."""
        self.module.save_pretrained(str(folder))
        write_text(folder / TOKENIZER, self.tokenizer.source)
        parts = {"origin": self.origin, "segments": self.segments, "longest": self.tokenizer.longest}
        write_text(folder / PARTS, json.dumps(parts))
        if self.fingerprints is not None:
            write_fingerprints(self.fingerprints, folder)

    @classmethod
    def load(cls, folder: Path | str) -> "CrossEncoder":
        """Load a folder written by ``save``.

        Raises:
            DataError: a file is missing or not what it should be.
            MissingExtraError: torch, transformers or tokenizers is not installed.
        """
        folder = Path(folder)
        try:
            parts = json.loads((folder / PARTS).read_text("utf-8"))
            origin, segments, longest = str(parts["origin"]), bool(parts["segments"]), int(parts["longest"])
            words = Tokenizer.from_source((folder / TOKENIZER).read_text("utf-8"), longest)
        except (OSError, ValueError, KeyError, TypeError, UsageError) as error:
            raise DataError(Problem(f"there is no cross-encoder here: {error}.", str(folder))) from error
        return cls(_classifier(folder), words, segments, origin, read_fingerprints(folder))


@dataclass(frozen=True)
class CrossEncoderFit:
    """Training settings; call it with pairs. The paper states neither epochs, learning rate nor batch size: these are
    BERT's own."""

    encoder: str | None = None
    """A folder of any architecture, or a name on the Hugging Face Hub such as ``bert-large-uncased``; None: see
    ``find_encoder``."""
    epochs: float = 1.0
    rate: float = 2e-5
    batch: int = 32
    longest: int = LONGEST
    """Most tokens of a pair, as in the released code; what an encoder has no positions for is cut off, too."""
    segments: bool = False
    """Mark the second sentence as another segment; the released code does not."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise UsageError for values that make no sense."""
        if not (self.epochs > 0 and self.rate > 0 and self.batch >= 1 and self.longest >= 8):
            raise UsageError(
                "epochs and rate must be above 0, batch at least 1 and longest at least 8, "
                f"got {self.epochs}, {self.rate}, {self.batch} and {self.longest}."
            )

    @property
    def name(self) -> str:
        """``cross-encoder``."""
        return NAME

    def __call__(self, pairs: PairSet) -> CrossEncoder:
        """The classifier trained on these pairs.

        Raises:
            UsageError: no pairs, or no such encoder.
            MissingExtraError: torch, transformers or accelerate is not installed.
        """
        if not len(pairs):
            raise UsageError("there are no pairs to train on.")
        for package in ("torch", "accelerate"):  # the Trainer's own words for a missing one are hard to read
            need(package, extra="neural", purpose=PURPOSE)
        folder = find_encoder(self.encoder)
        words = Tokenizer.from_source(
            folder.tokenizer.read_text("utf-8"), min(self.longest, most_tokens(folder.config))
        )
        rows = words.rows([(one.text, other.text) for one, other, _ in pairs.rows()])
        data = [{"row": row, "same": same} for row, same in zip(rows, pairs.same.tolist(), strict=True)]
        with _own_randomness(), tempfile.TemporaryDirectory() as room:
            module = self._train(folder, data, room)
        data_and_pairs = f"data:{data_hash(pairs.examples)}-{_pairs_hash(pairs)}"
        origin = f"{NAME}|{VERSION}|{data_and_pairs}|with:{folder.fingerprint()}{settings_mark(self)}"
        return CrossEncoder(module, words, self.segments, origin, fingerprints_of(each.text for each in pairs.examples))

    def _train(self, folder: EncoderFolder, data: Sequence[Mapping[str, Any]], room: str) -> Any:
        transformers = need("transformers", extra="neural", purpose=PURPOSE)
        transformers.set_seed(self.seed)
        arguments = transformers.TrainingArguments(
            output_dir=room,
            num_train_epochs=self.epochs,
            learning_rate=self.rate,
            per_device_train_batch_size=self.batch,
            warmup_steps=len(data) * self.epochs / self.batch // 10,
            weight_decay=0.01,
            seed=self.seed,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            remove_unused_columns=False,
            dataloader_pin_memory=False,
        )
        trainer = transformers.Trainer(
            model=_classifier(folder.path), args=arguments, train_dataset=data, data_collator=self._collate
        )
        trainer.train()
        return trainer.model.cpu().eval()

    def _collate(self, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        torch = need("torch", extra="neural", purpose=PURPOSE)
        labels = torch.tensor([int(one["same"]) for one in found])
        return _batch([one["row"] for one in found], self.segments) | {"labels": labels}


def _pairs_hash(pairs: PairSet) -> str:
    """Six hex digits that change with any pair."""
    columns = np.stack([pairs.left, pairs.right, pairs.same.astype(np.int64)])
    return hashlib.sha256(np.ascontiguousarray(columns, dtype="<i8").tobytes()).hexdigest()[:6]


def _batch(rows: Sequence[Tokens], segments: bool) -> dict[str, Any]:
    torch = need("torch", extra="neural", purpose=PURPOSE)
    ids, types, mask = (torch.from_numpy(one) for one in pad_rows(rows))
    return {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if segments else {})


def _classifier(folder: Path) -> Any:
    transformers = need("transformers", extra="neural", purpose=PURPOSE)
    need("torch", extra="neural", purpose=PURPOSE)
    try:
        return transformers.AutoModelForSequenceClassification.from_pretrained(
            str(folder), num_labels=2, local_files_only=True
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise DataError(Problem(f"transformers cannot read this model: {error}.", str(folder))) from error


def save_cross_encoder(model: CrossEncoder, folder: Path | str, *, replace: bool = False) -> None:
    """Write a classifier to a folder, which appears whole or not at all.

    Args:
        model: model to save.
        folder: made with its parents.
        replace: put it in the place of a classifier of pairs that is there.

    Raises:
        UsageError: the folder has something in it that is not to be replaced.
    """
    folder = Path(folder)
    is_free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    if not is_free and not (replace and (folder / PARTS).is_file()):
        raise UsageError(f"{folder} is not empty. Give a new or empty folder.")
    write_folder(folder, model.save)


@contextlib.contextmanager
def _own_randomness() -> Iterator[None]:
    """The Trainer seeds what all the world draws from; afterwards that is as it was."""
    torch = need("torch", extra="neural", purpose=PURPOSE)
    python, arrays = random.getstate(), np.random.get_state()  # noqa: NPY002 - only to be put back
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(arrays)  # noqa: NPY002


@dataclass(frozen=True)
class PairPlan:
    """Choice of training pairs."""

    pairs: int = N_SAME
    """Number of pairs of either kind, limited by the data."""
    hard: HardPairs = "none"
    """``none``: the paper's Original. ``paper``: its Mixed-hard, with the paper's own hard strategies (Table 2).
    ``measured``: Mixed-hard with those that TF-IDF finds hard in the training sentences, out of fold."""
    hard_pairs: int = N_HARD
    """Number of hard pairs; at most a fifth of the pairs with two strategies."""

    def __post_init__(self) -> None:
        """Raise UsageError for values that make no sense."""
        if self.hard not in get_args(HardPairs) or self.pairs < 1 or self.hard_pairs < 1:
            raise UsageError(
                f"hard must be one of {', '.join(get_args(HardPairs))}; pairs and hard_pairs must be at least 1; "
                f"got {self.hard!r}, {self.pairs} and {self.hard_pairs}."
            )

    def hard_ones(self, *, seed: int) -> Hard | None:
        """The hard strategies, or how they are measured; None: no hard pairs."""
        choices: dict[HardPairs, Hard | None] = {
            "none": None,
            "paper": PAPER_CONFUSIONS,
            "measured": measure(seed=seed),
        }
        return choices[self.hard]

    def draw(self, examples: Sequence[Example], *, seed: int) -> PairSet:
        """The training pairs of these sentences; UsageError if there are none, or nothing is hard."""
        rng = rng_for(seed, "training pairs")
        hard = self.hard_ones(seed=seed)
        return training_pairs(examples, rng=rng, count=self.pairs, hard=hard, hard_pairs=self.hard_pairs)


def plan_and_fit(settings: Mapping[str, Any]) -> tuple[PairPlan, CrossEncoderFit]:
    """The pairs and the training that settings by name ask for.

    Raises:
        UsageError: a setting is neither's, or a value makes no sense.
    """
    check_settings(NAME, settings, PairPlan, CrossEncoderFit)
    of_plan = {name: settings[name] for name in asdict(PairPlan()) if name in settings}
    rest = {name: value for name, value in settings.items() if name not in of_plan}
    try:
        return PairPlan(**of_plan), CrossEncoderFit(**rest)
    except TypeError as error:
        raise UsageError(f"a {NAME} cannot be created with the settings {dict(settings)}: {error}.") from error
