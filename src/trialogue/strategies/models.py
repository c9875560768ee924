"""Trained models: saving and loading folders of JSON and arrays. Nothing in a folder is executed.

A folder holds ``model.json`` (format and card), ``fingerprints.json`` (hashes of its training data), and the files of its
kind.
"""

import contextlib
import inspect
import json
import math
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from trialogue import plugins
from trialogue.errors import DataError, Problem, UsageError
from trialogue.fingerprints import fingerprints_of, read_fingerprints, write_fingerprints
from trialogue.records import JsonValue, Labeller
from trialogue.records.files.jsonl import problems_of
from trialogue.records.files.opening import make_folder, write_text
from trialogue.strategies.base import Context, Example, Floats, Kind, Savable
from trialogue.strategies.card import ModelCard
from trialogue.strategies.learning.calibration import sharpen
from trialogue.strategies.taxonomy import bundled_examples

GROUP = "trialogue.strategies"
"""Entry points of kinds of models: ours and other people's, declared the same way."""

FILE = "model.json"
FORMAT = 3
"""Version of the folder format, raised when earlier versions cannot read it. 2: the error of the calibration; 3: the profile
of its data."""


@dataclass(frozen=True, eq=False)
class Model:
    """A classifier with its calibration and card."""

    raw: Savable
    """The trained model, before calibration."""
    card: ModelCard
    """Card of the model: training data, calibration and measured accuracy."""
    fingerprints: frozenset[str] | None = None
    """Fingerprints of the training texts; None: unknown. See ``training_fingerprints``."""

    @property
    def name(self) -> str:
        """Name of the underlying model."""
        return self.raw.name

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies it predicts."""
        return self.raw.classes

    @property
    def origin(self) -> str:
        """Model, version, data hash and calibration, recorded on every label.

        One model may be calibrated on other data than its own, as the bundled one is, and its labels differ with that.
        """
        return f"{self.raw.origin}|cal:{self.card.calibration.signature}"

    @property
    def languages(self) -> tuple[str, ...] | None:
        """ISO 639 codes of the supported languages; None: any."""
        return self.card.languages

    @property
    def uses_context(self) -> bool:
        """Whether probabilities depend on the preceding utterances."""
        return self.raw.uses_context

    @property
    def labeller_kind(self) -> Labeller:
        """Kind of labeller that its labels are marked with."""
        return getattr(self.raw, "labeller_kind", Labeller.MODEL)

    @property
    def same_coefficients(self) -> tuple[float, float]:
        """(slope, intercept) from logit(sum of p_k q_k) to the log odds that two sentences share a strategy."""
        return self.card.calibration.same

    @property
    def matching_coefficients(self) -> tuple[float, float]:
        """As ``same_coefficients``, for replies beside references: ``StrategyDistribution.matching``."""
        return self.card.calibration.matching or self.same_coefficients

    @property
    def matching_error(self) -> tuple[float, float, float] | None:
        """Variances and covariance of ``matching_coefficients``: (slope, both, intercept); None if the folder has none."""
        return self.card.calibration.matching_error

    @property
    def unsure_below(self) -> float:
        """Confidence threshold: a sentence is unsure if its likeliest strategy has a lower probability."""
        return self.card.calibration.unsure_below

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        """Calibrated probabilities, shape (n, n_classes)."""
        return sharpen(self.raw.probabilities(texts, contexts), self.card.calibration.temperature)


def kinds() -> tuple[str, ...]:
    """Names of the kinds of models, built-in and registered as ``trialogue.strategies``."""
    return tuple(sorted(plugins.plugins_of(GROUP)))


def kind_of(name: str) -> Kind:
    """Get a kind by name, or by ``"module:NAME"``.

    Raises:
        UnknownNameError: there is none.
        UsageError: what it points at is no kind.
    """
    found = plugins.load(GROUP, name, kind="kind of model")
    if not isinstance(found, Kind):
        raise UsageError(f"{name!r} is a {type(found).__name__}, not a Kind of trialogue.strategies.base.")
    return found


def recipe(kind: str, settings: Mapping[str, JsonValue] | None = None) -> Callable[[Sequence[Example]], Savable]:
    """Fit function of a kind with settings, for ``train`` and ``evaluate``; UsageError for unknown settings."""
    found = kind_of(kind).recipe
    check_settings(kind, settings or {}, found)
    try:
        return found(**(settings or {}))
    except TypeError as error:
        raise UsageError(
            f"the model {kind!r} cannot be created with the settings {dict(settings or {})}: {error}."
        ) from error


def check_settings(kind: str, settings: Mapping[str, object], *makers: Callable[..., object]) -> None:
    """Raise UsageError unless some factory accepts each setting, with a value of its default's type."""
    known = {name: one for maker in makers for name, one in inspect.signature(maker).parameters.items()}
    unknown = [repr(name) for name in settings if name not in known]
    if unknown and not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values()):
        there = f"its settings are {', '.join(known)}" if known else "it has none"
        raise UsageError(f"the model {kind!r} has no setting {', '.join(unknown)}; {there}.")
    wrong = [
        f"{name} is {_render_default(known[name].default)} by default, got {value!r}"
        for name, value in settings.items()
        if name in known and not _is_like(value, known[name].default)
    ]
    if wrong:
        raise UsageError(f"the model {kind!r} cannot be created with these settings: {'; '.join(wrong)}.")


