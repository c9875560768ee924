"""Several models as one: their probabilities, averaged. Models that err differently make a better and a calmer one."""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files import write_text
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
from trialogue.strategies.folds import aligned
from trialogue.strategies.models import kind_of, recipe

VERSION = "v1"
PARTS = "ensemble.json"
CONTEXT = "+context"
USUAL = ("finetuned", "tfidf+context", "encoder+context")
USUAL_WEIGHT = {"finetuned": 2.0}
"""Of kinds of models; 1 for others: a network counts as much as both linear models together."""

MemberFit: TypeAlias = Callable[[Sequence[Example]], Savable]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """A weighted mean of models."""

    classes: tuple[str, ...]
    """The strategies it knows: those of all its members."""
    members: tuple[tuple[str, Savable], ...]
    """Kind and model."""
    weights: tuple[float, ...]
    """Of the members; they sum to 1."""
    origin: str
    """``ensemble:finetuned+tfidf|v1|data:…``; weights that are not the usual ones stand behind the members."""

    @property
    def name(self) -> str:
        """``ensemble`` and its members."""
        return self.origin.partition("|")[0]

    @property
    def uses_context(self) -> bool:
        """Whether any of them looks at what was said before."""
        return any(model.uses_context for _, model in self.members)

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """The weighted mean of the members' probabilities, shape (n, n_classes)."""
        rows = np.zeros((len(texts), len(self.classes)))
        for weight, (_, model) in zip(self.weights, self.members, strict=True):
            rows += weight * aligned(model.probabilities(texts, contexts), model.classes, self.classes)
        return rows

    def save(self, folder: Path) -> None:
        """Write every member into a folder inside of this one."""
        for place, (kind, model) in enumerate(self.members):
            inside = folder / _inside(place, kind)
            inside.mkdir()
            model.save(inside)
        kinds = [kind for kind, _ in self.members]
        write_text(folder / PARTS, json.dumps({"members": kinds, "weights": self.weights, "origin": self.origin}))

    @classmethod
    def load(cls, folder: Path) -> "Ensemble":
        """Read what ``save`` wrote.

        Raises:
            DataError: a file is missing or not what it should be.
            UnknownNameError: the kind of a member is not installed.
        """
        try:
            parts = json.loads((folder / PARTS).read_text("utf-8"))
            kinds, origin = [str(kind) for kind in parts["members"]], str(parts["origin"])
            weights = _checked([float(weight) for weight in parts["weights"]], len(kinds))
        except (OSError, ValueError, KeyError, TypeError, UsageError) as error:
            raise DataError(Problem(f"this model cannot be read: {error}.", str(folder / PARTS))) from error
        members = [(kind, kind_of(kind).load(folder / _inside(place, kind))) for place, kind in enumerate(kinds)]
        return averaged(members, weights, origin)


def averaged(members: Sequence[tuple[str, Savable]], weights: Sequence[float], origin: str) -> Ensemble:
    """Trained models as one; ``weights`` are those of the members, any positive numbers."""
    classes = ordered_classes(label for _, model in members for label in model.classes)
    return Ensemble(classes, tuple(members), _checked(weights, len(members)), origin)


def _checked(weights: Sequence[float], members: int) -> tuple[float, ...]:
    if len(weights) != members or members < 1 or not all(weight > 0 for weight in weights):
        raise UsageError(
            f"an ensemble needs members, and a positive weight for each, got {members} and {list(weights)}."
        )
    return tuple(weight / sum(weights) for weight in weights)


def _inside(place: int, kind: str) -> str:
    return f"{place}-{''.join(one if one.isalnum() or one in '-_' else '_' for one in kind)}"


@dataclass(frozen=True)
class EnsembleFit:
    """How to train one; call it with examples."""

    members: Sequence[str] = USUAL
    """Kinds of models; with ``+context`` behind them they look at what was said before. One may occur several times."""
    weights: Sequence[float] | None = None
    """Of the members; None: 2 for a fine-tuned network, 1 for others."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of the members, by name: ``{"finetuned": {"seeds": 3}}``."""
    encoder: str | None = None
    """For the members that have one; see ``FinetunedFit``."""

    def __post_init__(self) -> None:
        """Raise UsageError for members that cannot be, before anything is trained."""
        if isinstance(self.members, str) or "ensemble" in self.members:
            raise UsageError(f"members are a list of kinds of models other than ensembles, got {self.members!r}.")
        if strange := set(self.settings).difference(self.members):
            raise UsageError(f"there are settings for {', '.join(sorted(strange))}, which are no members.")
        self._fits()
        _checked(self._weights(), len(self.members))

    @property
    def name(self) -> str:
        """``ensemble:finetuned+tfidf``, with the weights if they are given."""
        weights = [""] * len(self.members) if self.weights is None else [f"*{weight:g}" for weight in self.weights]
        return "ensemble:" + "+".join(kind + weight for kind, weight in zip(self.members, weights, strict=True))

    def __call__(self, examples: Sequence[Example]) -> Ensemble:
        """Every member, trained on these examples."""
        check_examples(examples)
        members = [(kind, fit(examples)) for kind, fit in self._fits()]
        return averaged(members, self._weights(), f"{self.name}|{VERSION}|data:{data_hash(examples)}")

    def _weights(self) -> Sequence[float]:
        if self.weights is not None:
            return self.weights
        return [USUAL_WEIGHT.get(_kind_and_context(member)[0], 1.0) for member in self.members]

    def _fits(self) -> list[tuple[str, MemberFit]]:
        """The members' fits; the second of a name has the next seed, if it has seeds."""
        fits, before = [], dict.fromkeys(self.members, 0)
        for member in self.members:
            kind, context = _kind_and_context(member)
            takes = inspect.signature(kind_of(kind).recipe).parameters
            own: dict[str, Any] = {"use_context": True} if context else {}
            own |= {"encoder": self.encoder} if self.encoder is not None and "encoder" in takes else {}
            own |= dict(self.settings.get(member, {}))
            if "seed" in takes and before[member]:
                own["seed"] = int(own.get("seed", 0)) + before[member] * int(own.get("seeds", 1))
            before[member] += 1
            fits.append((kind, recipe(kind, own)))
        return fits


def _kind_and_context(member: str) -> tuple[str, bool]:
    return member.removesuffix(CONTEXT), member.endswith(CONTEXT)


KIND = Kind(
    name="ensemble",
    summary="Several models as one: a fine-tuned transformer with linear models that look back; the best of ours.",
    recipe=EnsembleFit,
    load=Ensemble.load,
)
