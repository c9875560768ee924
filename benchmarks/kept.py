"""Trained models kept between runs: a benchmark that was interrupted goes on where it was, and ensembles share members."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trialogue.strategies.base import Example, Kind, Savable, StrategyClassifier, data_hash
from trialogue.strategies.classifiers.ensemble import Mean, average_models
from trialogue.strategies.classifiers.finetuned import KIND as FINETUNED
from trialogue.strategies.classifiers.finetuned import drop_general
from trialogue.strategies.encoders.encoder import find_encoder
from trialogue.strategies.models import temporary_sibling

SECONDS = "seconds.json"


@dataclass(frozen=True)
class Kept:
    """A fit that first looks whether it has trained that before."""

    kind: Kind
    """Of model."""
    settings: tuple[tuple[str, Any], ...]
    """Of its recipe, without the encoder, which is the same throughout."""
    encoder: str
    """Folder of the encoder."""
    folder: Path
    """Where models are kept."""
    may_train: bool = True
    """Whether what is not kept is trained, or else a LookupError."""

    @property
    def name(self) -> str:
        """Kind and settings."""
        return "-".join([self.kind.name, *(f"{key}{value}" for key, value in self.settings)])

    def __call__(self, examples: Sequence[Example]) -> Savable:
        """The model, trained now or before; how long the training took is kept beside it."""
        place = self._place(examples)
        if not place.is_dir():
            if not self.may_train:
                raise LookupError(f"{place.name} has not been trained")
            self._train(examples, place)
        return self.kind.load(place)

    def _train(self, examples: Sequence[Example], place: Path) -> None:
        fit: Callable[[Sequence[Example]], Savable] = self.kind.recipe(encoder=self.encoder, **dict(self.settings))
        wall, start = time.perf_counter(), time.process_time()
        model = fit(examples)
        took = {"process": time.process_time() - start, "wall": time.perf_counter() - wall, "n": len(examples)}
        place.parent.mkdir(parents=True, exist_ok=True)
        with temporary_sibling(place) as room:
            made = room / "new"
            made.mkdir()
            model.save(made)
            (made / SECONDS).write_text(json.dumps(took), "utf-8")
            made.rename(place)
        print(f"{place.name}: {took['process']:.0f} s of CPU, {took['wall']:.0f} s", flush=True)

    def seconds(self, examples: Sequence[Example]) -> float:
        """CPU seconds that the training on these examples took."""
        return float(json.loads((self._place(examples) / SECONDS).read_text("utf-8"))["process"])

    def _place(self, examples: Sequence[Example]) -> Path:
        """Named after what the network learns from."""
        learned = examples if dict(self.settings).get("general") else drop_general(examples)
        return self.folder / f"{self.name}-{data_hash(learned)}"


def finetuned(kept: Path, *, may_train: bool = True, encoder: Path | None = None, **settings: Any) -> Kept:
    """A network with these settings, of a folder's encoder or of the usual one."""
    folder = find_encoder(None if encoder is None else str(encoder))
    return Kept(FINETUNED, tuple(sorted(settings.items(), reverse=True)), str(folder.path), kept, may_train)


@dataclass(frozen=True)
class Once:
    """A fit that trains on the same examples once in a run."""

    fit: Any
    known: dict[str, Any] = field(default_factory=dict)

    def __call__(self, examples: Sequence[Example]) -> Any:
        key = data_hash(examples)
        if key not in self.known:
            self.known[key] = self.fit(examples)
        return self.known[key]


@dataclass(frozen=True)
class Together:
    """The average of fits."""

    fits: tuple[Once, ...]
    weights: tuple[float, ...] | None = None
    mean: Mean = "arithmetic"
    temperatures: tuple[float, ...] | None = None

    def __call__(self, examples: Sequence[Example]) -> StrategyClassifier:
        members = [(str(place), fit(examples)) for place, fit in enumerate(self.fits)]
        weights = self.weights or [1.0] * len(members)
        return average_models(members, weights, "together", mean=self.mean, temperatures=self.temperatures)
