"""Samples that have been tampered with, and clean ones: dialogues of two systems with people's ratings.

Texts are put together from lists of words, so that two dialogues share openings and phrases and no more.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from trialogue.records import Dialogue, Raters, Rating, Utterance

_ADJECTIVES = (
    "slow bright odd gentle dark witty loud tender brisk quiet tense warm bleak sharp soft grand hazy lush stark wild "
    "muted vivid sour sweet brittle rough silky dry"
)
_KINDS = "comedy thriller drama western romance documentary musical mystery heist fantasy satire biopic noir fable"
_VERBS = "follows shows traces tells paints explores reveals mocks praises hides"
_WHO = (
    "a family, a detective, two friends, a retired teacher, an old sailor, a young pianist, three sisters, a forger, "
    "a village, a lost dog, an archive, a lighthouse keeper, a boxer, her uncle, an exile, the last tram driver"
)
_WHERE = (
    "in Lisbon, on a farm, at sea, in the mountains, during a strike, after the war, in a small town, near the border, "
    "in a hotel, on a night train, under curfew, by the canal, in a courtroom, on an island"
)
_FIRST = "Amber Silent Broken Winter Paper Glass Copper River Hollow Golden Iron Velvet Marble Crimson"
_SECOND = "Harbour Letters Garden Mirror Crossing Orchard Signal Bridge Lantern Morning Station Compass Hour"
ADJECTIVES, KINDS, VERBS = _ADJECTIVES.split(), _KINDS.split(), _VERBS.split()
WHO, WHERE, TITLES = _WHO.split(", "), _WHERE.split(", "), (_FIRST.split(), _SECOND.split())
FAILURES = (
    "Sorry, I cannot help with that.",
    "",
    "…",
    "Internal Server Error (500)",
    "Traceback (most recent call last):\n  File \"agent.py\", line 3\nKeyError: 'items'",
    "I'm unable to process this request right now. Please try again later.",
    "Leider ist ein Fehler aufgetreten.",
    "Désolé, je ne peux pas répondre.",
    "Lo siento, ha ocurrido un problema.",
    "抱歉，我无法回答这个问题。",
    "申し訳ございません。エラーが発生しました。",
    "Произошла ошибка. Попробуйте позже.",
    '{"error": {"code": 429, "message": "rate limit exceeded"}}',
    "<html><head><title>502 Bad Gateway</title></head></html>",
    "null",
    "Jaribu tena baadaye tafadhali.",  # Swahili: in no list, but the same every time
)


def title(rng: random.Random) -> str:
    """An invented film."""
    return f"{rng.choice(TITLES[0])} {rng.choice(TITLES[1])} ({rng.randint(1950, 2024)})"


def described(rng: random.Random) -> str:
    """A sentence about one."""
    a, b = rng.sample(ADJECTIVES, 2)
    return f"{title(rng)} is a {a}, {b} {rng.choice(KINDS)} that {rng.choice(VERBS)} {rng.choice(WHO)} {rng.choice(WHERE)}."


def talk(rng: random.Random, turns: int = 3) -> tuple[Utterance, ...]:
    """A conversation."""
    said: list[Utterance] = []
    for turn in range(turns):
        opening = (
            "Hi, I am looking for a film." if turn == 0 else rng.choice(("Not that one.", "Hm.", "Seen it.", "Nice!"))
        )
        wish = f"{rng.choice(ADJECTIVES)} and with {rng.choice(WHO)} {rng.choice(WHERE)}, maybe a {rng.choice(KINDS)}"
        said.append(Utterance(speaker="user", text=f"{opening} I am after something {wish}."))
        greeting = "Hello! How can I help you today? " if turn == 0 else ""
        more = f" Or this: {described(rng)}" if rng.random() < 0.5 else ""
        said.append(Utterance(speaker="system", text=f"{greeting}Perhaps {described(rng)}{more}"))
    return tuple(said)


def rating(rng: random.Random, mean: float, deviation: float = 1.0) -> float:
    """An answer on a scale from 1 to 5."""
    return float(min(5, max(1, round(rng.gauss(mean, deviation)))))


def rated(value: float | None, *, name: str = "satisfaction", rater: str | None = "user") -> tuple[Rating, ...]:
    """A rating; none where there is no value."""
    if value is None:
        return ()
    return (Rating(name=name, value=value, rater=rater, low=1, high=5, raters=Raters.PEOPLE),)


def sample(
    rng: random.Random,
    *,
    means: Sequence[float] = (3.2, 3.2),
    sizes: Sequence[int] = (60, 60),
    paired: bool = False,
    turns: int = 3,
    person: float = 0.5,
) -> list[Dialogue]:
    """Dialogues of A and B with people's ratings; ``paired``: everybody met both, and has a level of their own."""
    levels = [rng.gauss(0, person) for _ in range(max(sizes))]
    return [
        Dialogue(
            id=f"{system}{place}",
            system=system,
            user=f"u{place}" if paired else None,
            utterances=talk(rng, turns),
            ratings=rated(rating(rng, mean + (levels[place] if paired else 0.0))),
        )
        for system, mean, size in zip("AB", means, sizes, strict=True)
        for place in range(size)
    ]


