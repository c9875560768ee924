"""Templates kept compiled: the same page, whatever happens to the cache."""

from pathlib import Path

import pytest
from jinja2 import Environment

from trialogue.cache import CACHE
from trialogue.render.media.page import environment


def render() -> str:
    template = environment().get_template("grid.html.j2")
    return repr(sorted(vars(template.module)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE, str(tmp_path))
    return tmp_path / "templates"


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = render()
    assert list(folder.iterdir())
    monkeypatch.setattr(Environment, "compile", None)
    assert render() == expected


def test_a_damaged_one_is_compiled_again(folder: Path) -> None:
    expected = render()
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    assert render() == expected


def test_a_folder_that_is_a_file_changes_nothing(folder: Path) -> None:
    folder.write_text("")
    assert "grid" in render()
