"""Agenda-based users in a world: shared state is built once, and each dialogue gets its own user."""

from collections.abc import Mapping

from trialogue.catalogue import OTHER_TITLES, Catalogue, Ratings
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.llm.usage import Usage
from trialogue.records import Need
from trialogue.simulation.language.agent_turns import AgentTurnParser
from trialogue.simulation.language.nlg import UtteranceGenerator
from trialogue.simulation.language.nlu import ActClassifier
from trialogue.simulation.language.nlu_llm import ActReader, ModelClassifier
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.language.wordings import read_phrases, template_phrases
from trialogue.simulation.preferences import Preferences, preferences
from trialogue.simulation.profiles import Profile, Profiles, Thresholds
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.fit import UNSURE, UserModel
from trialogue.simulation.users.kinds import NeedsByCase, World, world_without_ratings
from trialogue.simulation.users.need_preferences import NeedPreferences
from trialogue.simulation.users.needs import Needs
from trialogue.simulation.users.user import AgendaUser


class Users:
    """Creates users of one model for one catalogue; equal seeds and cases give equal users."""

    def __init__(
        self,
        model: UserModel,
        catalogue: Catalogue,
        ratings: Ratings,
        *,
        linker: Linker | None = None,
        understanding: ActClassifier | None = None,
        world: World | None = None,
        reader: ActReader | None = None,
    ) -> None:
        """Prepare the state shared by all users.

        Args:
            model: what users learned from people, and how they are.
            catalogue: the items they talk about.
            ratings: histories of real users, of which profiles are sampled.
            linker: finds titles in agents' texts; None: one made for the catalogue.
            world: what they are set in; None: made of catalogue and ratings.
            understanding: tells labels of agents' texts; None: the model's own. (A place for an ``Encoded`` one.)
            reader: language model that understands agents and labels their messages; None: the model's own, or none.

        Raises:
            DataError: no profile can be sampled, or the catalogue has nothing to talk about.
            UnknownNameError: the options name an attribute that no item has.
        """
        options = model.options
        self.world = world or World(catalogue, ratings)
        self.name, self.model, self.catalogue, self.options = model.name, model, catalogue, options
        self.attributes = options.attributes or (main_attribute(catalogue),)
        if strange := [name for name in self.attributes if name not in catalogue.attributes]:
            raise UnknownNameError("attribute of the catalogue", strange[0], catalogue.attributes)
        usual = Thresholds.for_scale(ratings.scale)
        like = usual.like if options.like is None else options.like
        dislike = usual.dislike if options.dislike is None else options.dislike
        self.profiles = Profiles(
            ratings,
            catalogue,
            size=options.profile_size,
            thresholds=Thresholds(like, dislike),
            variant=options.profile_variant,
        )
        space = model.interaction.space
        self.reader = reader or model.act_reader()
        labeller: ActClassifier
        if self.reader is None:
            understanding, labeller = understanding or model.new_understanding(), model.labeller()
        else:
            understanding = understanding or model.model_classifier(self.reader)
            labeller = ModelClassifier(self.reader, unknown_below=UNSURE)
        self._listening = AgentTurnParser(
            understanding,
            catalogue,
            space,
            linker=linker or self.world.linker,
            source=options.labels_from,
            labeller=labeller,
            origin=None if self.reader is None else self.reader.origin,
        )
        self._cases = NeedsByCase(Needs(catalogue, attributes=self.attributes), self.profiles)
        own = read_phrases(options.phrases) if options.phrases is not None else None
        if own is None and options.phrasing == "templates":
            own = template_phrases()
        self._speech = UtteranceGenerator(
            own or model.phrasebook,
            catalogue,
            attributes=self.attributes,
            space=space,
            domain=options.domain,
            manner=options.manner,
        )
        self._course, self._conduct = options.course(model.interaction), options.conduct
        self._styles = model.styles if options.style == "personal" else ()
        self._has = frozenset(model.interaction.labels)

    def new(self, case: str, *, seed: int) -> AgendaUser:
        """Create the user of a case, determined by the run's seed and the case alone."""
        drawn = self._cases.draw(case, seed=seed)
        assert drawn.profile is not None  # these users are sampled from ratings
        return self.user_with(drawn.profile, drawn.rng, need=drawn.need)

    def user_with(self, profile: Profile, rng: RandomSource, *, need: Need | None = None) -> AgendaUser:
        """Create a user with a given profile and need."""
        options = self.options
        wants: Preferences = preferences(
            options.preferences, profile, self.catalogue, attributes=self.attributes, unseen=options.unseen
        )
        if need is not None and options.wants == "need":
            wants = NeedPreferences(wants, need)
        return AgendaUser(
            course=self._course,
            listening=self._listening,
            speech=self._speech,
            preferences=wants,
            rng=rng,
            conduct=self._conduct,
            has=self._has,
            need=need,
            style=rng.pick(self._styles) if self._styles else None,
        )


class AskingUsers(Users):
    """Users whose understanding is a language model, which they account for."""

    def __init__(self, model: UserModel, world: World, reader: ActReader) -> None:
        """``reader``: the language model.

        Raises:
            UsageError: the world has no ratings.
            DataError: no profile can be sampled, or the catalogue has nothing to talk about.
            UnknownNameError: the options name an attribute that no item has.
        """
        if world.ratings is None:
            raise world_without_ratings(world.catalogue)
        super().__init__(model, world.catalogue, world.ratings, world=world, reader=reader)
        self.signature = model.signature
        self._reader = reader

    def usage(self) -> Usage:
        """Usage and cost of the requests to the model."""
        return self._reader.usage()

    def close(self) -> None:
        """Close the connections."""
        self._reader.close()


def main_attribute(catalogue: Catalogue) -> str:
    """Default attribute that users talk about: ``genre``, or the one whose values most items share.

    Raises:
        DataError: no item has an attribute.
    """
    if "genre" in catalogue.attributes:
        return "genre"
    shared: Mapping[str, float] = {
        name: sum(counts.values()) / len(counts)
        for name in catalogue.attributes
        if name != OTHER_TITLES and (counts := catalogue.values_of(name))
    }
    if not shared:
        what = f"none of the {len(catalogue)} items has an attribute to talk about."
        raise DataError(Problem(what, hint="Give items a genre, category, cuisine or similar attribute."))
    return max(shared, key=lambda name: shared[name])
