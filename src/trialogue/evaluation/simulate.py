"""A study from end to end: agents and simulated users by name, over one catalogue, into a folder of dialogues."""

from collections.abc import Callable
from dataclasses import dataclass

from trialogue.agents.base import Agent
from trialogue.agents.registry import make_agent
from trialogue.errors import UsageError
from trialogue.evaluation.knowledge import DEMO, knowledge_named
from trialogue.records import JsonValue
from trialogue.simulation import Users, load_users
from trialogue.simulation.batch import Batch, Progress, run_batch
from trialogue.simulation.study import Study
from trialogue.simulation.workers import Conversing

Options = dict[str, JsonValue]


@dataclass(frozen=True)
class AgentsByName:
    """Makes a study's agents; goes to other processes as it is."""

    given: dict[str, Options]

    def __call__(self, name: str) -> Agent:
        """The agent of a name in the study, which is also its name in the dialogues."""
        return make_agent({"name": name, **self.given[name]})


@dataclass(frozen=True)
class UsersByName:
    """Makes a study's simulated users, all over one catalogue; goes to other processes as it is."""

    given: dict[str, Options]
    catalogue: str

    def __call__(self, name: str) -> Users:
        """The users of a name in the study."""
        options = dict(self.given[name])
        model = load_users(str(options.pop("users", name)), **options)
        known = knowledge_named(self.catalogue)
        if known.ratings is None:
            raise UsageError(
                f"the catalogue {self.catalogue!r} has no ratings, and simulated users are sampled from ratings. "
                "Take demo or a MovieLens corpus."
            )
        return Users(model, known.catalogue, known.ratings)


def simulate(study: Study, *, catalogue: str = DEMO, progress: Callable[[Progress], None] | None = None) -> Batch:
    """Hold the dialogues of a study that its folder does not hold yet.

    Args:
        study: agents, users, how many, where.
        catalogue: what users know and talk about: demo, or a MovieLens corpus on this machine.
        progress: told how far it is.

    Raises:
        UsageError: agents or users that cannot be made, or a folder that belongs to another study.
    """
    return run_batch(
        study.plan(),
        AgentsByName({name: _options(given, "agent") for name, given in study.agents.items()}),
        UsersByName({name: _options(given, "users") for name, given in study.users.items()}, catalogue),
        folder=study.out,
        jobs=study.jobs,
        cluster=study.cluster,
        at_once=study.at_once,
        talk=Conversing(max_turns=study.max_turns),
        settings={**study.settings(), "catalogue": catalogue},
        progress=progress,
    )


def _options(given: str | Options, kind: str) -> Options:
    return dict(given) if isinstance(given, dict) else {kind: given}
