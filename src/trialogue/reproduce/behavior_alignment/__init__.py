"""Reproduction of Yang, Chen & Fang (SIGIR 2024), "Behavior Alignment": its tables and figures, as far as data allow."""

from trialogue.reproduce.behavior_alignment.paper_tables import Reproduction
from trialogue.reproduce.behavior_alignment.rows import Row, Status
from trialogue.reproduce.behavior_alignment.run import reproduce

__all__ = ["Reproduction", "Row", "Status", "reproduce"]
