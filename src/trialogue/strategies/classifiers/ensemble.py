"""Ensemble of models by averaging log-probabilities. Models with different errors give a more accurate and stable one.

Overconfident distributions are flattened first, then logarithms are averaged (a geometric mean): pairs of sentences are
separated by the probabilities of unlikely strategies, and an arithmetic mean loses the one member that ruled a strategy out.
"""

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.opening import write_text
from trialogue.strategies.base import (
    Context,
    Example,
    Floats,
    Kind,
    Savable,
    check_examples,
    data_hash,
    ordered_classes,
)
from trialogue.strategies.classifiers.tfidf import softmax
from trialogue.strategies.learning.calibration import sharpen
from trialogue.strategies.learning.folds import align_classes
from trialogue.strategies.models import kind_of, recipe

VERSION = "v2"
PARTS = "ensemble.json"
VARIANTS: Mapping[str, Mapping[str, Any]] = {"context": {"use_context": True}, "general": {"general": True}}
"""Suffixes of model kinds (after a plus), with the settings they denote."""
USUAL = ("finetuned", "finetuned+context", "finetuned+general", "tfidf+context", "encoder+context")
USUAL_TEMPERATURE = {"finetuned": 1.5}
"""Default temperatures of model kinds; 1 for others. Networks are overconfident: in each of five folds by dialogue of
INSPIRED, with and without context, maximum likelihood on unseen sentences gives 1.55 to 1.60 (1.01 with smoothed
labels)."""
MIN_PROBABILITY = 1e-6  # of a probability, before its logarithm

Mean: TypeAlias = Literal["geometric", "arithmetic"]
MemberFit: TypeAlias = Callable[[Sequence[Example]], Savable]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Weighted mean of models."""

    classes: tuple[str, ...]
    """The strategies it knows: those of all its members."""
    members: tuple[tuple[str, Savable], ...]
    """Kind and model."""
    weights: tuple[float, ...]
    """Weights of the members; they sum to 1."""
    origin: str
    """``ensemble:finetuned+tfidf|v2|data:…``; non-default settings follow the members."""
    mean: Mean = "arithmetic"
    """Averaged quantity: probabilities, or their logarithms."""
    temperatures: tuple[float, ...] | None = None
    """A member's probabilities are raised to 1 / its temperature first; None: as they are."""

    @property
    def name(self) -> str:
        """``ensemble`` and its members."""
        return self.origin.partition("|")[0]

    @property
    def uses_context(self) -> bool:
        """Whether any member uses the preceding utterances."""
        return any(model.uses_context for _, model in self.members)

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """The weighted mean of the members, shape (n, n_classes).

        In the geometric one what a member says is at least 1e-6, also of strategies that it does not know.
        """
        rows = np.zeros((len(texts), len(self.classes)))
        temperatures = self.temperatures or (1.0,) * len(self.members)
        for weight, temperature, (_, model) in zip(self.weights, temperatures, self.members, strict=True):
            own = align_classes(sharpen(model.probabilities(texts, contexts), temperature), model.classes, self.classes)
            rows += weight * (np.log(np.maximum(own, MIN_PROBABILITY)) if self.mean == "geometric" else own)
        return softmax(rows) if self.mean == "geometric" else rows

    def save(self, folder: Path) -> None:
        """Write every member into a subfolder."""
        for place, (kind, model) in enumerate(self.members):
            inside = folder / _member_folder(place, kind)
            inside.mkdir()
            model.save(inside)
        kinds = [kind for kind, _ in self.members]
        parts = {"members": kinds, "weights": self.weights, "origin": self.origin, "mean": self.mean}
        write_text(folder / PARTS, json.dumps(parts | {"temperatures": self.temperatures}))

    @classmethod
    def load(cls, folder: Path) -> "Ensemble":
        """Load a folder written by ``save``.

        Raises:
            DataError: a file is missing or not what it should be.
            UnknownNameError: the kind of a member is not installed.
        """
        try:
            parts = json.loads((folder / PARTS).read_text("utf-8"))
            kinds, origin = [str(kind) for kind in parts["members"]], str(parts["origin"])
            weights = _normalise_weights([float(weight) for weight in parts["weights"]], len(kinds))
            mean = _checked_mean(parts.get("mean", "arithmetic"))  # of v1, which knew neither mean nor temperatures
            given = parts.get("temperatures")
            temperatures = None if given is None else _checked_temperatures([float(each) for each in given], len(kinds))
        except (OSError, ValueError, KeyError, TypeError, UsageError) as error:
            raise DataError(Problem(f"this model cannot be read: {error}.", str(folder / PARTS))) from error
        members = [(kind, kind_of(kind).load(folder / _member_folder(place, kind))) for place, kind in enumerate(kinds)]
        return average_models(members, weights, origin, mean=mean, temperatures=temperatures)


def average_models(
    members: Sequence[tuple[str, Savable]],
    weights: Sequence[float],
    origin: str,
    *,
    mean: Mean = "arithmetic",
    temperatures: Sequence[float] | None = None,
) -> Ensemble:
    """Ensemble of trained models; ``weights`` are positive numbers.

    Raises:
        UsageError: no members, not one weight (and temperature) above 0 for each, or no such mean.
    """
    classes = ordered_classes(label for _, model in members for label in model.classes)
    shares, size = _normalise_weights(weights, len(members)), len(members)
    flattened = None if temperatures is None else _checked_temperatures(temperatures, size)
    return Ensemble(classes, tuple(members), shares, origin, _checked_mean(mean), flattened)


