"""Yang, Chen & Fang (SIGIR 2024), "Behavior Alignment": its tables and figures beside ours, as far as data allow."""

from trialogue.evaluation.behavior_alignment_paper.rows import Reproduction, Row, Status
from trialogue.evaluation.behavior_alignment_paper.run import reproduce

__all__ = ["Reproduction", "Row", "Status", "reproduce"]
