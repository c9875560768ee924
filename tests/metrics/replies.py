"""Replies to measure: a set written for these tests, and the few lines that measure it."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from trialogue.metrics import AnyMetric, Conversation, Reply, Settings, get_card, get_metric, measure
from trialogue.records import Score, Speaker, Utterance

# (reply, reference), written for these tests: overlaps of every length, repetitions, entities, digits, other alphabets
PAIRS: tuple[tuple[str, str], ...] = (
    ("Have you seen Heat (1995)? It is a great thriller.", "Have you seen Heat? It is a long, great thriller."),
    ("I would recommend The Sting.", "You could try The Sting, it won seven Oscars."),
    ("ok", "Ok, what kind of movies do you like?"),
    ("What kind of movies do you like to watch on a Sunday?", "What kind of movies do you like?"),
    ("no no no no", "no no"),
    ("It's good; it costs 3.5 dollars - or 4,000 yen!", "It costs 3.5 dollars, doesn't it?"),
    ("Tom & Jerry &amp; friends", "Tom &amp; Jerry"),
    ("Amélie is a film by Jeunet , 2001", "Amélie, by Jeunet, is from 2001"),
    ("千と千尋の神隠し is lovely 🙂", "You will love 千と千尋の神隠し 🙂"),
    ("the a an", "The."),
    ("Two  spaces", "two  spaces here"),
    ("", "Hello there"),
    ("Hello there", ""),
    ("Enjoy the movie, bye!", "Enjoy the movie, bye!"),
    ("I recommended recommending recommendations", "We recommend a recommended recommendation"),
    ("?!", "..."),
    ("it is what it is and that is that", "that is what it is and it is good"),
    ("Snatch", "Snatch"),
)

PLAIN = (  # every variant that needs nothing but text and the packages of the tests
    *(f"distinct(n={n})@{variant}" for n in (1, 2) for variant in get_card("distinct").variants),
    *(f"bleu(k={k})@{variant}" for k in (1, 4) for variant in get_card("bleu").variants if "mecab" not in variant),
    *(f"rouge_l@{variant}" for variant in get_card("rouge_l").variants),
    *(f"chrf@{variant}" for variant in get_card("chrf").variants),
    *(f"token_f1@{variant}" for variant in get_card("token_f1").variants),
    *(f"nist@{variant}" for variant in get_card("nist").variants),
    "meteor@exact_stem",
    "repetition@self",
    "repetition(n=2)@ngram",
    "repetition@corpus",
    "length@words",
    "length@characters",
)

# texts of few words, so that n-grams recur and match, with marks and characters that tokenisers treat in their own way
WORD = st.sampled_from(
    ["a", "the", "The", "film", "films", "Heat", "it's", "3.5", "é", "ß", "神", ",", ".", "it", "is", "&"]
)
TEXT = st.lists(WORD, max_size=9).map(" ".join) | st.text(alphabet="ab A.,'-1é\t ", max_size=12)


def said(text: str, speaker: Speaker = "system") -> Utterance:
    """An utterance."""
    return Utterance(speaker=speaker, text=text)


def reply(
    text: str, reference: str | None = None, *, situation: str | None = None, context: Sequence[str] = ()
) -> Reply:
    """A reply; ``context`` holds what the system said before."""
    return Reply(
        "A",
        said(text),
        context=tuple(map(said, context)),
        reference=None if reference is None else said(reference),
        situation_id=situation,
    )


def replies(pairs: Sequence[tuple[str, str]] = PAIRS) -> list[Reply]:
    """A reply with reference for each pair."""
    return [reply(*pair) for pair in pairs]


def scores(metric: AnyMetric | str, units: Sequence[Reply]) -> tuple[Score, list[Score]]:
    """The system's score, and the score of each reply; each reply is a conversation of its own."""
    metric = get_metric(metric) if isinstance(metric, str) else metric
    single: list[Score] = []
    numbered = [replace(unit, index=place) for place, unit in enumerate(units)]
    conversations = [Conversation("A", f"dialogue:{unit.index}", (unit,)) for unit in numbered]
    found = measure(conversations, [metric], settings=Settings(resamples=2), sink=single.append)
    return found[0], sorted(single, key=lambda score: score.utterance or 0)


def value(metric: AnyMetric | str, units: Sequence[Reply]) -> float:
    """The system's value, which must be defined."""
    found = scores(metric, units)[0]
    assert found.value is not None, found.why
    return found.value


def of(metric: AnyMetric | str, text: str, reference: str | None = None) -> float:
    """The value of one reply, which must be defined."""
    return value(metric, [reply(text, reference)])


def why(metric: AnyMetric | str, text: str, reference: str | None = None) -> str:
    """Why one reply has no value."""
    found = scores(metric, [reply(text, reference)])[1][0]
    assert found.value is None
    return str(found.why)
