"""Models of agenda-based users, and the users of a model in a world.

A ``UserModel`` holds what is learned from dialogues: interaction model, understanding of agents, and phrases of users; it is
a folder of JSON files. In a world, shared state is built once; each dialogue gets its own user, and tastes where needed.
"""

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trialogue.catalogue import Catalogue, Ratings, Scale
from trialogue.catalogue.domains import check_tells_apart
from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.fingerprints import TrainingDialogues
from trialogue.llm.usage import Usage
from trialogue.records import JsonValue, Need
from trialogue.records.files.jsonl import read_lines
from trialogue.records.files.opening import write_text
from trialogue.simulation.attributes.questions import QuestionParser
from trialogue.simulation.language.agent_turns import AgentTurnParser
from trialogue.simulation.language.nlg import UtteranceGenerator
from trialogue.simulation.language.nlu import (
    ActClassifier,
    Example,
    RetrievalClassifier,
)
from trialogue.simulation.language.nlu_linear import (
    USUAL_TEMPERATURE,
    LinearClassifier,
    cached_weights,
)
from trialogue.simulation.language.nlu_llm import (
    ActReader,
    ModelClassifier,
    agent_labels,
    check_labels,
    origin_of,
    sample_prompt,
)
from trialogue.simulation.language.phrases import Linker, Phrasebook
from trialogue.simulation.language.styles import PersonalStyle
from trialogue.simulation.language.wordings import read_phrases, template_phrases
from trialogue.simulation.preferences import NeedPreferences, Preferences, preferences
from trialogue.simulation.profiles import Profile, Profiles, Thresholds
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.interaction import InteractionModel
from trialogue.simulation.users.needs import satisfied_share
from trialogue.simulation.users.options import UserOptions
from trialogue.simulation.users.user import AgendaUser
from trialogue.simulation.users.world import NeedsByCase, World
from trialogue.transport.retry import RetryPolicy

SCHEMA = 1
UNSURE = 0.6  # probability below which an agent's message gets no label: 7% of held-out ones, nearly all off-topic ones
HEAD, INTERACTION, EXAMPLES, PHRASES = "users.json", "interaction.json", "examples.json", "phrases.json"
TRAINED = "training.json"
"""Fingerprints of the dialogues; users of earlier versions have none."""
STYLES = "styles.json"
"""How each of the people writes; users of earlier versions have none."""
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


