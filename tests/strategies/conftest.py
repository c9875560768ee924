"""Models that several tests look at, trained once."""

import os
from pathlib import Path

import pytest

from tests.strategies.made import examples
from tests.strategies.tiny import write_encoder
from trialogue.strategies.bundled_model import train_default
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import Model


@pytest.fixture(scope="session")
def bundled() -> Model:
    """The default model, trained on everything bundled; some five seconds."""
    return train_default()


@pytest.fixture(scope="session")
def small() -> Model:
    """A model of a few hundred sentences in invented dialogues; one second."""
    return train(examples(30))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder of our own."""
    monkeypatch.setitem(os.environ, "TRIALOGUE_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny BERT with random weights."""
    return write_encoder(tmp_path_factory.mktemp("encoders") / "tiny")