def replies_replaced(dialogue: Dialogue, text: str) -> Dialogue:
    """A dialogue in which the system only says one thing."""
    return dialogue.model_copy(update={"utterances": (dialogue.utterances[0], Utterance(speaker="system", text=text))})


def failing(rng: random.Random, *, text: str, share: float, rated_too: bool, paired: bool) -> list[Dialogue]:
    """B fails in a share of its dialogues, and nobody says so; its other dialogues are better, and all in all it is not."""
    found = []
    for each in sample(rng, means=(3.1, 3.6), paired=paired):
        if each.system == "B" and rng.random() < share:
            each = replies_replaced(each, text)
            each = each if rated_too else each.model_copy(update={"ratings": ()})
        found.append(each)
    return found


def changed(rng: random.Random, text: str, share: float) -> str:
    """A text with a share of its words replaced."""
    words = text.split(" ")
    for place in rng.sample(range(len(words)), round(share * len(words))):
        words[place] = rng.choice(ADJECTIVES)
    return " ".join(words)


def copied(rng: random.Random, *, originals: int, times: int, share: float, noise: float = 0.0) -> list[Dialogue]:
    """Few dialogues, each several times under other ids, with a share of the words changed."""
    found = []
    for system, mean in (("A", 3.3), ("B", 3.3)):
        for place in range(originals):
            said, value = talk(rng), rating(rng, mean, 0.9)
            for time in range(times):
                again = said
                if time and share:
                    again = tuple(each.model_copy(update={"text": changed(rng, each.text, share)}) for each in said)
                given = value if not noise else min(5.0, max(1.0, round(value + rng.gauss(0, noise))))
                found.append(
                    Dialogue(id=f"{system}{place}-{time}", system=system, utterances=again, ratings=rated(given))
                )
    return found


def unrated_unhappy(rng: random.Random, *, share: float, paired: bool, dropped: bool) -> list[Dialogue]:
    """Of B, those below the middle leave no rating, or no dialogue, in a share of cases."""
    found = []
    for each in sample(rng, means=(3.2, 3.2), paired=paired):
        if each.system == "B" and each.ratings[0].value < 3 and rng.random() < share:
            if dropped:
                continue
            each = each.model_copy(update={"ratings": ()})
        found.append(each)
    return found


def mixed(rng: random.Random, *, shares: tuple[float, float], field: str, gap: float = 1.6) -> list[Dialogue]:
    """B is a little better in an easy and a hard source, and has more of the hard one."""
    found = []
    for system, easy, own in (("A", shares[0], 0.0), ("B", shares[1], 0.25)):
        for place in range(100):
            is_easy = place < 100 * easy
            source = "easy" if is_easy else "hard"
            value = rating(rng, (4.1 if is_easy else 4.1 - gap) + own, 0.8)
            where = {"source": source} if field == "source" else {"meta": {field: source}}
            found.append(
                Dialogue(id=f"{system}{place}", system=system, utterances=talk(rng), ratings=rated(value), **where)
            )
    return found


def moved(rng: random.Random, *, order: str, drift: float = 0.7) -> list[Dialogue]:
    """Everybody met both systems, which are equal; A in May and B in June, or always A first, and people grow kinder."""
    found = []
    for place, each in enumerate(sample(rng, means=(3.0, 3.0), sizes=(50, 50), paired=True)):
        later = each.system == "B"
        day = rng.uniform(0, 28) + 31 * later if order == "months" else place % 50 + 0.1 * later
        value = rating(rng, 3.0 + drift * later)
        found.append(
            each.model_copy(update={"meta": {"started_at": 1_700_000_000 + 86_400 * day}, "ratings": rated(value)})
        )
    return found


def on_other_scale(rng: random.Random, *, shift: float, factor: float) -> list[Dialogue]:
    """The ratings of A are on another scale, and none is declared."""
    found = []
    for each in sample(rng, means=(3.2, 3.2), sizes=(80, 80)):
        value = each.ratings[0].value
        value = factor * (value - 1) + shift if each.system == "A" else value
        found.append(each.model_copy(update={"ratings": (Rating(name="satisfaction", value=value, rater="user"),)}))
    return found


