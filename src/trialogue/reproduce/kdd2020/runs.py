"""Simulate the dialogues of the reproduction: the paper's three simulators with each system, one folder per system."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trialogue.agents.base import Agent
from trialogue.agents.registry import make_agent
from trialogue.catalogue import TitleLinker
from trialogue.datasets import get_corpus
from trialogue.datasets.corpora.kdd2020 import NAME, read_folder
from trialogue.datasets.store import is_here, locate
from trialogue.errors import MissingDataError, UsageError
from trialogue.records import Dialogue, read_records
from trialogue.records.files.jsonl import Note, RepairWarning
from trialogue.reproduce.kdd2020.paper_values import METHODS, SHAPE, SYSTEMS
from trialogue.simulation import Users, fit_users
from trialogue.simulation.batch.batch import Progress, run_batch
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.kdd2020 import RELEASED, ReplayAgent
from trialogue.simulation.source import users_of_source
from trialogue.simulation.users.counting import class_bigrams, labels_of
from trialogue.simulation.users.fit import UserModel
from trialogue.workflows.inputs.knowledge import Knowledge, load_catalogue

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
    return "reference:genre-led" if letter == SHAPE else f"replay:{SYSTEMS[letter]}"


def simulate_all(
    out: Path,
    *,
    n: int,
    seed: int = 0,
    catalogue: str = FILMS,
    letters: Sequence[str] = (*SYSTEMS, SHAPE),
    jobs: int = 1,
    progress: Callable[[str, Progress], None] | None = None,
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

    Raises:
        MissingDataError: a corpus is not here.
        UsageError: a folder belongs to another run.
    """
    check_here(catalogue)
    found: dict[tuple[str, str], list[Dialogue]] = {}
    for letter in letters:
        tell = None if progress is None else _progress_of(progress, letter)
        plan = Plan((agent_name(letter),), tuple(METHODS.values()), n, seed=seed)
        batch = run_batch(
            plan,
            _AgentFactory(catalogue),
            _UserFactory(letter, catalogue),
            folder=out / agent_name(letter).partition(":")[2],
            jobs=jobs,
            talk=DialogueRunner(max_turns=MAX_TURNS),
            settings={"reproduces": NAME, "catalogue": catalogue, "max_turns": MAX_TURNS},
            progress=tell,
        )
        held = list(read_records(batch.dialogues, Dialogue))
        for method, name in METHODS.items():
            found[letter, method] = [each for each in held if users_of_source(each) == name]
    return found


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

    def __call__(self, name: str) -> Users:
        known, linker = _load_knowledge(self.catalogue)
        like = "C" if self.letter == SHAPE else self.letter
        model = _model(like, self.catalogue)
        options = RELEASED[name]
        if self.letter == SHAPE:  # its words are not those that users of C have learned to understand; its acts are
            options = options.change({"labels_from": "declared"})
        users = UserModel(name, model.interaction, model.examples, model.phrasebook, model.temperature, options)
        assert known.ratings is not None  # see check_here
        return Users(users, known.catalogue, known.ratings, linker=linker)


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
