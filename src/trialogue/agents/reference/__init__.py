"""Reference agents: recommenders that really recommend, over any catalogue and ratings, with declared dialogue acts.

Three have the shapes of the agents of Zhang and Balog (KDD 2020): ``GuidedAgent`` (And chill), ``ItemCentredAgent``
(Kelly) and ``GenreLedAgent`` (JMRS1). ``PopularAgent`` and ``RandomAgent`` are floors.
"""

from trialogue.agents.reference.conversation import Conversation, ReferenceAgent
from trialogue.agents.reference.expert import Expert
from trialogue.agents.reference.floors import PopularAgent, RandomAgent
from trialogue.agents.reference.genre_led import GenreLedAgent
from trialogue.agents.reference.guided import GuidedAgent
from trialogue.agents.reference.item_centred import ItemCentredAgent
from trialogue.agents.reference.wording import FILMS, Wording

__all__ = [
    "FILMS",
    "Conversation",
    "Expert",
    "GenreLedAgent",
    "GuidedAgent",
    "ItemCentredAgent",
    "PopularAgent",
    "RandomAgent",
    "ReferenceAgent",
    "Wording",
]