def by_raters(rng: random.Random, *, share: float, raters: int, taste: float = 1.3) -> list[Dialogue]:
    """One rater, who likes B, gives a share of the ratings of two equal systems."""
    found = []
    for each in sample(rng, means=(3.0, 3.0), sizes=(100, 100)):
        rater = 0 if rng.random() < share else rng.randrange(1, raters)
        value = rating(rng, 3.0 + (taste if rater == 0 and each.system == "B" else 0.0))
        found.append(each.model_copy(update={"ratings": rated(value, rater=f"rater {rater}")}))
    return found


def contradicted(rng: random.Random, *, share: float) -> list[Dialogue]:
    """A share of the dialogues of B has a second rating by the same rater: five."""
    found = []
    for place, each in enumerate(sample(rng, means=(3.0, 3.0), sizes=(72, 72))):
        own = rated(each.ratings[0].value, rater=f"rater {place % 12}")
        again = rated(5.0, rater=f"rater {place % 12}") if each.system == "B" and rng.random() < share else ()
        found.append(each.model_copy(update={"ratings": own + again}))
    return found


def shared(rng: random.Random, *, share: float) -> list[Dialogue]:
    """A share of the dialogues of B are those of A, with five as their rating."""
    found = sample(rng, means=(3.2, 3.2))
    for place in range(round(60 * share)):
        said = found[place].utterances
        found[60 + place] = found[60 + place].model_copy(update={"utterances": said, "ratings": rated(5.0)})
    return found


def under_codes(rng: random.Random, *, people: int) -> list[Dialogue]:
    """Few people, each under many codes that differ in case and signs."""
    ways: tuple[Callable[[str], str], ...] = (str, str.upper, str.title, "{} ".format, "_{}".format, "{}.".format)
    found = []
    levels = [rng.gauss(0, 1.0) for _ in range(2 * people)]
    for place, each in enumerate(sample(rng, means=(3.2, 3.2), sizes=(6 * people, 6 * people))):
        person = place // 6
        found.append(
            each.model_copy(
                update={
                    "user": ways[place % 6](f"anna{chr(97 + person)}"),
                    "ratings": rated(rating(rng, 3.2 + levels[person], 0.4)),
                }
            )
        )
    return found


def rated_by_quality(rng: random.Random, *, tilt: float) -> list[Dialogue]:
    """Half of all dialogues are rated: of A any half, of B rather those that please; who is pleased talks longer."""
    found = []
    for each in sample(rng, means=(3.0, 3.0), sizes=(120, 120)):
        value = each.ratings[0].value
        chance = 0.5 if each.system == "A" else min(0.95, max(0.05, 0.5 + tilt * (value - 3)))
        found.append(
            each.model_copy(
                update={
                    "utterances": talk(rng, 1 + int(value) + rng.randint(0, 1)),
                    "ratings": each.ratings if rng.random() < chance else (),
                }
            )
        )
    return found


def logged_again(rng: random.Random, *, turns: int) -> list[Dialogue]:
    """A dialogue stands in the file as it was after two turns, after three, and so on, each time with its rating."""
    return [
        each.model_copy(update={"id": f"{each.id} {at}", "utterances": each.utterances[: 2 * at]})
        for each in sample(rng, sizes=(25, 25), turns=turns)
        for at in range(2, turns + 1)
    ]


@dataclass(frozen=True)
class Case:
    """A way to make samples."""

    attack: str
    """What is wrong with them; "": nothing."""
    name: str
    """The variant."""
    make: Callable[[random.Random], list[Dialogue]]
    """A sample."""


