"""Definitions of the thirteen strategies and ``no_strategy``: when they apply, and which one they are mistaken for.

The names and the idea of each are those of Hayati et al. (EMNLP 2020), who labelled INSPIRED with them; the wording, the
tests against neighbours and every bundled example are ours. The corpus' conventions decide where a definition alone would
not: a bare film title is encouragement, a bare actor's name credibility, "you're welcome" no strategy.
"""

import importlib.resources
from functools import cache

from trialogue.records import Record, read_records
from trialogue.strategies.base import Example


class Neighbor(Record):
    """A strategy that is taken for another, and how to tell."""

    strategy: str
    """The other one."""
    how: str
    """Distinction, as a sentence about the other strategy."""


class Strategy(Record):
    """One strategy of the taxonomy."""

    name: str
    """Its name in labels, such as ``"opinion_inquiry"``."""
    title: str
    """Its name in prose."""
    definition: str
    """Definition: the recommender's behavior."""
    use: str
    """When it is the right label."""
    avoid: str
    """When it is not, though it may look so."""
    neighbors: tuple[Neighbor, ...]
    """Strategies often confused with it, most frequent first."""


def _strategy(name: str, definition: str, use: str, avoid: str, **neighbors: str) -> Strategy:
    return Strategy(
        name=name,
        title=name.replace("_", " "),
        definition=definition,
        use=use,
        avoid=avoid,
        neighbors=tuple(Neighbor(strategy=other, how=how) for other, how in neighbors.items()),
    )


