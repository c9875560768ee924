"""TF-IDF is that of scikit-learn."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from trialogue_recommenders.content import tfidf
from trialogue_recommenders.text_files import lines_of

DOCUMENTS = [["b", "a", "b", "z"], [], ["a"], ["ä", "a", "z", "z", "z"], ["b", "a", "b", "z"]]


@pytest.mark.parametrize("documents", [DOCUMENTS, DOCUMENTS[:1], DOCUMENTS * 40])
def test_rows_and_frequencies_are_those_of_the_vectorizer(documents: list[list[str]]) -> None:
    theirs = TfidfVectorizer(analyzer=list, dtype=np.float32)
    expected = theirs.fit_transform(documents).toarray()
    rows, idf = tfidf(documents)
    assert list(idf) == theirs.get_feature_names_out().tolist()
    np.testing.assert_allclose(list(idf.values()), theirs.idf_, rtol=1e-6)
    np.testing.assert_allclose(rows.toarray(), expected, rtol=3e-7)
    assert rows.dtype == expected.dtype == np.float32


def test_documents_without_terms_are_rows_of_nothing() -> None:
    rows, idf = tfidf([[], []])
    assert (rows.shape, idf) == ((2, 0), {})


def test_common_words_are_those_of_scikit_learn() -> None:
    assert {word for line in lines_of("common") for word in line.split()} == ENGLISH_STOP_WORDS
