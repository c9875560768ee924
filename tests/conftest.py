"""Shared fixtures: where real corpora are, if they are here."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

# Examples are bounded by number, not by time: a shared machine may stall at any moment. They are the same in every run, so
# that a change is judged by itself; TRIALOGUE_FUZZ=1 looks for new ones, and for more of them.
FUZZ = os.environ.get("TRIALOGUE_FUZZ") == "1"
settings.register_profile("trialogue", deadline=None, derandomize=not FUZZ, max_examples=500 if FUZZ else 60)
settings.load_profile("trialogue")
gc.set_threshold(10_000)  # or the collector goes through the thousands of collected tests again and again


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The local mirror of real corpora; the test is skipped, saying so, where there is none."""
    folder = os.environ.get("TRIALOGUE_DATA_MIRROR")
    if not folder:
        pytest.skip("TRIALOGUE_DATA_MIRROR is not set: this test reads real corpora, which we may not ship")
    return Path(folder)
