"""Simulate the dialogues of the reproduction: the paper's three simulators with each system, one folder per system."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trialogue.agents.base import Agent
from trialogue.agents.registry import make_agent
from trialogue.catalogue import Catalogue, Ratings, TitleLinker
from trialogue.datasets import get_corpus
from trialogue.datasets.corpora.kdd2020 import NAME, read_folder
from trialogue.datasets.store import is_here, locate
from trialogue.errors import DataError, MissingDataError, UsageError
from trialogue.inputs.knowledge import Knowledge, load_catalogue
from trialogue.records import Dialogue, JsonValue, read_records
from trialogue.records.files.jsonl import Note, RepairWarning
from trialogue.records.kinds.acts import replay_of
from trialogue.reproduce.kdd2020.paper_values import METHODS, SHAPE, SYSTEMS
from trialogue.simulation import Users, fit_users
from trialogue.simulation.batch.batch import Progress, run_batch
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.kdd2020 import RELEASED, ReplayAgent
from trialogue.simulation.profiles import Profiles
from trialogue.simulation.source import users_of_source
from trialogue.simulation.users.interaction import class_bigrams, labels_of
from trialogue.simulation.users.options import AS, UserOptions
from trialogue.simulation.users.options import METHODS as METHOD_OPTIONS
from trialogue.simulation.users.population import UserModel
from trialogue.simulation.users.world import World

FILMS = "movielens-latest-small"
"""Whose ratings profiles are sampled from: MovieLens, as in the paper, in the size that is quick to get."""

MAX_TURNS = 100  # of the user; JMRS1 says goodbye after so many, and nobody else in the files talks half as long


def check_here(catalogue: str) -> None:
    """Raise MissingDataError, with one command that downloads all missing data; UsageError without ratings."""
    needed = [NAME] if not catalogue.startswith("movielens") else [NAME, catalogue]
    missing = [name for name in needed if not is_here(get_corpus(name))]
    if missing:
        titles = " and ".join(get_corpus(name).source.title for name in missing)
        raise MissingDataError(
            f"{titles}: not on this machine, but required. Get it with: trialogue data get "
            f"{' '.join(missing)} (or set TRIALOGUE_DATA_MIRROR to a folder that has it)."
        )
    if load_catalogue(catalogue).ratings is None:
        raise UsageError(f"{catalogue} has no ratings, but users are sampled from ratings. Use {FILMS} or demo.")


def real_dialogues(note: Note = lambda _: None) -> dict[str, list[Dialogue]]:
    """Published dialogues of real users, by the paper's letters."""
    found = list(read_folder(locate(get_corpus(NAME)), note))
    return {letter: [each for each in found if each.system == system] for letter, system in SYSTEMS.items()}


def agent_name(letter: str) -> str:
    """Name of a letter's system in the dialogues."""
    return "reference:genre-led" if letter == SHAPE else replay_of(SYSTEMS[letter])


def simulate_all(
    out: Path,
    *,
    n: int,
    seed: int = 0,
    catalogue: str = FILMS,
    letters: Sequence[str] = (*SYSTEMS, SHAPE),
    jobs: int = 1,
    progress: Callable[[str, Progress], None] | None = None,
    options: Mapping[str, JsonValue] | None = None,
) -> dict[tuple[str, str], list[Dialogue]]:
    """The simulated dialogues, by (letter, method); what a folder of an earlier call holds already is not held again.

    Args:
        out: gets one folder of a batch for each letter.
        n: dialogues of each method with each system.
        seed: random seed.
        catalogue: films and ratings.
        letters: systems; ``C'`` for the live one.
        jobs: processes.
        progress: called with the letter and the progress.
        options: options of the users, such as ``{"as": "paper"}``, instead of those that agree best with the tables.

    Raises:
        UnknownNameError: an option that does not exist.
        MissingDataError: a corpus is not here.
        UsageError: a folder belongs to another run.
    """
    check_here(catalogue)
    users_options = options_of(options or {})
    chosen: dict[str, JsonValue] = {name: own.to_json() for name, own in users_options.items()} if options else {}
    found: dict[tuple[str, str], list[Dialogue]] = {}
    for letter in letters:
        tell = None if progress is None else _progress_of(progress, letter)
        plan = Plan((agent_name(letter),), tuple(METHODS.values()), n, seed=seed)
        batch = run_batch(
            plan,
            _AgentFactory(catalogue),
            _UserFactory(letter, catalogue, users_options),
            folder=out / agent_name(letter).partition(":")[2],
            jobs=jobs,
            talk=DialogueRunner(max_turns=MAX_TURNS),
            settings={"reproduces": NAME, "catalogue": catalogue, "max_turns": MAX_TURNS, **chosen},
            progress=tell,
        )
        held = list(read_records(batch.dialogues, Dialogue))
        for method, name in METHODS.items():
            found[letter, method] = [each for each in held if users_of_source(each) == name]
    return found


def simulate_fitting(
    n: int, *, seed: int = 0, catalogue: str = FILMS, options: Mapping[str, JsonValue] | None = None
) -> Iterator[Dialogue]:
    """Dialogues of each simulator with a replay of each system that people can read: user and agent fit each other.

    Profiles are sampled from ratings of films that the system's real users named (of all systems', where nobody rated enough
    of these), and the replay answers as the system answered the most similar message.

    Args:
        n: dialogues of each simulator with each system.
        seed: random seed.
        catalogue: films and ratings.
        options: options of the users, see ``simulate_all``.
    """
    _, linker = _load_knowledge(catalogue)
    for letter in SYSTEMS:
        ratings = _ratings_of_named(letter, catalogue)
        agent = ReplayAgent(_real()[letter], name=agent_name(letter), fits=linker)
        for name, own in options_of(options or {}).items():
            yield from simulate_one(letter, name, own, n, seed=seed, catalogue=catalogue, agent=agent, ratings=ratings)


