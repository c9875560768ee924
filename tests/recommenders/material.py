"""Catalogues for the tests: the bundled films, and restaurants of our own invention as another domain."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from trialogue.agents.base import Session, Turn
from trialogue.catalogue import Catalogue, Item, Ratings, Scale
from trialogue.datasets.corpora.demo import film_rows, synthetic_ratings
from trialogue.records import Utterance
from trialogue_recommenders import Expert, ReferenceAgent, Wording

HALF_STARS = Scale(0.5, 5, 0.5)

RESTAURANT = Wording(
    noun="restaurant",
    nouns="restaurants",
    also=("place", "places"),
    called="name",
    use="go to",
    used="been to",
    uses=("go to", "visit", "eat at"),
    past=("been to", "been there", "visited", "eaten at"),
    kind="cuisine",
    kinds="cuisines",
    asked={
        "price": ("price", "prices", "expensive", "cheap"),
        "area": ("area", "where"),
        "plot": ("what is it like", "menu"),
    },
    answers={"price": ("It is {value}.",)},
    unanswerable=("phone", "opening hours"),
)

RESTAURANTS = (
    ("Casa Limone", "Italian", "cheap", "Harbor", "Pasta under lemon trees, shared tables."),
    ("Da Nonna", "Italian", "moderate", "Old Town", "Slow ragù and loud uncles."),
    ("The Copper Wok", "Chinese", "cheap", "Harbor", "Noodles pulled at the window."),
    ("Spice Route", "Indian", "moderate", "Old Town", "Thalis on steel plates, refilled until you beg."),
    ("Le Petit Quai", "French", "expensive", "Harbor", "Oysters, candles, and a view of the cranes."),
    ("Chez Odette", "French", "moderate", "Hill", "Onion soup the way her mother made it."),
    ("Burrito Bay", "Mexican", "cheap", "Hill", "Burritos as long as your arm."),
    ("Sushi Nami", "Japanese", "expensive", "Harbor", "Eight seats and a silent master."),
    ("Ramen Republic", "Japanese", "cheap", "Old Town", "Broth that has been going since Tuesday."),
    ("Green Fork", "Vegetarian", "moderate", "Hill", "Beetroot in nine ways."),
    ("Olive & Thyme", "Greek", "moderate", "Harbor", "Grilled octopus on blue plates."),
    ("Burger Barn", "American", "cheap", "Hill", "Burgers, shakes, and no forks."),
)


@cache
def films() -> Catalogue:
    return Catalogue.from_items(
        Item(
            id=row.id,
            title=row.title,
            year=row.year,
            description=row.description,
            attributes={"genre": row.genres, "director": row.director, "actor": row.actors},
        )
        for row in film_rows()
    )


@cache
def film_ratings() -> Ratings:
    return Ratings.from_rows(synthetic_ratings(film_rows()), scale=HALF_STARS, items=tuple(films()))


@cache
def film_expert() -> Expert:
    return Expert(films(), film_ratings())


@cache
def restaurants() -> Catalogue:
    return Catalogue.from_items(
        Item(
            id=f"r{number}",
            title=title,
            attributes={"cuisine": (cuisine,), "price": (price,), "area": (area,)},
            description=description,
        )
        for number, (title, cuisine, price, area, description) in enumerate(RESTAURANTS)
    )


@cache
def restaurant_expert() -> Expert:
    guests = [(f"guest {n}", f"r{(n * step) % 12}", 1.0 + (n * step) % 5) for n in range(20) for step in (1, 5, 7)]
    rows = {(user, item): value for user, item, value in guests}
    ratings = Ratings.from_rows([(*pair, value) for pair, value in rows.items()], scale=Scale(1, 5, 1))
    return Expert(restaurants(), ratings, wording=RESTAURANT)


def user(text: str) -> Utterance:
    return Utterance(speaker="user", text=text)


def talk(session: Session, *texts: str) -> list[Turn]:
    """The turns of a conversation, until it ends or the user has said everything."""
    history: list[Utterance] = []
    turns = []
    for text in texts:
        history.append(user(text))
        turn = session.reply(history)
        history.extend(turn.utterances)
        turns.append(turn)
        if turn.ends:
            break
    return turns


def talk_to(agent: ReferenceAgent, *texts: str, seed: int = 0) -> list[Turn]:
    return talk(agent.open("d", seed=seed), *texts)


def intents(turn: Turn) -> list[str]:
    return [act.intent for utterance in turn.utterances for act in utterance.acts or ()]


def named(turn: Turn) -> list[str]:
    """Ids of the items that a turn names, in order."""
    return [mention.item_id or "" for utterance in turn.utterances for mention in utterance.mentions or ()]


def said(turn: Turn) -> str:
    return "\n".join(utterance.text for utterance in turn.utterances)


def recommended(turns: Sequence[Turn]) -> list[str]:
    """Ids of what was recommended: items of utterances that have a ranking."""
    return [
        mention.item_id or ""
        for turn in turns
        for utterance in turn.utterances
        if utterance.ranking is not None
        for mention in (utterance.mentions or ())
        if mention.item_id in utterance.ranking
    ]


def strictly_ascending(numbers: Sequence[int]) -> bool:
    return all(first < second for first, second in pairwise(numbers))
