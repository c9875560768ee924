"""The examples in docstrings give what they say. Those of the study need a database and are not run here."""

import doctest
import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"
NEEDS_A_DATABASE = ("trialogue/study/", "trialogue/cli/study/")


def modules_with_examples() -> list[str]:
    names = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(NEEDS_A_DATABASE) and ">>> " in path.read_text(encoding="utf-8"):
            names.append(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    return names


def test_there_are_examples_in_many_modules() -> None:
    assert len(modules_with_examples()) > 100


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_give_what_they_say(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert (found.failed, found.attempted > 0) == (0, True)
