"""Letters of texts are counted as scikit-learn counts them, in the same order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from trialogue.simulation.language.nlu_linear import pieces, table

TEXTS = ["Oh no", "I a  ab\n abc abcd \u2028 ÄÖ İstanbul §", "", "Oh no", "x"]


def vectorizer() -> CountVectorizer:
    return CountVectorizer(analyzer="char_wb", ngram_range=(2, 4))


@given(st.text())
def test_pieces_are_those_of_the_vectorizer(text: str) -> None:
    assert pieces(text) == vectorizer().build_analyzer()(text)


@given(st.lists(st.text(alphabet="ab Äß\n.", max_size=12), max_size=6))
def test_the_table_is_that_of_the_vectorizer(texts: list[str]) -> None:
    texts = [*TEXTS, *texts]
    theirs = vectorizer()
    counts = theirs.fit_transform(texts)
    ours = table(texts)
    assert ours.vocabulary == theirs.vocabulary_
    np.testing.assert_array_equal(ours.starts, counts.indptr)
    np.testing.assert_array_equal(ours.columns, counts.indices)
    np.testing.assert_array_equal(ours.counts, counts.data)


def test_texts_without_a_letter_have_a_table_without_columns() -> None:
    ours = table(["", " \n"])
    assert (ours.vocabulary, ours.starts.tolist(), ours.counts.size) == ({}, [0, 0, 0], 0)
