"""One Chromium for all tests that need one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# The engine alone comes first: a whole Chromium also opens a window with its bars, unseen, for each context.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium, started once; the tests are skipped, saying so, where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra e2e)")
    pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    chromium = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if chromium is None:
        pytest.skip("there is no Chromium on this machine")
    # Playwright has an event loop in this thread as long as it runs; Django would refuse its database because of that.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def site(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server in another process, as the real one is."""
    folder = tmp_path_factory.mktemp("studies")
    command = [sys.executable, "-m", "tests.study.pages.server", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.terminate()