def _is_like(value: object, default: object) -> bool:
    """Whether a value is a truth value, a whole number or a number where the default is one; anything goes elsewhere."""
    if isinstance(default, bool) or not isinstance(default, int | float):
        return isinstance(value, bool) or not isinstance(default, bool)
    kinds = int if isinstance(default, int) else int | float
    return isinstance(value, kinds) and not isinstance(value, bool) and math.isfinite(value)


def _render_default(default: object) -> str:
    """A default as it is given on the command line."""
    return json.dumps(default) if isinstance(default, bool | int | float) else repr(default)


def save_model(model: Model, folder: Path | str, *, replace: bool = False) -> None:
    """Write a model folder atomically.

    Args:
        model: model to save.
        folder: made with its parents.
        replace: put it in the place of a model that is there.

    Raises:
        UsageError: the folder has something in it that is no model, or is a model and ``replace`` is not set.
    """
    folder = Path(folder)
    _check_free(folder, replace)
    write_folder(folder, partial(write_model, model))


def write_folder(folder: Path, write: Callable[[Path], None]) -> None:
    """Write a new folder with a callback, and atomically replace the existing one.

    Raises:
        UsageError: the folder above it cannot be made, or this is the folder that we are in.
    """
    check_not_here(folder)
    make_folder(folder.parent)
    with temporary_sibling(folder) as room:
        made = room / "new"
        made.mkdir()
        write(made)
        put_in_place(made, folder, room)


def check_not_here(folder: Path) -> None:
    """Raise UsageError if the folder is the working directory, which cannot be replaced."""
    if folder.exists() and folder.samefile(Path.cwd()):
        raise UsageError(f"{str(folder)!r} is the current folder, which cannot be replaced. Give a new folder.")


def training_fingerprints(model: Model) -> frozenset[str] | None:
    """Fingerprints of a model's training texts, including bundled sentences; None: unknown."""
    if model.fingerprints is None and set(model.card.sources) == {"bundled"}:
        return fingerprints_of(example.text for example in bundled_examples())
    return model.fingerprints


def put_in_place(made: Path, folder: Path, room: Path) -> None:
    """Replace a folder by another, restoring it on failure; ``room`` is from ``temporary_sibling``."""
    old = room / "old"
    if folder.exists():
        folder.rename(old)
    try:
        made.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)


def write_model(model: Model, folder: Path) -> None:
    """Write a model's files into an existing, empty folder."""
    model.raw.save(folder)
    if model.fingerprints is not None:
        write_fingerprints(model.fingerprints, folder)
    stored = {"format": FORMAT, "card": model.card.to_json()}
    write_text(folder / FILE, json.dumps(stored, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def load_model(folder: Path | str) -> Model:
    """Load a model from a folder.

    Raises:
        DataError: there is none, or it is damaged or of a later version.
        UnknownNameError: its kind is not installed.
    """
    folder = Path(folder)
    card = _read_card(folder)
    raw = kind_of(card.model).load(folder)
    if raw.origin != card.origin or set(raw.classes) != set(card.counts):
        what = f"the card describes {card.origin}, but the model next to it is {raw.origin}."
        raise DataError(Problem(what, str(folder), hint="Were the files of two models mixed? Train it again."))
    return Model(raw, card, read_fingerprints(folder))


def _read_card(folder: Path) -> ModelCard:
    path = folder / FILE
    hint = "Train a model with: trialogue strategies train --data inspired --out FOLDER"
    try:
        stored = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise DataError(Problem(f"there is no model here (no {FILE}).", str(folder), hint=hint)) from error
    except (OSError, ValueError) as error:
        raise DataError(Problem(f"the model's card cannot be read: {error}.", str(path), hint=hint)) from error
    if not isinstance(stored, dict) or not isinstance(stored.get("format"), int) or "card" not in stored:
        raise DataError(Problem("not a strategy model.", str(path), hint=hint))
    if stored["format"] > FORMAT:
        what = f"this model has format {stored['format']}; this version of Trialogue reads up to {FORMAT}."
        raise DataError(Problem(what, str(path), hint="Upgrade Trialogue."))
    try:
        return ModelCard.model_validate(stored["card"])
    except ValidationError as error:
        raise DataError(problems_of(error, str(path), None)) from error


def _check_free(folder: Path, replace: bool) -> None:
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / FILE).is_file():
        raise UsageError(f"{folder} contains files that are not a model. Give a new or empty folder.")
    if not replace:
        raise UsageError(
            f"{folder} already contains a model. Give another folder, or use --replace (in Python: replace=True)."
        )


@contextlib.contextmanager
def temporary_sibling(folder: Path) -> Iterator[Path]:
    """An empty folder next to another, gone afterwards with all that is still in it."""
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