@dataclass(frozen=True)
class UserModel:
    """Models learned from annotated dialogues, and the options of users based on them."""

    name: str
    """Name in tables."""
    interaction: InteractionModel
    """Transition counts, from which the user's next act is drawn."""
    examples: tuple[Example, ...]
    """Annotated agent utterances, to understand others by."""
    phrasebook: Phrasebook
    """Phrases that users choose from, by act."""
    temperature: float = USUAL_TEMPERATURE
    """Temperature of the linear classifier, see ``nlu_linear``."""
    options: UserOptions = field(default_factory=UserOptions)
    """Options of the users made from it; see ``with_options``."""
    trained: TrainingDialogues | None = None
    """Fingerprints of the training dialogues; None: not recorded."""
    styles: tuple[PersonalStyle, ...] = ()
    """How each of the people writes; (): not learned."""

    def with_options(self, **changes: Any) -> "UserModel":
        """Copy with some options changed.

        Raises:
            UnknownNameError: an option that does not exist.
            UsageError: a value that it cannot have.
        """
        return replace(self, options=self.options.change(changes))

    def new_understanding(self) -> ActClassifier:
        """Create a model of agent utterances, according to the options.

        Raises:
            UsageError: a language model that cannot be asked, see ``act_reader``.
        """
        if (reader := self.act_reader()) is not None:
            return self.model_classifier(reader)
        if self.options.understanding == "retrieval":
            return RetrievalClassifier(self.examples, unknown_below=self.options.unknown_below)
        return LinearClassifier(
            weights=cached_weights(self.examples, context=True),
            temperature=self.temperature,
            unknown_below=self.options.unknown_below,
        )

    def act_reader(self, *, retry_policy: RetryPolicy | None = None) -> ActReader | None:
        """Create the language model that understands agents; None: the options name none.

        Raises:
            UsageError: the key's environment variable is not set, the address is invalid, a folder holds no model, the
                users know too many acts for a model to choose from, or a definition is for an act that they do not
                know.
        """
        options = self.options.understanding
        return None if isinstance(options, str) else ActReader(options, self._agent_labels, retry_policy=retry_policy)

    def model_classifier(self, reader: ActReader) -> ModelClassifier:
        """Classifier that reads acts with a language model. Acts below ``unknown_below`` (default: .6) are unknown."""
        return ModelClassifier(reader, unknown_below=self.options.unknown_below or UNSURE)

    @property
    def signature(self) -> str | None:
        """Name of the language model that understands agents, with a hash of prompt and options; None: there is none.

        Raises:
            UsageError: too many acts, or a definition of an unknown act, see ``act_reader``.
        """
        options = self.options.understanding
        if isinstance(options, str):
            return None
        check_labels(options, self._agent_labels)
        return f"agenda|understanding:{origin_of(options, self._agent_labels)}"

    @property
    def understanding_prompt(self) -> str | None:
        """Prompt of the language model that understands agents, with ``{message}`` for the message; None: there is none."""
        options = self.options.understanding
        return None if isinstance(options, str) else sample_prompt(options, self._agent_labels)

    @property
    def _agent_labels(self) -> tuple[str, ...]:
        return agent_labels(self.interaction.space, [example.label for example in self.examples])

    def labeller(self) -> ActClassifier:
        """Create a model that labels agent messages for dialogue metrics, unless the options name a language model.

        The model reads only the text: a model that also knew the user's previous act would tend to find an answer to it
        in any text. It gives no label if it is not sure.
        """
        weights = cached_weights(self.examples, context=False)
        return LinearClassifier(weights=weights, context=False, temperature=self.temperature, unknown_below=UNSURE)

    def settle(self, world: World, *, retry_policy: RetryPolicy | None = None) -> "Users":
        """Create users of this model in a world.

        Args:
            world: catalogue and ratings.
            retry_policy: retry policy for requests to a language model that understands agents.

        Raises:
            UsageError: a language model that cannot be asked, see ``act_reader``.
            DataError: no profile can be sampled from its ratings, or the catalogue has nothing to talk about.
        """
        if (reader := self.act_reader(retry_policy=retry_policy)) is not None:
            return AskingUsers(self, world, reader)
        return Users(self, world.catalogue, world.ratings, world=world)

    def save(self, folder: Path | str) -> None:
        """Write a folder of JSON files; equal models give equal bytes."""
        folder = Path(folder)
        head: dict[str, JsonValue] = {
            "schema": SCHEMA,
            "name": self.name,
            "temperature": self.temperature,
            "options": self.options.to_json(),
        }
        if self.trained is not None:
            _write(folder / TRAINED, self.trained.to_json())
            head["data_hash"] = data_hash(self.trained)
        _write(folder / HEAD, head)
        self.interaction.save(folder / INTERACTION)
        _write(folder / EXAMPLES, [[e.text, e.label, e.before, e.place, e.bare] for e in self.examples])
        _write(folder / PHRASES, self.phrasebook.to_json())
        if self.styles:
            _write(folder / STYLES, [style.to_json() for style in self.styles])

    @classmethod
    def load(cls, folder: Path | str) -> "UserModel":
        """Read a folder written by ``save``.

        Raises:
            DataError: a file is missing, or not what it should be.
        """
        folder = Path(folder)
        try:
            head = _read(folder / HEAD)
            if head["schema"] != SCHEMA:
                raise ValueError(f"schema {head['schema']!r} instead of {SCHEMA}")
            return cls(
                name=str(head["name"]),
                interaction=InteractionModel.load(folder / INTERACTION),
                examples=tuple(_example(*each) for each in _read(folder / EXAMPLES)),
                phrasebook=Phrasebook.from_json(_read(folder / PHRASES)),
                temperature=float(head["temperature"]),
                options=UserOptions().change(head["options"]),
                trained=_read_trained(folder / TRAINED),
                styles=_read_styles(folder / STYLES),
            )
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            hint = "Fit the users again, or restore the folder."
            raise DataError(
                Problem(f"this folder contains no fitted users ({error!r}).", str(folder), hint=hint)
            ) from error


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


def data_hash(trained: TrainingDialogues) -> str:
    """Twelve hexadecimal digits that change with the dialogues.

    >>> data_hash(TrainingDialogues(folds={}))
    '44136fa355b3'
    """
    return hashlib.sha256(json.dumps(trained.folds, sort_keys=True).encode()).hexdigest()[:12]


def _example(text: Any, label: Any, before: Any, place: Any, bare: Any) -> Example:
    return Example(str(text), str(label), str(before), int(place), None if bare is None else str(bare))


def _write(path: Path, data: JsonValue) -> None:
    write_text(path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def _read_trained(path: Path) -> TrainingDialogues | None:
    """Training fingerprints; None in files of earlier versions."""
    if not path.exists():
        return None
    return TrainingDialogues(folds={str(fold): tuple(known) for fold, known in _read(path)["folds"].items()})


def _read_styles(path: Path) -> tuple[PersonalStyle, ...]:
    """Styles of the people; () in files of earlier versions."""
    return tuple(map(PersonalStyle.from_json, _read(path))) if path.exists() else ()


def _read(path: Path) -> Any:
    return json.loads("".join(line for _, line in read_lines(path)))
