"""Reproduction of Zhang and Balog (KDD 2020): Tables 4 and 5 with users fitted on its dialogues, and Tables 6 and 7."""

from trialogue.reproduce.kdd2020.cells import Reproduction
from trialogue.reproduce.kdd2020.paper_values import METHODS, REAL, SYSTEMS
from trialogue.reproduce.kdd2020.realism import render_realism
from trialogue.reproduce.kdd2020.runs import simulate_all
from trialogue.reproduce.kdd2020.tables import reproduce
from trialogue.reproduce.kdd2020.text import render_tables, write_tables

__all__ = [
    "METHODS",
    "REAL",
    "SYSTEMS",
    "Reproduction",
    "render_realism",
    "render_tables",
    "reproduce",
    "simulate_all",
    "write_tables",
]
