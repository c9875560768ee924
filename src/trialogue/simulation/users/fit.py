"""Fit users on a few annotated dialogues; save and load them as a folder of JSON files.

A ``UserModel`` holds what is learned from dialogues: interaction model, understanding of agents, and phrases of users.
``population.Users`` applies it to a catalogue.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trialogue.catalogue import Catalogue, Ratings, TitleLinker
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.fingerprints import TrainingDialogues, training_dialogues
from trialogue.plugins import load, plugins_of
from trialogue.records import Dialogue, JsonValue
from trialogue.records.files.jsonl import read_lines
from trialogue.records.files.opening import write_text
from trialogue.simulation.actions import KDD2020, ActionSpace
from trialogue.simulation.language.nlu import (
    ActClassifier,
    Example,
    RetrievalClassifier,
    examples_of,
)
from trialogue.simulation.language.nlu_linear import (
    USUAL_TEMPERATURE,
    LinearClassifier,
    cached_weights,
    fitted_temperature,
)
from trialogue.simulation.language.nlu_llm import (
    ActReader,
    ModelClassifier,
    agent_labels,
    check_labels,
    origin_of,
    sample_prompt,
)
from trialogue.simulation.language.phrases import Linker, Phrasebook, extract
from trialogue.simulation.language.styles import PersonalStyle, fit_styles
from trialogue.simulation.users.interaction import InteractionModel, fit_interaction
from trialogue.simulation.users.kinds import GROUP, World
from trialogue.simulation.users.options import METHODS, UserOptions, method
from trialogue.transport.retry import RetryPolicy

SCHEMA = 1
UNSURE = 0.6  # probability below which an agent's message gets no label: 7% of held-out ones, nearly all off-topic ones
if TYPE_CHECKING:
    from trialogue.simulation.users.population import Users

HEAD, INTERACTION, EXAMPLES, PHRASES = "users.json", "interaction.json", "examples.json", "phrases.json"
TRAINED = "training.json"
"""Fingerprints of the dialogues; users of earlier versions have none."""
STYLES = "styles.json"
"""How each of the people writes; users of earlier versions have none."""


@dataclass(frozen=True)
class UserModel:
    """Models learned from annotated dialogues, and the options of users based on them."""

    name: str
    """Name in tables."""
    interaction: InteractionModel
    """Transition model."""
    examples: tuple[Example, ...]
    """Annotated agent utterances, to understand others by."""
    phrasebook: Phrasebook
    """Phrases by act."""
    temperature: float = USUAL_TEMPERATURE
    """Temperature of the linear classifier, see ``nlu_linear``."""
    options: UserOptions = field(default_factory=UserOptions)
    """User options."""
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
        from trialogue.simulation.users.population import AskingUsers, Users

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


def fit_users(
    dialogues: Iterable[Dialogue],
    catalogue: Catalogue | None = None,
    ratings: Ratings | None = None,
    *,
    name: str = "fitted",
    options: UserOptions | None = None,
    space: ActionSpace = KDD2020,
    attributes: Sequence[str] | None = None,
    linker: Linker | None = None,
    usual: Mapping[tuple[str, str], int] | None = None,
    calibrate: bool = True,
    fingerprints: bool = True,
    styles: bool = True,
) -> UserModel:
    """Fit users on annotated dialogues, preferably all with one agent.

    Args:
        dialogues: dialogues with an act on every utterance, of users and agent.
        catalogue: the items they talk about, to find them in what users say; None: only slots that are annotated.
        ratings: ratings of these items, for how well known they are, which helps to find them.
        name: what the users are called.
        options: how users are; None: the paper's best, ``cir6-pkg``.
        space: what the labels mean.
        attributes: whose values become slots; None: those of the options, or ``genre``.
        linker: finds titles; None: one made for the catalogue.
        usual: see ``fit_interaction``.
        calibrate: whether confidence is fitted to dialogues held out, which takes five times as long as the rest.
        fingerprints: whether the dialogues are recorded, so that later comparisons with the same ones are marked.
        styles: whether the writing style of each person is learned.

    Raises:
        DataError: no user utterance, or no agent utterance, has an act.
    """
    corpus = list(dialogues)
    options = options or method("cir6-pkg")
    if linker is None and catalogue is not None:
        linker = TitleLinker(catalogue, popularity=None if ratings is None else ratings.popularity())
    interaction = fit_interaction(corpus, name=name, space=space, usual=usual)
    grouped = [examples_of([dialogue], linker=linker) for dialogue in corpus]
    examples = [example for group in grouped for example in group]
    if not examples:
        hint = "Users learn to understand agents from agent utterances with acts."
        raise DataError(Problem("no agent utterance of these dialogues has an act.", hint=hint))
    groups = [at for at, group in enumerate(grouped) for _ in group]
    names = attributes or options.attributes or ("genre",)
    return UserModel(
        name=name,
        interaction=interaction,
        examples=tuple(examples),
        phrasebook=extract(corpus, catalogue=catalogue, linker=linker, attributes=names, space=space, recurring=styles),
        temperature=fitted_temperature(examples, groups) if calibrate else USUAL_TEMPERATURE,
        options=options,
        trained=training_dialogues((dialogue.id, dialogue) for dialogue in corpus) if fingerprints else None,
        styles=fit_styles(corpus, space) if styles else (),
    )


def data_hash(trained: TrainingDialogues) -> str:
    """Twelve hexadecimal digits that change with the dialogues.

    >>> data_hash(TrainingDialogues(folds={}))
    '44136fa355b3'
    """
    return hashlib.sha256(json.dumps(trained.folds, sort_keys=True).encode()).hexdigest()[:12]


def load_users(name: Path | str, **changes: Any) -> UserModel:
    """Load users by name or folder.

    Args:
        name: a folder that ``UserModel.save`` wrote; ``qrfa-single``, ``cir6-single`` or ``cir6-pkg``, fitted on dialogues
            that come with Trialogue, all of them or, as in ``cir6-pkg/guided``, those with one kind of agent (``guided``,
            ``item-centred``, ``genre-led``); or a name that a package registered, or ``module:Name``: a function that
            returns a ``UserModel``.
        changes: options to set.

    Raises:
        UnknownNameError: no such users, or no such option.
        DataError: a folder that holds no fitted users.
    """
    model = _find_model(str(name)) if not Path(name).is_dir() else UserModel.load(name)
    return model.with_options(**changes) if changes else model


def check_users(name: Path | str) -> None:
    """Check that users exist by name or folder, without creating them.

    Raises:
        UnknownNameError: no such users.
    """
    from trialogue.simulation.bundled import SHAPES

    kind, _, shape = str(name).partition("/")
    if Path(name).is_dir():
        return
    if kind in METHODS:
        if shape and shape not in SHAPES:
            raise UnknownNameError("kind of agent for bundled users", shape, SHAPES)
    elif ":" not in str(name) and name not in plugins_of(GROUP):
        known = {*METHODS, *plugins_of(GROUP)}
        hint = "A folder of fitted users, or 'module:Name', can also be given."
        raise UnknownNameError("kind of simulated users", str(name), known, hint=hint)


def _find_model(name: str) -> UserModel:
    from trialogue.simulation.bundled import bundled_users

    check_users(name)
    kind, _, shape = name.partition("/")
    if kind in METHODS:
        return bundled_users(kind, shape or None)
    made = load(GROUP, name, kind="kind of simulated users")()
    if not isinstance(made, UserModel):
        raise UnknownNameError(
            "kind of simulated users",
            name,
            METHODS,
            hint=f"It returned {type(made).__name__}, which is not a UserModel.",
        )
    return made


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
