"""Progress, warnings and exit codes of commands, printed to stderr so that stdout holds data only."""

import contextlib
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from trialogue.errors import MissingDataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from trialogue.simulating.failed_agents import FailedAgent

RESULTS = (
    "scores.jsonl",
    "scores.parquet",
    "preferences.jsonl",
    "counts.jsonl",
    "alignment.jsonl",
    "findings.json",
    "manifest.json",
)
"""Files of a run that might also be user data: a study's export has scores and preferences."""
QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether the command that runs was called with --quiet."""


@contextlib.contextmanager
def steps() -> Iterator["StepProgress"]:
    """Progress lines with the seconds since the start; repairs are printed, too."""
    talk = StepProgress(quiet=QUIET.get())
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_rest: talk.say(f"note: {message}")
        try:
            yield talk
        except KeyboardInterrupt as stop:  # a batch says how much of it is safe, and how to go on
            talk.say(str(stop) or "interrupted; unfinished files were not written")
            raise


class StepProgress:
    """Prints the current step."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._start = time.perf_counter()

    def __call__(self, line: str) -> None:
        """One step."""
        self.say(f"[{time.perf_counter() - self._start:5.1f} s] {line}")

    def say(self, line: str) -> None:
        """One line, as it is."""
        if not self._quiet:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()


def find_modules_beside(file: Path) -> None:
    """Let 'my_module:Name' in a file mean the module beside it, from wherever the command runs."""
    folder = str(file.parent.absolute())
    if folder not in sys.path:
        sys.path.append(folder)


def exit_if_failed(agents: Iterable["FailedAgent"]) -> None:
    """Exit with 1 if agents failed in all or too many of their dialogues, with an error for each."""
    errors = [f"error: {agent}\n" for agent in agents]
    if errors:
        sys.stderr.write("".join(errors))
        raise SystemExit(1)


def refuse_input(out: Path | None, inputs: Iterable[str | Path | None]) -> None:
    """Raise UsageError if a file to be written is one of those to be read, files in folders and of corpora included.

    Args:
        out: to be written, if anything is.
        inputs: to be read: corpora, files, folders or ``NAME=FILE``; missing ones are not reported here.
    """
    from trialogue.inputs.locations import expand_folders, resolve

    for given in map(str, filter(None, inputs)) if out is not None and out.exists() else ():
        # An input that does not exist cannot be overwritten; the command that reads it reports it.
        with contextlib.suppress(UnknownNameError, MissingDataError):
            read = [
                file
                for one in expand_folders([given])
                for item in [resolve(one)]
                for file in (item.path, *item.files())
            ]
            if out is not None and any(file.samefile(out) for file in read if file.exists()):
                where = "" if resolve(given).path.is_file() else f", as part of {given}"
                raise UsageError(f"{out} is also an input{where}; writing it would destroy it. Choose another path.")


def refuse_inputs_in(out: Path, inputs: Iterable[str | Path | None]) -> None:
    """Raise UsageError if a folder of results holds a file to be read whose name results have, too."""
    given = list(inputs)
    for name in RESULTS:
        refuse_input(out / name, given)


def check_folder(out: Path) -> None:
    """Raise UsageError now, not after all the work, if a folder cannot be written."""
    try:
        possible = bool(str(out).strip()) and (out.is_dir() or not out.exists())
    except (OSError, ValueError):  # a name too long, a folder that may not be entered, a character that no name holds
        possible = False
    if not possible:
        raise UsageError(f"{str(out)!r} cannot be created as a folder. Choose another one with --out.")
    above = next(parent for parent in (out, *out.absolute().parents) if parent.exists())
    try:
        with tempfile.TemporaryDirectory(dir=above):
            pass
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror} ({above}). Choose another folder.") from error
