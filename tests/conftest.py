"""Shared fixtures: where real corpora are, if they are here."""

import hashlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from trialogue.report.drawing.marks import Drawing
from trialogue.report.plots import base as plots

# Examples are bounded by number, not by time: a shared machine may stall at any moment. They are the same in every run, so
# that a change is judged by itself; TRIALOGUE_FUZZ=1 looks for new ones, and for more of them.
FUZZ = os.environ.get("TRIALOGUE_FUZZ") == "1"
settings.register_profile("trialogue", deadline=None, derandomize=not FUZZ, max_examples=500 if FUZZ else 60)
settings.load_profile("trialogue")


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The local mirror of real corpora; the test is skipped, saying so, where there is none."""
    folder = os.environ.get("TRIALOGUE_DATA_MIRROR")
    if not folder:
        pytest.skip("TRIALOGUE_DATA_MIRROR is not set: this test reads real corpora, which we may not ship")
    return Path(folder)


DRAW: dict[str, Callable[[Drawing], bytes]] = {name: getattr(plots, name) for name in ("png_bytes", "pdf_bytes")}


def _digest(drawing: Drawing, *, kind: str) -> bytes:
    content = repr((kind, drawing.width, drawing.height, drawing.marks))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest().encode()


@pytest.fixture(scope="session", autouse=True)
def digests_for_pictures() -> Iterator[None]:
    """PNG and PDF files hold a hash of what they would show: equal drawings still make equal files, and others do not.

    Of a report, drawing takes most of the time, and hundreds of tests write reports. That a drawing becomes a valid picture,
    and the same one each time, is for the tests that use ``real_pictures``.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in DRAW:
            patch.setattr(plots, name, partial(_digest, kind=name))
        yield


@pytest.fixture
def real_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn by matplotlib, as in a report."""
    for name, draw in DRAW.items():
        monkeypatch.setattr(plots, name, draw)
