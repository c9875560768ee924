"""The three papers that Trialogue implements, with their sections, for references to them and the page about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Paper:
    """A paper and its numbered sections."""

    title: str
    """Title, in short."""
    venue: str
    """Venue and year, as references here name it."""
    authors: str
    """Authors, as references here name them."""
    sections: tuple[str, ...]
    """Numbers of its sections."""


PAPERS: Mapping[str, Paper] = MappingProxyType(
    {
        "kdd2020": Paper(
            title="Evaluating Conversational Recommender Systems via User Simulation",
            venue="KDD 2020",
            authors="Zhang and Balog",
            sections=(
                *("1", "2", "2.1", "2.2", "2.3", "3", "3.1", "4", "4.1", "4.2", "4.2.1", "4.2.2", "4.2.3"),
                *("4.3", "4.3.1", "4.3.2", "4.4", "5", "5.1", "5.2", "6", "6.1", "6.2", "6.3", "7", "8"),
            ),
        ),
        "behavior-alignment": Paper(
            title="Behavior Alignment: A New Perspective of Evaluating LLM-based Conversational Recommendation Systems",
            venue="SIGIR 2024",
            authors="Yang et al.",
            sections=("1", "2", "3", "3.1", "4", "4.1", "4.2", "5", "5.1", "5.2", "6", "7", "8"),
        ),
        "infact": Paper(
            title="INFACT: An Online Human Evaluation Framework for Conversational Recommendation",
            venue="KaRS 2022",
            authors="Manzoor and Jannach",
            sections=("1", "2", "3", "4"),
        ),
    }
)
"""The papers, by the name of their reproduction."""
