"""METEOR, with and without synonyms; a second implementation without them is in test_text_metrics.py."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.metrics.replies import of
from trialogue.errors import MissingExtraError
from trialogue.metrics import get_card, get_metric
from trialogue.metrics.text.word_overlap import Meteor


class Thesaurus:
    """As much of a WordNet as METEOR asks for."""

    def __init__(self, *groups: str) -> None:
        self.groups = [group.split() for group in groups]

    def synsets(self, word: str) -> Iterator[SimpleNamespace]:
        for group in self.groups:
            if word in group:
                yield SimpleNamespace(
                    lemmas=lambda group=group: [SimpleNamespace(name=lambda name=n: name) for n in group]
                )

    def ensure_loaded(self) -> None:
        """Nothing to load."""


def without_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise LookupError("Resource wordnet not found.")

    monkeypatch.setattr("nltk.corpus.wordnet", SimpleNamespace(ensure_loaded=missing))


def test_by_hand() -> None:
    # great film / a great film: 2 words in 1 chunk; precision 1, recall 2/3, so fmean 10 P R / (R + 9 P) = 20/29
    assert of("meteor@exact_stem", "great film", "a great film") == pytest.approx((1 - 0.5 / 2**3) * 20 / 29)


def test_stems_match_where_words_do_not() -> None:
    assert of("meteor@exact_stem", "recommended", "recommending") == 0.5  # one word in one chunk: penalty .5


def test_synonyms_match_only_where_a_wordnet_knows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nltk.corpus.wordnet", Thesaurus("film show movie", "great grand"))
    assert of("meteor@nltk", "great film", "grand show") == pytest.approx(1 - 0.5 / 2**3)
    assert of("meteor@exact_stem", "great film", "grand show") == 0.0
    # NLTK asks WordNet for stems: for "movi", which no WordNet has
    assert of("meteor@nltk", "movie", "film") == 0.0


def test_case_does_not_matter_and_punctuation_is_a_word() -> None:
    assert of("meteor@exact_stem", "HEAT !", "heat!") == pytest.approx(1 - 0.5 / 2**3)


def test_an_empty_side_scores_zero() -> None:
    assert of("meteor@exact_stem", "", "words") == 0.0
    assert of("meteor@exact_stem", "words", "") == 0.0


def test_other_alphabets_match() -> None:
    assert of("meteor@exact_stem", "神 🙂 é", "神 🙂 é") == pytest.approx(1 - 0.5 / 3**3)


def test_missing_wordnet_is_explained_with_the_command_and_the_way_around(monkeypatch: pytest.MonkeyPatch) -> None:
    without_wordnet(monkeypatch)
    assert get_card("meteor").default == "nltk"
    with pytest.raises(MissingExtraError, match=r"python -m nltk\.downloader wordnet\. Or use meteor@exact_stem"):
        get_metric("meteor")
    assert get_metric("meteor@exact_stem").measure == "meteor@exact_stem|v1"


def test_missing_nltk_is_explained_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.translate.meteor_score", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'trialogue\[text\]'"):
        Meteor(variant="exact_stem")


def test_the_real_wordnet_where_it_is_installed() -> None:
    try:
        metric = get_metric("meteor@nltk")
    except MissingExtraError as missing:
        pytest.skip(f"WordNet is not on this machine: {missing}")
    assert of(metric, "for a kid", "for a child") > of("meteor@exact_stem", "for a kid", "for a child")
