"""Local model folders for metrics that use a neural network: given by path, identified by content."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from trialogue.errors import UsageError

WEIGHTS = (".safetensors", ".bin")
CONFIGURATION = "config.json"
_READ = ("*.json", "*.txt", "*.model", *(f"*{suffix}" for suffix in WEIGHTS))  # what a model's numbers depend on


@dataclass(frozen=True)
class ModelFolder:
    """A model on this machine."""

    path: Path
    name: str
    """The folder's name and the beginning of a hash of its files: the same model has the same name on any machine."""


def model_folder(path: str | None, *, metric: str) -> ModelFolder:
    """Open the model in a folder.

    Raises:
        UsageError: no folder is given, or there is no model in it.
    """
    if path is None:
        raise UsageError(
            f"{metric} needs a model: a local folder with {CONFIGURATION}, weights and tokenizer, as written "
            f"by transformers' save_pretrained. Write {metric}(model=FOLDER)."
        )
    folder = Path(path).expanduser()
    weights = any(file.suffix in WEIGHTS for file in folder.iterdir()) if folder.is_dir() else False
    if not weights or not (folder / CONFIGURATION).is_file():
        raise UsageError(
            f"There is no model in {path!r}, given to {metric}: the folder must have {CONFIGURATION} and "
            f"weights ({' or '.join('*' + suffix for suffix in WEIGHTS)}). Nothing is downloaded."
        )
    return ModelFolder(folder, f"{folder.resolve().name}-{_digest(folder.resolve())}")


@lru_cache
def _digest(folder: Path) -> str:
    """The first 8 hexadecimal digits of a hash of the files that a model's numbers depend on."""
    total = hashlib.sha256()
    for file in sorted({file for pattern in _READ for file in folder.glob(pattern)}):
        total.update(file.name.encode())
        with file.open("rb") as stream:
            total.update(hashlib.file_digest(stream, "sha256").digest())
    return total.hexdigest()[:8]
