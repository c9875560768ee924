"""Simulated users, their dialogues with agents, and batches of dialogues. Independent of all metrics.

A user combines an interaction model (sequences of acts), a preference model (what they have seen and like), understanding
of the agent's utterances and wording of their own. ``fit_users`` learns the first, third and fourth from
annotated dialogues, ``load_users`` loads fitted or bundled models, ``Users`` applies them to a catalogue.

>>> from trialogue.simulation import load_users
>>> load_users("cir6-pkg/guided").interaction.dialogues
13
"""

from typing import TYPE_CHECKING

from trialogue.extras import importer

if TYPE_CHECKING:
    from trialogue.catalogue.domains import main_attribute
    from trialogue.records.kinds.acts import ACCEPTABLE, CIR6
    from trialogue.simulation.actions import KDD2020, QRFA_PAPER, QRFA_RELEASED, ActionSpace
    from trialogue.simulation.dialogue import Transcript, converse, talk
    from trialogue.simulation.paths import check_catalogue
    from trialogue.simulation.users.fit import fit_users
    from trialogue.simulation.users.interaction import InteractionModel, fit_interaction
    from trialogue.simulation.users.kinds import SimulatedUsers, UserKind, load_kind, load_users
    from trialogue.simulation.users.options import METHODS, UserOptions
    from trialogue.simulation.users.population import UserModel, Users
    from trialogue.simulation.users.user import AgendaUser, SimulatedUser, Stop
    from trialogue.simulation.users.world import NeedsByCase, World

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
    "NeedsByCase",
    "SimulatedUser",
    "SimulatedUsers",
    "Stop",
    "Transcript",
    "UserKind",
    "UserModel",
    "UserOptions",
    "Users",
    "World",
    "check_catalogue",
    "converse",
    "fit_interaction",
    "fit_users",
    "load_kind",
    "load_users",
    "main_attribute",
    "talk",
]

__getattr__ = importer(
    __name__,
    {
        "trialogue.catalogue.domains": "main_attribute",
        "trialogue.records.kinds.acts": "ACCEPTABLE CIR6",
        "trialogue.simulation.actions": "ActionSpace KDD2020 QRFA_PAPER QRFA_RELEASED",
        "trialogue.simulation.dialogue": "Transcript converse talk",
        "trialogue.simulation.paths": "check_catalogue",
        "trialogue.simulation.users.fit": "fit_users",
        "trialogue.simulation.users.interaction": "InteractionModel fit_interaction",
        "trialogue.simulation.users.kinds": "SimulatedUsers UserKind load_kind load_users",
        "trialogue.simulation.users.options": "METHODS UserOptions",
        "trialogue.simulation.users.population": "UserModel Users",
        "trialogue.simulation.users.world": "NeedsByCase World",
        "trialogue.simulation.users.user": "AgendaUser SimulatedUser Stop",
    },
)
