"""The language model kept unpacked: the same guesses, whatever happens to the cache."""

from pathlib import Path

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from trialogue import language_identification
from trialogue.cache import CACHE
from trialogue.language_identification import MODEL_ARRAYS, language_identifier

TEXTS = ("Ich suche einen lustigen Film", "我喜欢这部电影", "привет как дела", "", "ok", "\ud800abc", "SHOUTED WORDS")


@pytest.fixture(scope="module")
def expected() -> list[tuple[str, float]]:
    package = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    return [package.classify(text) for text in TEXTS]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE, str(tmp_path))
    return tmp_path / "languages"


def guesses() -> list[tuple[str, float]]:
    language_identifier.cache_clear()
    identifier = language_identifier()
    language_identifier.cache_clear()
    return [identifier.classify(text) for text in TEXTS]


def test_unpacked_read_again_and_damaged_it_guesses_as_the_package(
    cache: Path, expected: list[tuple[str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert guesses() == expected
    (folder,) = cache.iterdir()
    assert {path.stem for path in folder.iterdir()} == set(MODEL_ARRAYS)
    with monkeypatch.context() as patch:
        patch.setattr(LanguageIdentifier, "from_model_file", None)  # what is kept is read, and not the package's file
        assert guesses() == expected
    damaged = folder / "tk_nextmove.npy"
    damaged.write_bytes(damaged.read_bytes()[:1000])
    assert guesses() == expected
    assert damaged.stat().st_size > 1_000_000
    assert [path.name for path in cache.iterdir()] == [folder.name]


def test_a_cache_that_cannot_be_written_changes_nothing(
    cache: Path, expected: list[tuple[str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(language_identification, "_write", refuse)
    assert guesses() == expected
    assert not cache.exists()
