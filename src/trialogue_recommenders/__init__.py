"""Reference recommenders with declared dialogue acts, over any catalogue and ratings.

Three follow the agents of Zhang and Balog (KDD 2020): ``GuidedAgent`` (And chill), ``ItemCentredAgent``
(Kelly) and ``GenreLedAgent`` (JMRS1). ``PopularAgent``, ``RandomAgent`` and ``DumpAgent`` are baselines.

>>> from trialogue.catalogue import Catalogue, Item
>>> from trialogue.records import Utterance
>>> films = Catalogue.from_items([
...     Item(id="1", title="Alien", year=1979, attributes={"genre": ("Horror",)}, description="Do not open the egg."),
...     Item(id="2", title="Big", year=1988, attributes={"genre": ("Comedy",)}, description="A boy wishes to be tall."),
... ])
>>> turn = GenreLedAgent(films).open("dialogue 1", seed=0).reply([Utterance(speaker="user", text="something scary")])
>>> turn.utterances[0].acts[0].intent, turn.utterances[0].mentions[0].title
('List', 'Alien (1979)')
"""

from trialogue_recommenders.conversation import Conversation, ReferenceAgent
from trialogue_recommenders.expert import Expert
from trialogue_recommenders.genre_led import GenreLedAgent
from trialogue_recommenders.guided import GuidedAgent
from trialogue_recommenders.item_centred import ItemCentredAgent
from trialogue_recommenders.item_lists import DumpAgent, PopularAgent, RandomAgent
from trialogue_recommenders.wording import FILMS, Wording, read_wording

__all__ = [
    "FILMS",
    "Conversation",
    "DumpAgent",
    "Expert",
    "GenreLedAgent",
    "GuidedAgent",
    "ItemCentredAgent",
    "PopularAgent",
    "RandomAgent",
    "ReferenceAgent",
    "Wording",
    "read_wording",
]
