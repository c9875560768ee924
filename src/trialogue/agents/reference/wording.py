"""What a domain's items are called and which words ask about them: all that the agents say of films comes from ``FILMS``.

An agent for books, restaurants or anything else is one of these records away; attributes that a record does not know
are spoken of by their own names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Wording:
    """The words of a domain."""

    noun: str = "film"
    """One item."""
    nouns: str = "films"
    """Several."""
    also: tuple[str, ...] = ("movie", "movies", "flick", "flicks")
    """Other words that users have for them."""
    use: str = "watch"
    """What one does with an item ..."""
    used: str = "seen"
    """... as in "Have you seen it?" ..."""
    uses: tuple[str, ...] = ("watch", "see")
    """... and what users say for it ..."""
    past: tuple[str, ...] = ("seen", "saw", "watched")
    """... and for having done it."""
    kind: str = "genre"
    """The attribute that says what kind of item it is; one without it is spoken of by its most telling attribute."""
    kinds: str = "genres"
    """Several."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What attributes, "year", "plot" and "rating" are called where they are offered; the default is "the" and the name."""
    asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that ask for an attribute, the year ("year"), the description ("plot") or the mean rating ("rating")."""
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sentences that answer, with {value}; the default names the attribute."""
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sentences that say what two items have in common, with {value}."""
    untold: tuple[str, ...] = ()
    """Words that ask for what no catalogue tells."""

    @property
    def a_noun(self) -> str:
        """With its article."""
        return f"{'an' if self.noun[:1] in 'aeiou' else 'a'} {self.noun}"


FILMS = Wording(
    names={"actor": "the cast", "genre": "the genres", "rating": "the ratings"},
    asked={
        "director": ("director", "directors", "directed", "directs", "directing", "filmmaker", "who made", "who shot"),
        "actor": (
            *("actor", "actors", "actress", "actresses", "cast", "casting", "stars in", "starring", "who is in"),
            *(
                "whos in",
                "who plays",
                "who played",
                "who acts",
                "who acted",
                "acting in",
                "who stars",
                "main role",
                "leads",
            ),
        ),
        "genre": ("genre", "genres", "geners", "what kind of", "what type of", "what sort of", "which category"),
        "year": ("year", "released", "release", "how old", "came out", "come out", "old movie", "old film", "when was"),
        "plot": (
            *("plot", "plots", "story", "storyline", "stories", "about it", "it about", "this about", "that about"),
            *("overview", "overvie", "synopsis", "summary", "description", "what happens", "describe", "is about"),
        ),
        "rating": (
            *("rating", "ratings", "rated", "score", "scores", "imdb", "review", "reviews"),
            *(
                "is it good",
                "any good",
                "how good",
                "worth it",
                "worth watching",
                "worth seeing",
                "what do people think",
            ),
        ),
    },
    answers={
        "director": ("{value} directed it.", "It was directed by {value}.", "That was {value}."),
        "actor": ("You will see {value} in it.", "It has {value} in it.", "In front of the camera: {value}."),
        "genre": ("It is {value}.", "I would shelve it under {value}.", "Call it {value}."),
        "year": ("It came out in {value}.", "It is from {value}.", "It was released in {value}."),
        "plot": ("{value}", "In short: {value}", "Without giving too much away: {value}"),
        "rating": ("People here give it {value}.", "It averages {value}.", "The ratings say {value}."),
    },
    shared={
        "director": ("{value} directed both.", "Directed by {value}, too."),
        "actor": ("{value} is in both.", "With {value} again."),
        "genre": ("Also {value}.", "More {value}."),
    },
    untold=(
        *(
            "duration",
            "duratin",
            "how long",
            "runtime",
            "running time",
            "budget",
            "revenue",
            "box office",
            "cost",
            "adult",
        ),
        *("link", "links", "download", "stream", "streaming", "netflix", "where can", "trailer", "tickets", "language"),
        *("country", "awards", "oscar", "oscars", "soundtrack", "tmdb", "price"),
    ),
)
"""Films, in a catalogue with genre, director and actor."""