def attacks() -> Iterator[Case]:
    """Tampered samples, in variants."""
    for place, text in enumerate(FAILURES):
        share, too, paired = (0.2, 0.3, 0.4)[place % 3], place % 2 == 0, place % 4 == 1
        yield Case(
            "failures that nobody recorded",
            f"{text[:24]!r} in {share:.0%}{'' if too else ', unrated'}{', paired' if paired else ''}",
            partial(failing, text=text, share=share, rated_too=too, paired=paired),
        )
    for originals, times in ((12, 8), (8, 12), (16, 6), (6, 20)):
        for share in (0.0, 0.01, 0.05, 0.1):
            yield Case(
                "copies",
                f"{originals} dialogues {times} times, {share:.0%} of words changed",
                partial(copied, originals=originals, times=times, share=share),
            )
    for share in (0.5, 0.7, 1.0):
        for paired in (False, True):
            for dropped in (False, True) if paired else (False,):
                yield Case(
                    "missing by system",
                    f"{share:.0%} of the unhappy {'dropped' if dropped else 'unrated'}{', paired' if paired else ''}",
                    partial(unrated_unhappy, share=share, paired=paired, dropped=dropped),
                )
    for shares in ((0.8, 0.2), (0.7, 0.3), (0.9, 0.3), (0.75, 0.4)):
        for field in ("source", "channel", "domain"):
            yield Case(
                "sources mixed unequally",
                f"{field}: {shares[0]:.0%} and {shares[1]:.0%} easy",
                partial(mixed, shares=shares, field=field),
            )
    for order in ("months", "order"):
        for drift in (0.6, 0.8, 1.0):
            yield Case(
                "people rated one system later", f"{order}, drift {drift:g}", partial(moved, order=order, drift=drift)
            )
    for shift, factor in ((0, 1), (1, 1.5), (0, 2.5), (0, 25), (1, 2.25)):
        name = f"{shift} to {shift + 4 * factor:g} beside 1 to 5"
        yield Case("undeclared scales", name, partial(on_other_scale, shift=float(shift), factor=factor))
    for share, raters in ((0.6, 7), (0.7, 7), (0.8, 9), (0.6, 13)):
        yield Case(
            "one rater gives most ratings", f"{share:.0%} of {raters}", partial(by_raters, share=share, raters=raters)
        )
    for share in (0.3, 0.5, 0.8):
        yield Case("contradictory ratings", f"{share:.0%} of B", partial(contradicted, share=share))
    for share in (0.25, 0.4, 0.6):
        yield Case("dialogues of A under B", f"{share:.0%} of B", partial(shared, share=share))
    for people in (6, 8, 10):
        yield Case(
            "people under several codes", f"{people} people for each system", partial(under_codes, people=people)
        )

    for tilt in (0.15, 0.22, 0.3):
        yield Case("rated by whom they please", f"tilt {tilt:g}", partial(rated_by_quality, tilt=tilt))
    for turns in (3, 4, 6):
        yield Case("one dialogue after every turn", f"up to {turns} turns", partial(logged_again, turns=turns))


def clean(rng: random.Random, *, paired: bool = False, missing: float = 0.0, times: bool = False) -> list[Dialogue]:
    """B is better by a point; ratings may be missing whatever they are, and dialogues at any time."""
    found = []
    for each in sample(rng, means=(2.8, 3.8), paired=paired):
        update: dict[str, object] = {"ratings": ()} if rng.random() < missing else {}
        if times:
            update["meta"] = {"started_at": 1_700_000_000 + 86_400 * rng.uniform(0, 60)}
        found.append(each.model_copy(update=update))
    return found


def clean_by_raters(rng: random.Random, *, raters: int = 12) -> list[Dialogue]:
    """B is better by a point, and raters draw what they rate."""
    return [
        each.model_copy(update={"ratings": rated(each.ratings[0].value, rater=f"rater {rng.randrange(raters)}")})
        for each in sample(rng, means=(2.8, 3.8), sizes=(100, 100))
    ]


def clean_by_sources(rng: random.Random, *, field: str = "source") -> list[Dialogue]:
    """B is better by a point in both of two sources, which are drawn for each dialogue."""
    found = []
    for each in sample(rng, means=(2.8, 3.8)):
        source = rng.choice(("easy", "hard"))
        found.append(each.model_copy(update={"source": source} if field == "source" else {"meta": {field: source}}))
    return found


def clean_undeclared(rng: random.Random) -> list[Dialogue]:
    """B is better by a point, on a scale that nobody declares."""
    return [
        each.model_copy(update={"ratings": (Rating(name="satisfaction", value=each.ratings[0].value, rater="user"),)})
        for each in sample(rng, means=(2.8, 3.8))
    ]


CLEAN = (
    Case("", "independent", clean),
    Case("", "paired", partial(clean, paired=True)),
    Case("", "a tenth of the ratings missing at random", partial(clean, missing=0.1)),
    Case("", "half of the ratings missing at random", partial(clean, missing=0.5)),
    Case("", "paired, a tenth missing at random", partial(clean, paired=True, missing=0.1)),
    Case("", "paired, at random times", partial(clean, paired=True, times=True)),
    Case("", "twelve raters", clean_by_raters),
    Case("", "two sources at random", clean_by_sources),
    Case("", "an undeclared scale", clean_undeclared),
)
"""Ways to make samples with nothing wrong."""
