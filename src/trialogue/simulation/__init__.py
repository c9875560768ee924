"""Simulated users, their dialogues with agents, and batches of dialogues. Independent of all metrics.

A user combines an interaction model (sequences of acts), a preference model (what they have seen and like), understanding
of the agent's utterances and wording of their own. ``fit_users`` learns the first, third and fourth from
annotated dialogues, ``load_users`` loads fitted or bundled models, ``Users`` applies them to a catalogue.

>>> from trialogue.simulation import load_users
>>> load_users("cir6-pkg/guided").interaction.dialogues
13
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialogue.catalogue.domains import main_attribute
    from trialogue.records.kinds.acts import ACCEPTABLE, CIR6
    from trialogue.simulation.actions import KDD2020, QRFA_PAPER, QRFA_RELEASED, ActionSpace
    from trialogue.simulation.dialogue import Transcript, converse, talk
    from trialogue.simulation.paths import check_catalogue
    from trialogue.simulation.users.fit import UserModel, fit_users, load_users
    from trialogue.simulation.users.interaction import InteractionModel, fit_interaction
    from trialogue.simulation.users.kinds import NeedsByCase, SimulatedUsers, UserKind, World, load_kind
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

_LAZY = {
    "ACCEPTABLE": "trialogue.records.kinds.acts",
    "ActionSpace": "trialogue.simulation.actions",
    "AgendaUser": "trialogue.simulation.users.user",
    "CIR6": "trialogue.records.kinds.acts",
    "InteractionModel": "trialogue.simulation.users.interaction",
    "KDD2020": "trialogue.simulation.actions",
    "METHODS": "trialogue.simulation.users.options",
    "NeedsByCase": "trialogue.simulation.users.kinds",
    "QRFA_PAPER": "trialogue.simulation.actions",
    "QRFA_RELEASED": "trialogue.simulation.actions",
    "SimulatedUser": "trialogue.simulation.users.user",
    "SimulatedUsers": "trialogue.simulation.users.kinds",
    "Stop": "trialogue.simulation.users.user",
    "Transcript": "trialogue.simulation.dialogue",
    "UserKind": "trialogue.simulation.users.kinds",
    "UserModel": "trialogue.simulation.users.fit",
    "UserOptions": "trialogue.simulation.users.options",
    "Users": "trialogue.simulation.users.population",
    "World": "trialogue.simulation.users.kinds",
    "check_catalogue": "trialogue.simulation.paths",
    "converse": "trialogue.simulation.dialogue",
    "fit_interaction": "trialogue.simulation.users.interaction",
    "fit_users": "trialogue.simulation.users.fit",
    "load_kind": "trialogue.simulation.users.kinds",
    "load_users": "trialogue.simulation.users.fit",
    "main_attribute": "trialogue.catalogue.domains",
    "talk": "trialogue.simulation.dialogue",
}


def __getattr__(name: str) -> Any:
    """Import a public name lazily: an evaluation reads dialogues and simulates none."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