def simulate_one(
    letter: str,
    name: str,
    options: UserOptions,
    n: int,
    *,
    seed: int = 0,
    catalogue: str = FILMS,
    agent: Agent | None = None,
    ratings: Ratings | None = None,
) -> Iterator[Dialogue]:
    """Dialogues of one simulator with a replay of one system.

    Args:
        letter: the system.
        name: the simulator's name in the dialogues.
        options: options of the users.
        n: number of dialogues.
        seed: random seed.
        catalogue: films and ratings.
        agent: the replay; None: one that answers at random.
        ratings: ratings that profiles are sampled from; None: the catalogue's.
    """
    replay = agent or ReplayAgent(_real()[letter], name=agent_name(letter))
    users = _users(letter, catalogue, name, options, ratings=ratings)
    talk = DialogueRunner(max_turns=MAX_TURNS)
    for task in Plan((agent_name(letter),), (name,), n, seed=seed):
        yield talk(replay, users, task)


@cache
def _ratings_of_named(letter: str, catalogue: str) -> Ratings:
    """Ratings of the films that real users named."""
    known, linker = _load_knowledge(catalogue)
    ratings = known.ratings
    assert ratings is not None  # see check_here
    for letters in ((letter,), tuple(SYSTEMS)):
        named = {
            mention.item_id
            for each in letters
            for dialogue in _real()[each]
            for utterance in dialogue.utterances
            if utterance.speaker == "user"
            for mention in linker.find(utterance.text)
        }
        rows = (
            (user, item, value)
            for user in ratings.users
            for item, value in ratings.of_user(user).items()
            if item in named
        )
        found = Ratings.from_rows(rows, scale=ratings.scale)
        if _is_enough(found, known.catalogue):
            return found
    return ratings


def _is_enough(ratings: Ratings, catalogue: Catalogue) -> bool:
    """Whether profiles of the usual size can be sampled."""
    try:
        Profiles(ratings, catalogue)
    except DataError:
        return False
    return True


def options_of(options: Mapping[str, JsonValue]) -> dict[str, UserOptions]:
    """Options of the three simulators: those of ``RELEASED``, or of a whole model (``as``), with changes.

    Raises:
        UnknownNameError: an option that does not exist.
        UsageError: a value that it cannot have.
    """
    start = METHOD_OPTIONS if AS in options else RELEASED
    return {name: start[name].change(options) for name in METHODS.values()}


def _progress_of(progress: Callable[[str, Progress], None], letter: str) -> Callable[[Progress], None]:
    return lambda now: progress(letter, now)


@dataclass(frozen=True)
class _AgentFactory:
    """Makes the systems; goes to other processes as it is."""

    catalogue: str

    def __call__(self, name: str) -> Agent:
        kind, _, system = name.partition(":")
        if kind == "reference":
            return make_agent({"agent": "reference", "shape": system, "catalogue": self.catalogue, "name": name})
        letter = next(letter for letter, own in SYSTEMS.items() if own == system)
        return ReplayAgent(_real()[letter], name=name)


@dataclass(frozen=True)
class _UserFactory:
    """Makes the users of a system; goes to other processes as it is."""

    letter: str
    catalogue: str
    options: Mapping[str, UserOptions]

    def __call__(self, name: str) -> Users:
        options = self.options[name]
        if self.letter == SHAPE:  # its words are not those that users of C have learned to understand; its acts are
            options = options.change({"labels_from": "declared"})
        return _users("C" if self.letter == SHAPE else self.letter, self.catalogue, name, options)


def _users(letter: str, catalogue: str, name: str, options: UserOptions, *, ratings: Ratings | None = None) -> Users:
    """Users fitted on the dialogues of a letter's system; ``ratings`` in place of the catalogue's."""
    known, linker = _load_knowledge(catalogue)
    model = _model(letter, catalogue)
    users = UserModel(name, model.interaction, model.examples, model.phrasebook, model.temperature, options)
    world = _world(catalogue, ratings)
    return Users(users, known.catalogue, world.ratings, linker=linker, world=world)


@cache
def _world(catalogue: str, ratings: Ratings | None) -> World:
    """Shared by users of all kinds: to index the titles again for each takes most of the time of few dialogues."""
    known, _ = _load_knowledge(catalogue)
    assert known.ratings is not None  # see check_here
    return World(known.catalogue, ratings or known.ratings)


@cache
def _real() -> Mapping[str, list[Dialogue]]:
    return real_dialogues()


@cache
def _load_knowledge(catalogue: str) -> tuple[Knowledge, TitleLinker]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepairWarning)  # reported once by the parent, not again by each process
        known = load_catalogue(catalogue)
    popularity = None if known.ratings is None else known.ratings.popularity()
    return known, TitleLinker(known.catalogue, popularity=popularity)


@cache
def _model(letter: str, catalogue: str) -> UserModel:
    """User model of a system; how usual a dialogue is, is counted over all three, as in the released code."""
    known, linker = _load_knowledge(catalogue)
    usual = class_bigrams(labels_of(each) for conversations in _real().values() for each in conversations)
    own = _real()[letter]
    return fit_users(own, known.catalogue, known.ratings, linker=linker, usual=usual, calibrate=False, styles=False)
