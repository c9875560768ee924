"""What is installed from a wheel is whole: it runs where the repository is not."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SITE = Path(pytest.__file__).parents[1]


def build(kind: str, source: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def run(wheel: Path, folder: Path, *words: str) -> str:
    """A command of the unpacked wheel, beside the installed dependencies and far from the repository."""
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "installed")
    work = folder / "work"
    work.mkdir()
    where = "import sys, trialogue; sys.stderr.write(trialogue.__file__); from trialogue.cli import main; main()"
    paths = os.pathsep.join([str(folder / "installed"), str(SITE)])
    done = subprocess.run(
        [sys.executable, "-S", "-c", where, *words],
        cwd=work,
        env={**os.environ, "PYTHONPATH": paths},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr.startswith(str(folder / "installed"))
    return done.stdout


def test_a_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    tracked = {line.removeprefix("src/") for line in listed.splitlines()}
    if not tracked:
        pytest.skip("this is no git checkout: which files belong to the packages is not known")
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if ".dist-info/" not in name}
    assert held == tracked


@pytest.mark.slow
def test_a_wheel_built_of_the_sdist_is_the_wheel_of_the_repository(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", ROOT, tmp_path / "sdist")) as packed:
        packed.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    again = build("wheel", source, tmp_path / "again")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert {each.filename: each.CRC for each in one.infolist()} == {
            each.filename: each.CRC for each in other.infolist()
        }


@pytest.mark.slow
def test_an_evaluation_and_a_study_run_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    for name, words, made in (
        ("evaluate", ("evaluate", "demo", "--set", "resamples=100", "--quiet"), "runs/evaluation/report.html"),
        ("study", ("study", "new", "--template", "rating", "--out", "mine"), "mine/study.yaml"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        run(wheel, folder, *words)
        assert (folder / "work" / made).is_file()
