"""The command on given words: in this process, which spares the seconds that a new one needs for its imports, or in its own.

Both run ``trialogue.cli.main``. Each command is run in a process of its own at least once, where exit codes and tracebacks
are really those that its user meets.
"""

import contextlib
import gc
import io
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from trialogue.cli import main

IGNORED = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)  # as Python itself does


def trialogue(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in this process; whatever it raises beside its exit is raised here."""
    out, messages = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    given = ["trialogue", *map(str, words)]
    with (
        patch.dict(os.environ, {"COLUMNS": "120", **environment}),
        patch.object(sys, "argv", given),
        patch.object(sys, "path", [*sys.path]),
        usual_warnings(),
        modules_of_its_own(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(messages),
    ):
        code = exit_code()
    out.seek(0)
    messages.seek(0)
    return subprocess.CompletedProcess(given, code, out.read(), messages.read())


def process(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "trialogue", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120", **environment},
        check=False,
    )


@contextlib.contextmanager
def modules_of_its_own() -> Iterator[None]:
    """Forget modules of the working directory afterwards, as another process would: each test has an ``agent.py``."""
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(tempfile.gettempdir()):
                del sys.modules[name]


def exit_code() -> int:
    """What the command ends with."""
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        gc.unfreeze()  # this process goes on; ``few_collections`` counts what is frozen, one by one, at each call
    return 0


@contextlib.contextmanager
def usual_warnings() -> Iterator[None]:
    """Warnings are reported as they are outside of tests, where they are no errors."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for category in IGNORED:
            warnings.simplefilter("ignore", category)
        yield
