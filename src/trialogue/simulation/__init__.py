"""The user we make, the talk with an agent, and batches of talks; it never sees what judges them.

A user is made of an interaction model (how people go on), a preference model (what they have seen and like),
understanding of what the agent says and wording of what they do. ``fit_users`` learns the first, third and fourth from
annotated dialogues, ``load_users`` gives what was learned before or comes with Trialogue, ``Users`` sets it to talk about a
catalogue.

>>> load_users("cir6-pkg/guided").interaction.dialogues
13
"""

from trialogue.records.kinds.acts import ACCEPTABLE, CIR6
from trialogue.simulation.actions import KDD2020, QRFA_PAPER, QRFA_RELEASED, ActionSpace
from trialogue.simulation.dialogue import Talk, converse, talk
from trialogue.simulation.paths import check_catalogue
from trialogue.simulation.users.fit import UserModel, fit_users, load_users
from trialogue.simulation.users.interaction import InteractionModel, fit_interaction
from trialogue.simulation.users.options import METHODS, UserOptions
from trialogue.simulation.users.population import Users
from trialogue.simulation.users.user import AgendaUser, SimulatedUser, Stop

__all__ = [
    "ACCEPTABLE",
    "CIR6",
    "KDD2020",
    "METHODS",
    "QRFA_PAPER",
    "QRFA_RELEASED",
    "ActionSpace",
    "AgendaUser",
    "InteractionModel",
    "SimulatedUser",
    "Stop",
    "Talk",
    "UserModel",
    "UserOptions",
    "Users",
    "check_catalogue",
    "converse",
    "fit_interaction",
    "fit_users",
    "load_users",
    "talk",
]
