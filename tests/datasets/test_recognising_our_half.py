"""Every format recognises its own files and declines all others', in our samples and in the mirror."""

from pathlib import Path

import pytest

from trialogue.datasets import Head
from trialogue.datasets.corpora.infact import FORMAT as INFACT
from trialogue.datasets.corpora.inspired import FORMAT as INSPIRED
from trialogue.datasets.corpora.inspired2_study import FORMAT as INSPIRED2
from trialogue.datasets.corpora.redial import FORMAT as REDIAL
from trialogue.datasets.formats.openai_chat import FORMAT as OPENAI

FORMATS = (INSPIRED, REDIAL, INFACT, INSPIRED2, OPENAI)
SAMPLES = Path(__file__).parents[1] / "data"
FOLDERS = {"inspired": "inspired", "redial": "redial", "infact": "infact", "inspired2_study": "inspired2-study"}


def claims(path: Path) -> list[str]:
    return [each.name for each in FORMATS if each.recognises(Head(path))]


@pytest.mark.parametrize(
    ("folder", "expected"), [*FOLDERS.items(), ("openai_chat", "openai-chat"), ("table", None), ("crsarena_dial", None)]
)
def test_our_samples_are_claimed_by_their_own_format_only(folder: str, expected: str | None) -> None:
    for path in sorted((SAMPLES / folder).glob("*")):
        assert claims(path) == ([expected] if expected else [])


@pytest.mark.mirror
def test_everything_in_the_mirror_is_claimed_by_its_own_format_only(mirror: Path) -> None:
    suffixes = {".tsv", ".jsonl", ".txt", ".xlsx"}
    for path in sorted(mirror.rglob("*")):
        folder = path.relative_to(mirror).parts[0]
        ours = path.is_dir() or path.suffix in suffixes
        expected = [FOLDERS[folder]] if folder in FOLDERS and ours else []
        assert claims(path) == expected, path
