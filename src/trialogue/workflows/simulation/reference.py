"""The reference recommenders by name: ``reference:guided``, over the bundled films or any other catalogue.

They live in ``agents``, which knows no corpus; here they are given one. Declared as an entry point, like anyone's agent.
"""

from pathlib import Path
from typing import ClassVar, Literal

from trialogue.agents.base import Agent
from trialogue.agents.spec import AgentSpec
from trialogue.errors import TrialogueError
from trialogue.records.files.validation import Mistake
from trialogue.simulation.paths import check_catalogue
from trialogue.workflows.inputs.knowledge import DEMO, knowledge_named

Shape = Literal["guided", "item-centred", "genre-led", "popular", "random"]


class ReferenceSpec(AgentSpec):
    """``reference``: a recommender that really recommends: guided, item-centred, genre-led; or popular, random."""

    argument: ClassVar[str] = "shape"

    shape: Shape = "guided"
    """guided, item-centred or genre-led (the shapes of the three agents of KDD 2020); popular or random (baselines)."""
    catalogue: str = DEMO
    """What it recommends: demo, a MovieLens corpus on this machine, or a file of items."""
    ratings: str | None = None
    """A file of ratings by users (user, item, rating); null: the catalogue's own, if it has any."""
    wording: str | None = None
    """A YAML file with the words of the domain (noun: book, use: read, ...); null: films."""

    def mistakes(self) -> list[Mistake]:
        """A catalogue, ratings and words that are not there, and mistakes in the words."""
        from trialogue_recommenders import read_wording

        found = []
        try:
            check_catalogue(self.catalogue)
        except TrialogueError as error:
            found.append(Mistake(("catalogue",), str(error)))
        if self.ratings is not None and not Path(self.ratings).is_file():
            found.append(Mistake(("ratings",), f"there is no file of ratings {self.ratings!r}."))
        try:
            _ = self.wording is None or read_wording(Path(self.wording))
        except TrialogueError as error:
            found.append(Mistake(("wording",), str(error)))
        return found

    def make(self) -> Agent:
        """The agent, with the catalogue's ratings where it has any."""
        from trialogue_recommenders import (
            FILMS,
            GenreLedAgent,
            GuidedAgent,
            ItemCentredAgent,
            PopularAgent,
            RandomAgent,
            read_wording,
        )

        known = knowledge_named(self.catalogue, ratings=self.ratings)
        words = FILMS if self.wording is None else read_wording(Path(self.wording))
        match self.shape:
            case "guided":
                return GuidedAgent(known.catalogue, known.ratings, name=self.name, wording=words)
            case "item-centred":
                return ItemCentredAgent(known.catalogue, known.ratings, name=self.name, wording=words)
            case "genre-led":
                return GenreLedAgent(known.catalogue, known.ratings, name=self.name, wording=words)
            case "popular":
                return PopularAgent(known.catalogue, known.ratings, name=self.name, wording=words)
            case "random":
                return RandomAgent(known.catalogue, known.ratings, name=self.name, wording=words)
