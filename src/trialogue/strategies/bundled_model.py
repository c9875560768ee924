"""Default model without a download: trained within seconds at first use, on the bundled examples.

It is stored in the user's cache folder (``TRIALOGUE_CACHE`` overrides it), in a folder named after its data, so that a
new version trains its own. If two processes do this at once, each trains and one model is kept.
"""

import contextlib
import hashlib
import importlib.resources
from dataclasses import replace
from functools import cache
from pathlib import Path

from trialogue.cache import cache_folder
from trialogue.errors import DataError
from trialogue.records.files.manifest import versions_of
from trialogue.strategies.base import data_hash
from trialogue.strategies.card import ModelCard, upgrade_commands
from trialogue.strategies.classifiers.tfidf import VERSION, TfidfFit
from trialogue.strategies.learning.training import PACKAGES, train
from trialogue.strategies.models import FORMAT, Model, load_model, temporary_sibling, write_model
from trialogue.strategies.taxonomy import bundled_examples

CARD = "card.json"


def default_model() -> Model:
    """The default model: from the cache, or else trained now (about three seconds) and cached.

    A damaged copy in the cache is replaced. Where the cache cannot be written, the model is trained and not kept.
    """
    name = f"tfidf-{VERSION}-{FORMAT}-{data_hash(bundled_examples())}-{_published_hash()}"
    return _model(cache_folder() / "strategies" / name)


def _published_hash() -> str:
    """Changes when the published numbers do, so that a cached card is never out of date."""
    resource = importlib.resources.files("trialogue.strategies") / "bundled" / CARD
    return hashlib.sha256(resource.read_bytes()).hexdigest()[:6] if resource.is_file() else "none"


@cache
def _model(folder: Path) -> Model:
    try:
        kept = load_model(folder)
        return replace(
            kept, card=kept.card.model_copy(update={"better": upgrade_commands("bundled")})
        )  # as it reads today
    except DataError:
        model = train_default()
    with contextlib.suppress(OSError):  # a cache that cannot be written costs seconds, not the result
        _keep(model, folder)
    return model


def train_default() -> Model:
    """Train the bundled model.

    Sentences written for the purpose are easier than what people type. So its calibration is not fitted on them but on
    real talk (INSPIRED dev). It comes with Trialogue on the model's card, whose cross-validation is not repeated here.
    """
    examples = bundled_examples()
    raw = TfidfFit()(examples)
    card = published_card(raw.origin)
    if card is None:
        return train(examples)
    return Model(
        raw, card.model_copy(update={"better": upgrade_commands("bundled"), "versions": versions_of(*PACKAGES)})
    )


def published_card(origin: str) -> ModelCard | None:
    """Card of the bundled model with accuracy on real corpora; None if its examples have changed since.

    Made by ``benchmarks/strategies.py``, which needs the corpora.
    """
    resource = importlib.resources.files("trialogue.strategies") / "bundled" / CARD
    if not resource.is_file():
        return None
    card = ModelCard.model_validate_json(resource.read_text("utf-8"))
    return card if card.origin == origin else None


def _keep(model: Model, folder: Path) -> None:
    """Put the model into the cache unless a good one came in meanwhile."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_sibling(folder) as room:
        made = room / "new"
        made.mkdir()
        write_model(model, made)
        try:
            made.rename(folder)
        except OSError:
            _replace_if_damaged(made, folder, room)


def _replace_if_damaged(made: Path, folder: Path, room: Path) -> None:
    try:
        load_model(folder)
    except DataError:
        folder.rename(room / "damaged")
        made.rename(folder)