def _normalise_weights(weights: Sequence[float], members: int) -> tuple[float, ...]:
    if len(weights) != members or members < 1 or not all(weight > 0 for weight in weights):
        raise UsageError(
            f"an ensemble needs at least one member and one positive weight per member, got {members} members and the "
            f"weights {list(weights)}."
        )
    return tuple(weight / sum(weights) for weight in weights)


def _checked_mean(mean: object) -> Mean:
    if mean == "geometric" or mean == "arithmetic":
        return mean
    raise UsageError(f"mean must be {' or '.join(get_args(Mean))}, got {mean!r}.")


def _checked_temperatures(temperatures: Sequence[float], members: int) -> tuple[float, ...]:
    if len(temperatures) != members or not all(each > 0 for each in temperatures):
        raise UsageError(
            f"an ensemble requires a positive temperature for each of {members} members, got {list(temperatures)}."
        )
    return tuple(temperatures)


def _member_folder(place: int, kind: str) -> str:
    return f"{place}-{''.join(one if one.isalnum() or one in '-_' else '_' for one in kind)}"


@dataclass(frozen=True)
class EnsembleFit:
    """Training settings; call it with examples."""

    members: Sequence[str] = USUAL
    """Kinds of models; the suffix ``+context`` adds the dialogue history, ``+general`` the general training sentences. A
    kind may occur several times."""
    weights: Sequence[float] | None = None
    """Weights of the members; None: equal."""
    mean: Mean = "geometric"
    """Averaged quantity: probabilities, or their logarithms."""
    temperatures: Sequence[float] | None = None
    """Temperatures of the members; None: 1.5 for fine-tuned networks without smoothed labels, 1 for others."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of the members, by name: ``{"finetuned": {"seeds": 3}}``."""
    encoder: str | None = None
    """For the members that have one; see ``FinetunedFit``."""

    def __post_init__(self) -> None:
        """Raise UsageError for invalid members, before anything is trained."""
        if isinstance(self.members, str) or "ensemble" in self.members:
            raise UsageError(f"members must be kinds of models other than ensembles, got {self.members!r}.")
        if strange := set(self.settings).difference(self.members):
            raise UsageError(f"there are settings for {', '.join(sorted(strange))}, but no such members.")
        self._fits()
        _normalise_weights(self._weights(), len(self.members))
        _checked_temperatures(self._temperatures(), len(self.members))
        _checked_mean(self.mean)

    @property
    def name(self) -> str:
        """``ensemble:finetuned+tfidf``, with weights, temperatures and mean if they are not the defaults."""
        weights = [""] * len(self.members) if self.weights is None else [f"*{weight:g}" for weight in self.weights]
        flat = [""] * len(self.members) if self.temperatures is None else [f"^1/{each:g}" for each in self.temperatures]
        parts = [kind + power + weight for kind, power, weight in zip(self.members, flat, weights, strict=True)]
        return ("ensemble:" if self.mean == "geometric" else "ensemble(arithmetic):") + "+".join(parts)

    def __call__(self, examples: Sequence[Example]) -> Ensemble:
        """Train every member on the examples."""
        check_examples(examples)
        members = [(kind, fit(examples)) for kind, fit in self._fits()]
        made_of = hashlib.sha256(" ".join(model.origin for _, model in members).encode()).hexdigest()[:6]
        origin = f"{self.name}|{VERSION}|data:{data_hash(examples)}|of:{made_of}"
        return average_models(members, self._weights(), origin, mean=self.mean, temperatures=self._temperatures())

    def _weights(self) -> Sequence[float]:
        return self.weights if self.weights is not None else [1.0] * len(self.members)

    def _temperatures(self) -> Sequence[float]:
        if self.temperatures is not None:
            return self.temperatures
        smoothed = {member for member, own in self.settings.items() if own.get("smoothing")}
        return [
            1.0 if member in smoothed else USUAL_TEMPERATURE.get(_kind_and_settings(member)[0], 1.0)
            for member in self.members
        ]

    def _fits(self) -> list[tuple[str, MemberFit]]:
        """The members' fits; the second of a name has the next seed, if it has seeds."""
        fits, before = [], dict.fromkeys(self.members, 0)
        for member in self.members:
            kind, own = _kind_and_settings(member)
            takes = inspect.signature(kind_of(kind).recipe).parameters
            own |= {"encoder": self.encoder} if self.encoder is not None and "encoder" in takes else {}
            own |= dict(self.settings.get(member, {}))
            if "seed" in takes and before[member]:
                own["seed"] = int(own.get("seed", 0)) + before[member] * int(own.get("seeds", 1))
            before[member] += 1
            fits.append((kind, recipe(kind, own)))
        return fits


def _kind_and_settings(member: str) -> tuple[str, dict[str, Any]]:
    kind, *variants = member.split("+")
    if unknown := [variant for variant in variants if variant not in VARIANTS]:
        raise UsageError(f"member {member!r}: unknown variant +{unknown[0]}; known: +{' and +'.join(VARIANTS)}.")
    return kind, {name: value for variant in variants for name, value in VARIANTS[variant].items()}


KIND = Kind(
    name="ensemble",
    summary="Combines a fine-tuned transformer with linear models that read the context; the most accurate bundled kind.",
    recipe=EnsembleFit,
    load=Ensemble.load,
)
