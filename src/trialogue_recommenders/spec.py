"""Agent specification of the reference recommenders: ``reference:guided``, over the bundled films or any other catalogue.

Declared as an entry point of the group ``trialogue.agents``, like any third-party agent; Trialogue has no other reference to
them.
"""

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from trialogue import load_catalogue
from trialogue.agents import Agent, CatalogueSpec, Workload
from trialogue.errors import TrialogueError
from trialogue.records.files import Mistake
from trialogue.simulation import check_catalogue
from trialogue_recommenders.genre_led import GenreLedAgent
from trialogue_recommenders.guided import GuidedAgent
from trialogue_recommenders.item_centred import ItemCentredAgent
from trialogue_recommenders.item_lists import DumpAgent, PopularAgent, RandomAgent, StaticListAgent
from trialogue_recommenders.wording import read_wording, wording_of

Shape = Literal["guided", "item-centred", "genre-led", "popular", "random", "dump", "static"]


class ReferenceSpec(CatalogueSpec):
    """``reference``: a recommender that really recommends: guided, item-centred, genre-led; or a baseline: popular, random,
    dump, static."""

    argument: ClassVar[str] = "shape"
    workload: ClassVar[Workload | None] = Workload.RANKS_ITEMS

    shape: Shape = "guided"
    """guided, item-centred or genre-led (the shapes of the three agents of KDD 2020); or a baseline:
    popular, random, dump, which reads out the catalogue, and static, the best list that ignores its user."""
    wording: str | None = None
    """A YAML file with the words of the domain (noun: book, use: read, ...); null: told by the catalogue's attributes."""
    skip: int = Field(default=0, ge=0)
    """Best items that guided, item-centred and genre-led leave out of every ranking, for a version known to be worse."""

    def mistakes(self) -> list[Mistake]:
        """Missing catalogue, ratings and wording files, and mistakes in the wording."""
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
        if self.skip and self.shape in ("popular", "random", "dump", "static"):
            found.append(Mistake(("skip",), f"{self.shape} ranks nothing for its user, so it has no best items."))
        return found

    def make(self) -> Agent:
        """Create the agent, with the catalogue's ratings if it has any."""
        known = load_catalogue(self.catalogue, ratings=self.ratings)
        words = wording_of(known.catalogue) if self.wording is None else read_wording(Path(self.wording))
        match self.shape:
            case "guided":
                return GuidedAgent(known.catalogue, known.ratings, name=self.name, wording=words, skip=self.skip)
            case "item-centred":
                return ItemCentredAgent(known.catalogue, known.ratings, name=self.name, wording=words, skip=self.skip)
            case "genre-led":
                return GenreLedAgent(known.catalogue, known.ratings, name=self.name, wording=words, skip=self.skip)
            case "dump":
                return DumpAgent(known.catalogue, known.ratings, name=self.name, wording=words)
            case "popular":
                return PopularAgent(known.catalogue, known.ratings, name=self.name, wording=words)
            case "static":
                return StaticListAgent(known.catalogue, known.ratings, name=self.name)
            case "random":
                return RandomAgent(known.catalogue, known.ratings, name=self.name, wording=words)
