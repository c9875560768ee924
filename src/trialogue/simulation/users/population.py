"""Agenda-based users in a world: shared state is built once; each dialogue gets its own user, and tastes where needed."""

from trialogue.catalogue import Catalogue, Ratings, Scale
from trialogue.catalogue.domains import check_tells_apart
from trialogue.errors import UnknownNameError, UsageError
from trialogue.llm.usage import Usage
from trialogue.records import Need
from trialogue.simulation.attributes.questions import QuestionParser
from trialogue.simulation.language.agent_turns import AgentTurnParser
from trialogue.simulation.language.nlg import UtteranceGenerator
from trialogue.simulation.language.nlu import ActClassifier
from trialogue.simulation.language.nlu_llm import ActReader, ModelClassifier
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.language.wordings import read_phrases, template_phrases
from trialogue.simulation.preferences import NeedPreferences, Preferences, preferences
from trialogue.simulation.profiles import Profile, Profiles, Thresholds
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.fit import UNSURE, UserModel
from trialogue.simulation.users.kinds import NeedsByCase, World
from trialogue.simulation.users.needs import satisfied_share
from trialogue.simulation.users.user import AgendaUser

INVENTED_SCALE = Scale(1, 5, 1)
"""Scale of invented opinions."""
KNOWN_SHARE = 0.2  # of the catalogue, at most: users of a small one would otherwise know nearly everything
WHIM = 0.25  # chance that an opinion is a star lower than what the need explains


def invented_profile(
    need: Need, catalogue: Catalogue, rng: RandomSource, *, size: int, thresholds: Thresholds
) -> Profile:
    """Items that a user knows, and how they like them: the item that the need was made from, and others drawn at random.

    An item that satisfies the share s of the need's constraints has 1 + 4 s stars, rounded, sometimes one less. Items that
    satisfy the need are unknown to the user.

    Args:
        need: drawn from the catalogue; its first example is known and liked.
        catalogue: the items.
        rng: the user's own randomness.
        size: number of items, at most a fifth of the catalogue.
        thresholds: for opinions, on the scale of 1 to 5.
    """
    wanted = {*need.acceptable, *need.examples}
    others = [item for item in catalogue if item not in wanted]
    count = min(size, max(1, int(KNOWN_SHARE * len(catalogue)))) - 1
    ratings = dict.fromkeys(need.examples[:1], 5.0)
    for item in rng.sample(others, min(count, len(others))):
        stars = round(1 + 4 * satisfied_share(need, catalogue[item])) - (rng.share() < WHIM)
        ratings[item] = float(max(1, stars))
    return Profile(need.id, ratings, catalogue, thresholds=thresholds)


class Users:
    """Creates users of one model for one catalogue; equal seeds and cases give equal users."""

    def __init__(
        self,
        model: UserModel,
        catalogue: Catalogue,
        ratings: Ratings | None,
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
            ratings: histories of real users, of which profiles are sampled; None: needs come from the catalogue, and tastes
                are invented to go with them (``profiles.invented_profile``).
            linker: finds titles in agents' texts; None: one made for the catalogue.
            world: what they are set in; None: made of catalogue and ratings.
            understanding: tells labels of agents' texts; None: the model's own.
            reader: language model that understands agents and labels their messages; None: the model's own, or none.

        Raises:
            DataError: no profile can be sampled, or the catalogue has nothing to talk about.
            UnknownNameError: the options name an attribute that no item has.
        """
        options = model.options
        self.world = world or World(catalogue, ratings)
        self.name, self.model, self.catalogue, self.options = model.name, model, catalogue, options
        self.attributes = options.attributes or self.world.attributes
        if strange := [name for name in self.attributes if name not in catalogue.attributes]:
            raise UnknownNameError("attribute of the catalogue", strange[0], catalogue.attributes)
        if ratings is None:
            check_tells_apart(catalogue, self.attributes)
        usual = Thresholds.for_scale(INVENTED_SCALE if ratings is None else ratings.scale)
        like = usual.like if options.like is None else options.like
        dislike = usual.dislike if options.dislike is None else options.dislike
        self.thresholds = Thresholds(like, dislike)
        size, variant = options.profile_size, options.profile_variant
        self.profiles = (
            None
            if ratings is None
            else Profiles(ratings, catalogue, size=size, thresholds=self.thresholds, variant=variant)
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
        self.cases = NeedsByCase.of_world(
            self.world,
            attributes=self.attributes,
            profiles=self.profiles,
            profile_first=options.wants == "profile",
        )
        own = read_phrases(options.phrases) if options.phrases is not None else None
        if own is None and options.phrasing == "templates":
            own = template_phrases()
        self._speech = UtteranceGenerator(
            own or model.phrasebook,
            catalogue,
            attributes=self.attributes,
            space=space,
            domain=options.domain_in(catalogue),
            manner=options.manner,
        )
        several = len(self.attributes) > 1
        self._questions = QuestionParser(catalogue, self.attributes, main=self.attributes[0]) if several else None
        self._course, self._conduct = options.course(model.interaction), options.conduct
        self._styles = model.styles if options.style == "personal" else ()
        self._has = frozenset(model.interaction.labels)

    def new(self, case: str, *, seed: int) -> AgendaUser:
        """Create the user of a case, determined by the run's seed and the case alone.

        Raises:
            UsageError: the need of the case is only a sentence.
        """
        drawn = self.cases.draw(case, seed=seed)
        if drawn.need.scenario and not drawn.need.constraints:
            raise UsageError(
                f"the need of user {case} is a sentence. Only users played by a language model (llm) understand such needs."
            )
        if drawn.profile is not None:
            return self.user_with(drawn.profile, drawn.rng, need=drawn.need)
        profile = invented_profile(
            drawn.need, self.catalogue, drawn.rng, size=self.options.profile_size, thresholds=self.thresholds
        )
        known, disliked = tuple(profile.ratings), tuple(profile.disliked_items)
        need = drawn.need.model_copy(update={"known": known, "disliked": disliked})
        return self.user_with(profile, drawn.rng, need=need)

    def user_with(self, profile: Profile, rng: RandomSource, *, need: Need | None = None) -> AgendaUser:
        """Create a user with a given profile and need."""
        options = self.options
        wants: Preferences = preferences(
            options.preferences, profile, self.catalogue, attributes=self.attributes, unseen=options.unseen
        )
        if need is not None and options.wants == "need":
            wants = NeedPreferences(wants, need, strict=self.profiles is None)
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
            questions=self._questions,
            revises=self.profiles is None and options.wants == "need",
        )


class AskingUsers(Users):
    """Users whose understanding is a language model, which they account for."""

    def __init__(self, model: UserModel, world: World, reader: ActReader) -> None:
        """``reader``: the language model.

        Raises:
            DataError: no profile can be sampled, or the catalogue has nothing to talk about.
            UnknownNameError: the options name an attribute that no item has.
        """
        super().__init__(model, world.catalogue, world.ratings, world=world, reader=reader)
        self.signature = model.signature
        self._reader = reader

    def usage(self) -> Usage:
        """Usage and cost of the requests to the model."""
        return self._reader.usage()

    def close(self) -> None:
        """Close the connections."""
        self._reader.close()