TAXONOMY: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        _strategy(
            "acknowledgment",
            "Shows that the recommender heard the seeker: acknowledges or confirms what they said, or is glad about it.",
            "Mostly a word or two in reply: an okay, a great, a yes to a question of fact, an I see.",
            "The sentence adds a reason, a feeling of the recommender's own, or is mere politeness at a goodbye.",
            similarity="says that the recommender feels or does the same",
            no_strategy="thanks, greets or says goodbye",
            encouragement="praises the seeker's choice or urges them to watch",
        ),
        _strategy(
            "credibility",
            "Supports the recommendation with facts that could be looked up, or with what others say about it.",
            "Plot, cast, director, genre, year, rating, awards, reviews, where it is shown; also just the name of an actor.",
            "The sentence says how good something is and not what it is.",
            personal_opinion="judges: an adjective of praise or blame is its point",
            encouragement="tells the seeker to watch it",
            personal_experience="reports what happened to the recommender",
        ),
        _strategy(
            "encouragement",
            "Encourages the seeker to take an item: recommends it, praises the choice, or hopes they enjoy it.",
            "I recommend, you should see, you will love, great choice, enjoy; also just a title that is suggested.",
            "It praises the item without addressing the seeker, or announces that something will be sent.",
            personal_opinion="judges the item for its own sake",
            offer_help="says what the recommender will do: look for, send, suggest",
            credibility="describes the item",
        ),
        _strategy(
            "experience_inquiry",
            "Asks what the seeker has seen, heard, read or done.",
            "Have you seen, did you watch, what was the last one, how often do you go.",
            "It asks how the seeker liked it or what they like.",
            opinion_inquiry="asks for taste or judgment",
            preference_confirmation="asks about a wish for now",
        ),
        _strategy(
            "offer_help",
            "Offers to do something for the seeker, or announces it.",
            "I am here to help, I have some ideas, let me find one, I'll send you the trailer, glad I could help.",
            "It is put as a question that explains the purpose of the talk, or names the item.",
            encouragement="names the item to watch",
            transparency="asks whether help is wanted or explains what is coming",
            self_modeling="says what the recommender does for themselves",
        ),
        _strategy(
            "opinion_inquiry",
            "Asks for the seeker's taste or judgment.",
            "Favorite genre, actor or film; do you like; what did you think; what about comedies?",
            "It asks what they have seen, or makes sure of one wish before acting on it.",
            preference_confirmation="asks for a yes to one proposal or wish",
            experience_inquiry="asks what the seeker has seen or done",
            transparency="asks whether the seeker wants a recommendation at all",
        ),
        _strategy(
            "personal_experience",
            "Reports the recommender's own experience with an item, or that they do not know it.",
            "I saw it with my sister, I have not seen that one, never heard of it, I fell asleep.",
            "It says what the recommender always does, plans or loves as an example to follow, or only judges.",
            self_modeling="gives the recommender's habit, plan or favorite as an example",
            personal_opinion="judges and reports no experience",
            similarity="is about sharing what the seeker has just said",
        ),
        _strategy(
            "personal_opinion",
            "Gives the recommender's judgment of an item, a person or films in general.",
            "It is hilarious, she was great in it, I liked the first one better, my favorite part.",
            "It could be looked up, urges the seeker, or agrees with what the seeker has just said.",
            credibility="states facts or what others say",
            encouragement="speaks to the seeker: you should, you will love",
            similarity="agrees with or shares the seeker's taste",
        ),
        _strategy(
            "preference_confirmation",
            "Confirms one wish, or asks the seeker to agree to a proposal.",
            "Would you like to see the trailer, do you accept, are you looking for something recent, how does that sound?",
            "The question is open, or the wish is repeated as a statement.",
            opinion_inquiry="asks openly for taste or judgment",
            rephrase_preference="repeats the wish as a statement",
            transparency="asks whether the seeker wants any recommendation, at the beginning or the end",
        ),
        _strategy(
            "rephrase_preference",
            "Says in the recommender's words what the seeker likes or wants.",
            "So you like comedies; you said you love dogs; it sounds like you want a good laugh; no horror then.",
            "It is a question that waits for a yes, or goes on to push an item.",
            preference_confirmation="asks",
            encouragement="uses the wish as a reason to watch an item",
            similarity="shares the wish",
        ),
        _strategy(
            "self_modeling",
            "Sets an example: what the recommender watches, plans to watch, loves to watch.",
            "I watch it every year, I will see it this weekend, I'm a big fan, I just watched it and loved it.",
            "It reports a single experience without encouraging the seeker to do the same, or only judges.",
            personal_opinion="judges and does not speak of watching",
            personal_experience="tells what happened",
            similarity="answers the seeker's own taste with the same",
        ),
        _strategy(
            "similarity",
            "Shows that recommender and seeker have something in common: taste, view or experience.",
            "Me too, I agree, I love those as well, that's one of my favorites (after the seeker named it).",
            "It shares nothing that the seeker said.",
            personal_opinion="judges something the recommender brought up",
            acknowledgment="takes in without sharing",
            self_modeling="speaks of the recommender's own habits",
        ),
        _strategy(
            "transparency",
            "Opens or steers the conversation by stating or asking for its purpose.",
            "Are you looking for a film, can I help you find one, may I ask some questions, is there anything else?",
            "It is about a particular film or a particular taste.",
            opinion_inquiry="asks for taste",
            offer_help="states the help and does not ask",
            preference_confirmation="asks about a particular item or wish",
        ),
        _strategy(
            "no_strategy",
            "None of the thirteen: it keeps the conversation going, or is about something else.",
            "Greetings, thanks, goodbyes, small talk, waiting, trouble with the page.",
            "It takes in what the seeker said, or helps with the choice.",
            acknowledgment="confirms what the seeker said",
            offer_help="promises help with the choice",
            personal_experience="reports an experience with films",
        ),
    )
}


def bundled_examples() -> tuple[Example, ...]:
    """The bundled labelled sentences, all invented by Trialogue's authors: habitual and general ones.

    At least 45 of each of the 13 strategies and ``no_strategy``. Stock phrases ("Me too!") occur in any corpus of such
    talk; nothing longer was taken from one.
    """
    return habitual_examples() + general_examples()


@cache
def habitual_examples() -> tuple[Example, ...]:
    """Examples written while consulting INSPIRED dev, following the corpus' labelling conventions."""
    return _read_bundled("examples.jsonl")


@cache
def general_examples() -> tuple[Example, ...]:
    """Examples written from the definitions above, without sight of any corpus, over many topics and domains."""
    return _read_bundled("general.jsonl")


def _read_bundled(name: str) -> tuple[Example, ...]:
    resource = importlib.resources.files("trialogue.strategies") / "bundled" / name
    with importlib.resources.as_file(resource) as path:
        return tuple(read_records(path, Example))
