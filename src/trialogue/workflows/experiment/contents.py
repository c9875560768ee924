"""Hashes of the files, models and code that a stage depends on."""

import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from trialogue.records import sha256_of
from trialogue.workflows.experiment.inputs import NameContext, Named, file_of

LONGEST_PATH = 1_000  # characters; a longer text is no path


def hashes_of(names: Iterable[Named], around: NameContext) -> dict[str, str]:
    """sha256 of every file behind input names."""
    return {f"{name}: {path.name}": sha256_of(path) for name, path in _files(names, around)}


def bytes_of(names: Iterable[Named], around: NameContext) -> int:
    """Total size of every file behind input names."""
    return sum(path.stat().st_size for _, path in _files(names, around))


def _files(names: Iterable[Named], around: NameContext) -> Iterator[tuple[str, Path]]:
    """(the name as the experiment's file has it, a file behind it)."""
    for named in names:
        for each in around.inputs(named):
            yield from ((file_of(named), path) for path in each.files())


def model_hashes(model: str | None) -> dict[str, str]:
    """sha256 of the files of a model in a folder."""
    if model is None or not Path(model).is_dir():
        return {}
    return {f"model: {path.name}": sha256_of(path) for path in sorted(Path(model).iterdir()) if path.is_file()}


def files_in(given: object, folder: Path = Path()) -> dict[str, str]:
    """sha256 of every file named in options at any depth: catalogues, ratings, phrases, agent descriptions.

    Args:
        given: the options as the experiment's file has them.
        folder: what paths in them are relative to.
    """
    if isinstance(given, dict):
        return files_in(list(given.values()), folder)
    if isinstance(given, list):
        return {name: digest for each in given for name, digest in files_in(each, folder).items()}
    if isinstance(given, str) and len(given) < LONGEST_PATH and (folder / given).is_file():
        return {given: sha256_of(folder / given)}
    return {}


def code_of(agents: Mapping[str, object]) -> dict[str, str]:
    """sha256 of the agents' Python modules, so that a changed agent is simulated again."""
    found = {}
    for name, spec in agents.items():
        text = spec.get("agent") if isinstance(spec, dict) else spec
        module = str(text).partition(":")[0]
        if not module.replace(".", "").replace("_", "").isalnum():
            continue
        try:
            spec_found = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            continue
        if spec_found is not None and spec_found.origin and Path(spec_found.origin).is_file():
            found[name] = sha256_of(Path(spec_found.origin))
    return found
