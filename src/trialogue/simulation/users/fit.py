"""Fit users on a few annotated dialogues; save and load them as a folder of JSON files.

A ``UserModel`` holds what is learned from dialogues: interaction model, understanding of agents, and phrases of users.
``population.Users`` applies it to a catalogue.
"""

from collections.abc import Iterable, Mapping, Sequence

from trialogue.catalogue import Catalogue, Ratings, TitleLinker
from trialogue.errors import DataError, Problem
from trialogue.fingerprints import training_dialogues
from trialogue.records import Dialogue
from trialogue.simulation.actions import KDD2020, ActionSpace
from trialogue.simulation.language.nlu import (
    examples_of,
)
from trialogue.simulation.language.nlu_linear import (
    USUAL_TEMPERATURE,
    fitted_temperature,
)
from trialogue.simulation.language.phrases import Linker, extract
from trialogue.simulation.language.styles import fit_styles
from trialogue.simulation.users.interaction import fit_interaction
from trialogue.simulation.users.options import UserOptions, method
from trialogue.simulation.users.population import UserModel


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
