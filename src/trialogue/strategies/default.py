"""The model that is there without a download: trained in seconds, at first use, on the examples that come with Trialogue.

It is kept in the user's cache folder (``TRIALOGUE_CACHE`` names another one), in a folder named after its data, so that a
new version trains its own. Two processes may do this at once: each trains, one is kept.
"""

import contextlib
import hashlib
import importlib.resources
import os
from functools import cache
from pathlib import Path

from trialogue.errors import DataError
from trialogue.records import Record
from trialogue.strategies.base import data_hash
from trialogue.strategies.better import better_than
from trialogue.strategies.calibration import Calibration
from trialogue.strategies.card import Measured
from trialogue.strategies.models import FORMAT, Model, beside, load_model, write_model
from trialogue.strategies.taxonomy import bundled_examples
from trialogue.strategies.tfidf import VERSION
from trialogue.strategies.training import train

CACHE = "TRIALOGUE_CACHE"
MEASURED = "measured.json"


class Published(Record):
    """What was measured of the bundled model where the corpora are."""

    origin: str
    """The model."""
    calibration: Calibration
    """Fitted on real talk."""
    calibrated_on: str
    """Which."""
    measured: tuple[Measured, ...]
    """How good it is."""


def cache_folder() -> Path:
    """Where things are kept that can be made anew: ``TRIALOGUE_CACHE``, or the user's cache folder of this platform."""
    import platformdirs

    given = os.environ.get(CACHE)
    return Path(given).expanduser() if given else Path(platformdirs.user_cache_dir("trialogue", appauthor=False))


def default_model() -> Model:
    """The bundled model: from the cache, or else trained now (some five seconds) and kept there.

    A damaged copy in the cache is replaced. Where the cache cannot be written, the model is trained and not kept.
    """
    name = f"tfidf-{VERSION}-{FORMAT}-{data_hash(bundled_examples())}-{_published_hash()}"
    return _model(cache_folder() / "strategies" / name)


def _published_hash() -> str:
    """Changes when the published numbers do, so that a cached card is never out of date."""
    resource = importlib.resources.files("trialogue.strategies") / "bundled" / MEASURED
    return hashlib.sha256(resource.read_bytes()).hexdigest()[:6] if resource.is_file() else "none"


@cache
def _model(folder: Path) -> Model:
    try:
        return load_model(folder)
    except DataError:
        model = train_default()
    with contextlib.suppress(OSError):  # a cache that cannot be written costs seconds, not the result
        _keep(model, folder)
    return model


def train_default() -> Model:
    """The bundled model, trained now.

    Sentences written for the purpose are easier than what people type. So its calibration is not fitted on them but on
    real talk (INSPIRED dev), and comes with Trialogue as four numbers; the card says so.
    """
    model = train(bundled_examples())
    found = published(model.origin)
    changes: dict[str, object] = {"better": better_than("bundled")}
    if found is not None:
        changes |= {
            "calibration": found.calibration,
            "calibrated_on": found.calibrated_on,
            "measured": found.measured,
        }
    return Model(model.raw, model.card.model_copy(update=changes))


def published(origin: str) -> Published | None:
    """What was measured of the bundled model on real corpora; None if its examples have changed since.

    Made by ``benchmarks/strategies.py``, which needs the corpora.
    """
    resource = importlib.resources.files("trialogue.strategies") / "bundled" / MEASURED
    if not resource.is_file():
        return None
    found = Published.model_validate_json(resource.read_text("utf-8"))
    return found if found.origin == origin else None


def _keep(model: Model, folder: Path) -> None:
    """Put the model into the cache unless a good one came in meanwhile."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with beside(folder) as room:
        made = room / "new"
        made.mkdir()
        write_model(model, made)
        try:
            made.rename(folder)
        except OSError:
            _replace_damaged(made, folder, room)


def _replace_damaged(made: Path, folder: Path, room: Path) -> None:
    try:
        load_model(folder)
    except DataError:
        folder.rename(room / "damaged")
        made.rename(folder)
