"""Content-based similarity and search: TF-IDF over title words, attribute values and description.

An item has facets: its words (of title and description), and one per attribute of the catalogue, whose terms are whole
values ("Agnès Varda"). The similarity of two items is the mean of their facets' TF-IDF cosines, so that sharing the
genre counts no less than sharing one rare word.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trialogue.catalogue import OTHER_TITLES, Catalogue, parse_title, tokens
from trialogue_recommenders.text_files import lines_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def tfidf(documents: Sequence[Sequence[str]]) -> "tuple[csr_array, dict[str, float]]":
    """(Unit-length TF-IDF rows of shape (n_documents, n_terms), inverse document frequency by term).

    The frequency is smoothed, as if one more document held every term: ``ln((1 + n) / (1 + df)) + 1``. These are the numbers
    of scikit-learn's ``TfidfVectorizer``, without the seconds of processor time that it takes to import. Columns and terms
    are in the order of the alphabet; a document without terms is a row of zeros.

    >>> rows, idf = tfidf([["a", "b"], ["a", "a"], []])
    >>> rows.toarray().astype(float).round(2).tolist(), {term: round(float(weight), 2) for term, weight in idf.items()}
    ([[0.61, 0.8], [1.0, 0.0], [0.0, 0.0]], {'a': 1.29, 'b': 1.69})
    """
    from scipy.sparse import csr_array

    counted = [Counter(document) for document in documents]
    documents_with = Counter(term for counts in counted for term in counts)
    terms = sorted(documents_with)
    column = {term: at for at, term in enumerate(terms)}
    frequency = np.array([documents_with[term] for term in terms], dtype=np.float32)
    idf = np.log(np.float32(len(documents) + 1) / (frequency + 1)) + 1
    starts = np.zeros(len(documents) + 1, dtype=np.int32)
    np.cumsum([len(counts) for counts in counted], out=starts[1:])
    columns = np.fromiter((column[term] for counts in counted for term in counts), dtype=np.int32, count=starts[-1])
    numbers = np.fromiter((n for counts in counted for n in counts.values()), dtype=np.float32, count=starts[-1])
    # Lengths are summed in double precision, as scikit-learn does, so that rows equal its rows to the last bit.
    weights = (numbers * idf[columns]).astype(np.float64)
    rows = np.repeat(np.arange(len(documents)), np.diff(starts))
    lengths = np.sqrt(np.bincount(rows, weights=weights**2, minlength=len(documents)))
    values = (weights / lengths[rows]).astype(np.float32)
    table = csr_array((values, columns, starts), shape=(len(documents), len(terms)))
    return table, dict(zip(terms, idf.tolist(), strict=True))


Scores = NDArray[np.float32]

CACHE_BYTES = 32 << 20  # rows of scores that are kept, so that large catalogues stay small in memory
SURE = 0.999  # score of a title that is like the words searched for to the last letter, but not the same words
PIECE = 0.9  # score of a title that holds all that was searched for
TYPO = 0.84  # likeness from which a word is another one with a slip in it
NEAR = 20  # titles that are looked at more closely
LONGEST_QUERY = 120  # characters; hardly a title is longer, and a search takes time by the letter


class Content:
    """Content-based similarity of a catalogue's items.

    >>> from trialogue.catalogue import Item
    >>> films = Catalogue.from_items([
    ...     Item(id="1", title="Alien", attributes={"genre": ("Horror",)}, description="A crew meets a monster in space."),
    ...     Item(id="2", title="The Thing", attributes={"genre": ("Horror",)}, description="A monster in the ice."),
    ...     Item(id="3", title="Amélie", attributes={"genre": ("Romance",)}, description="A waitress in Paris."),
    ... ])
    >>> content = Content(films)
    >>> content.similar("1", n=1), content.search("amelie"), content.search("The Thingg")[0][0]
    (('2',), (('3', 1.0),), '2')
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.ids = tuple(catalogue)
        self.place = {item_id: place for place, item_id in enumerate(self.ids)}
        self._words = _Facet([list(_topics(f"{item.title}\n{item.description or ''}")) for item in catalogue.values()])
        self._titles = _Facet([_character_trigrams(item.title) for item in catalogue.values()])
        self._rows = _side_by_side([self._words, *(_Facet(terms) for terms in _attribute_terms(catalogue))])
        kept = max(16, CACHE_BYTES // (4 * max(1, len(self.ids))))
        self.nearness = lru_cache(maxsize=kept)(self._nearness)
        self.about = lru_cache(maxsize=kept)(self._scores_for)
        self.search = lru_cache(maxsize=4096)(self._search)
        self._title_words = lru_cache(maxsize=4096)(lambda item_id: _words(catalogue[item_id].title))

    def similar(self, item_id: str, *, n: int = 10) -> tuple[str, ...]:
        """Ids of the items most similar to an item, without itself and without unrelated ones.

        Raises:
            KeyError: the catalogue has no such item.
        """
        return tuple(self.ids[place] for place in best(self.nearness(item_id), n))

    def similarities(self, item_id: str) -> Scores:
        """Similarity of every item to one item, from 0 to 1, shape (n_items,)."""
        return np.asarray(self._rows @ self._rows[[self.place[item_id]]].toarray().ravel(), dtype=np.float32)

    def _nearness(self, item_id: str) -> Scores:
        """The same on a scale from 0 to 1 for the most similar one, 0 for the item itself; read-only.

        Catalogues of few attributes have more items that are nearly the same; on this scale they count no more for it.
        """
        scores = self.similarities(item_id)
        scores[self.place[item_id]] = 0.0
        return _freeze(scores / max(float(scores.max()), 1e-9))

    def _scores_for(self, text: str) -> Scores:
        """Similarity of every item's words to those of a text, from 0 to 1, shape (n_items,); read-only.

        Words of talk ("recommend", "movie") count for nothing; 0 throughout if no other word is known.
        """
        return _freeze(self._words.cosines(list(_topics(text))))

    def _search(self, title: str, *, n: int = 5, at_least: float = 0.4) -> tuple[tuple[str, float], ...]:
        """(item id, score) of the items whose titles are like the words searched for, the best first.

        Items that have exactly this title (in any writing, see ``Catalogue.find_title``) score 1. Others score the TF-IDF
        cosine of their titles' letters in threes, so that "anna karinina" finds "Anna Karenina", but at least 0.9 if they
        begin with the words, or hold them all (with slips, perhaps) and two of them say something ("harry pottter"). Words
        of talk alone ("another movie") find nothing but titles that are just these.

        Args:
            title: what to search for; only its first 120 characters count.
            n: how many at most.
            at_least: what scores less is left out.
        """
        title = title[:LONGEST_QUERY]
        exact = [item.id for item in self.catalogue.find_title(title)] if title.strip() else []
        found = [(item_id, 1.0) for item_id in exact]
        if topics := list(_topics(title)):
            words = _words(title)
            scores = self._titles.cosines(_character_trigrams(title))
            near = [
                (self.ids[place], float(scores[place])) for place in best(scores, NEAR) if self.ids[place] not in exact
            ]
            near = [(item_id, self._likeness(item_id, score, words, topics)) for item_id, score in near]
            found += sorted((one for one in near if one[1] >= at_least), key=lambda one: -one[1])
        return tuple(found[:n])

    def _likeness(self, item_id: str, score: float, words: tuple[str, ...], topics: list[str]) -> float:
        title = self._title_words(item_id)
        begins = " ".join(title).removeprefix("the ").startswith(f"{' '.join(words)} ".removeprefix("the "))
        holds = len(topics) > 1 and score > 0.4 and all(get_close_matches(word, title, 1, TYPO) for word in words)
        return round(min(SURE, max(score, PIECE) if begins or holds else score), 3)


class _Facet:
    """One kind of terms of every item, as TF-IDF rows of unit length (or nothing, without such terms)."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        from scipy.sparse import csc_array

        self.rows, idf = tfidf(documents)
        self._weights = {term: (column, float(weight)) for column, (term, weight) in enumerate(idf.items())}
        self._columns = csc_array(self.rows)

    def cosines(self, terms: Sequence[str]) -> Scores:
        """Cosine of every row with a document of these terms, shape (n_items,).

        Computed term by term, as a document has few.
        """
        scores = np.zeros(self.rows.shape[0], dtype=np.float32)
        wanted = {self._weights[term]: count for term, count in Counter(terms).items() if term in self._weights}
        length = sum((count * idf) ** 2 for (_, idf), count in wanted.items()) ** 0.5
        columns = self._columns
        for (column, idf), count in wanted.items():
            part = slice(columns.indptr[column], columns.indptr[column + 1])
            scores[columns.indices[part]] += columns.data[part] * np.float32(count * idf / length)
        return scores


def best(scores: NDArray[np.floating[Any]], n: int) -> list[int]:
    """Indices of the n highest scores above 0 in descending order; ties by index.

    >>> best(np.array([0.1, 0.5, 0.0, 0.5]), 3), best(np.array([0.1]), 0)
    ([1, 3, 0], [])
    """
    n = min(n, len(scores))
    if n <= 0:
        return []
    least = max(np.partition(scores, len(scores) - n)[len(scores) - n], np.finfo(scores.dtype).tiny)
    among = np.flatnonzero(scores >= least)  # sorting the few that matter is enough
    order: list[int] = among[np.argsort(-scores[among], kind="stable")][:n].tolist()
    return order


def _attribute_terms(catalogue: Catalogue) -> Iterator[list[list[str]]]:
    for attribute in catalogue.attributes:
        if attribute != OTHER_TITLES:
            yield [[value.casefold() for value in item.attributes.get(attribute, ())] for item in catalogue.values()]


def _side_by_side(facets: Sequence[_Facet]) -> Any:
    """Rows whose inner products are the means of the facets' cosines."""
    from scipy.sparse import csr_array, hstack

    return csr_array(hstack([facet.rows for facet in facets], format="csr") / np.float32(np.sqrt(len(facets))))


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.form for token in tokens(text))


def _topics(text: str) -> Iterator[str]:
    idle = _idle_words()
    for token in tokens(text):
        if len(token.form) > 2 and token.form not in idle:
            yield token.form


@cache
def _idle_words() -> frozenset[str]:
    """Words that say nothing about an item: common ones, and those of talk about recommendations."""
    return frozenset(word for name in ("common", "talk") for line in lines_of(name) for word in line.split())


def _character_trigrams(title: str) -> list[str]:
    """The letters of every word in threes, with its edges: "heat" has " he", "hea", "eat", "at "."""
    words = (f" {token.form} " for token in tokens(parse_title(title).title))
    return [word[start : start + 3] for word in words for start in range(max(1, len(word) - 2))]


def _freeze(scores: NDArray[Any]) -> Scores:
    frozen = np.asarray(scores, dtype=np.float32)
    frozen.setflags(write=False)
    return frozen
