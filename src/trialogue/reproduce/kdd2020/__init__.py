"""Zhang and Balog (KDD 2020) again: users fitted on the published dialogues, their Tables 4 and 5 beside what comes out."""

from trialogue.reproduce.kdd2020.paper_values import METHODS, REAL, SYSTEMS
from trialogue.reproduce.kdd2020.runs import hold
from trialogue.reproduce.kdd2020.tables import Reproduction, reproduce
from trialogue.reproduce.kdd2020.text import in_words

__all__ = ["METHODS", "REAL", "SYSTEMS", "Reproduction", "hold", "in_words", "reproduce"]
