"""Obtain the simulated dialogues of a passport: simulate them, or read existing ones."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from trialogue.agents.registry import spec_of
from trialogue.agents.sabotage import LOWER_RANKED, Replacement, SabotageSpec
from trialogue.errors import TrialogueError
from trialogue.fingerprints import TrainingDialogues
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.llm.usage import Usage
from trialogue.options import Jobs, Seed
from trialogue.records import Dialogue, JsonValue, Role
from trialogue.simulating.model_usage import USAGE, add_usage, usages
from trialogue.simulating.simulate import simulate
from trialogue.simulation.batch.folder import DIALOGUES, config_of
from trialogue.simulation.batch.simulation_file import study_of
from trialogue.simulation.bundled import bundled_training
from trialogue.simulation.users.kinds import HasPrompts, HasSignature, UserKind, is_users_file, load_kind
from trialogue.simulation.users.population import UserModel

DOSES = (0.1, 0.3, 0.6)
"""Shares of replies that are made worse."""
WORDS_OF_WAYS = {
    Replacement.OFF_TOPIC.value: "off-topic",
    Replacement.REPEATED.value: "repeated",
    LOWER_RANKED: "with lower-ranked items",
}

Tell = Callable[[str], None]


@dataclass(frozen=True)
class DosedAgent:
    """An agent with versions of it that were made worse, as systems are called in dialogues."""

    agent: str
    """Name of the agent itself, of whose replies none were replaced."""
    way: str
    """Kind of replacement, as words after "replies"."""
    doses: dict[str, float]
    """Share of the replies by system."""


@dataclass
class SimulatedSample:
    """Simulated dialogues, with the settings of their users."""

    name: str
    """Whose dialogues these are."""
    material: InputRecords
    """The dialogues with agents as they are and with those made worse."""
    signature: str | None = None
    """Signature of the users' prompts."""
    dosed: tuple[DosedAgent, ...] = ()
    """Agents that were made worse."""
    seeds: dict[str, InputRecords] = field(default_factory=dict)
    """The same agents by seed, the first one among them."""
    versions: dict[str, InputRecords] = field(default_factory=dict)
    """The same agents by version of the users, the first one among them."""
    usage: Usage | None = None
    """Usage of their model."""
    asks_model: bool | None = None
    """Whether a model plays them; None: unknown."""
    seconds: float | None = None
    """Wall-clock seconds of a dialogue."""
    trained: TrainingDialogues | None = None
    """Data on which they were fitted."""
    is_fitted_on_known_text: bool | None = None
    """Whether that is recorded; None: they were not fitted on dialogues of anybody."""

    @property
    def dialogues(self) -> list[Dialogue]:
        """Dialogues with the unchanged agents."""
        worse = {system for each in self.dosed for system in each.doses}
        return [each for each in self.material.dialogues if each.system not in worse]


@dataclass(frozen=True)
class PassportPlan:
    """Simulations needed for a passport."""

    agents: tuple[str, ...]
    """Agents, as ``simulate`` takes them; the first one is made worse."""
    n: Annotated[int, Ge(1)] = 100
    """Number of dialogues with each agent."""
    seeds: Annotated[int, Ge(1)] = 5
    """Number of seeds to simulate, the first one among them; shares of variance need at least five."""
    ways: tuple[str, ...] = (Replacement.OFF_TOPIC.value,)
    """Replacements of replies: off-topic, repeated, lower-ranked, none, or an agent (default: off-topic). (): none."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Other versions of the users, by name."""
    catalogue: str = "demo"
    """Catalogue of items that users know."""
    ratings: str | None = None
    """File with ratings of the items: a table with the columns user, item, rating."""
    jobs: Jobs = 1
    """Number of processes. The results are the same for any number."""
    seed: Seed = 0
    """Random seed of the first simulation; ``seeds`` counts up from it."""
    timed: bool = False
    """Measure seconds; the output is then not reproducible byte for byte."""


def are_dialogues(users: str) -> bool:
    """Whether a text names dialogues that are there, and not a kind of users.

    A folder of a simulation, a file or a corpus of dialogues; a folder of fitted users and a YAML file that describes users
    are kinds.
    """
    path = Path(users)
    if path.is_dir():
        return not (path / "interaction.json").is_file()
    return path.is_file() and not is_users_file(users)


def default_folder(users: str) -> Path:
    """Output folder of a passport: the folder of a simulation, whose report then shows it; else ``runs/passport``."""
    path = Path(users)
    folder = path if path.is_dir() else path.parent
    is_simulation = path.exists() and bool(config_of(folder))
    return folder / "passport" if is_simulation else Path("runs/passport")


def read_side(users: str, versions: Mapping[str, str]) -> SimulatedSample:
    """Dialogues of simulated users that are there: a file, a corpus or the folder of a simulation.

    Raises:
        DataError: they cannot be read.
    """
    path = Path(users)
    folder = path if path.is_dir() else path.parent
    given = str(path / DIALOGUES) if (path / DIALOGUES).is_file() else users
    side = SimulatedSample(path.name, _systems_alone(gather([given])))
    config = config_of(folder)
    options = config.get("agent_options")
    side.dosed = _dosed_agents(options) if isinstance(options, dict) else ()
    users_by_name = config.get("user_options")
    names = set(users_by_name) if isinstance(users_by_name, dict) else set()
    parts = [usage for name, usage in usages(folder / USAGE) if name in names]
    if parts:
        side.usage, side.asks_model = add_usage(parts), True
    if versions:
        side.versions = {side.name: side.material}
        side.versions |= {name: _systems_alone(gather([where])) for name, where in versions.items()}
    return side


def stage_side(
    name: str, kind: UserKind, given: str, records: Path, simulation: Path, catalogue: str | None = None
) -> SimulatedSample:
    """Dialogues of one kind of users among those of an experiment.

    Args:
        name: name of the users in the experiment.
        kind: kind of the users, with their options.
        given: what names the kind.
        records: the dialogues.
        simulation: folder of the simulation, which may hold usage of models.
        catalogue: what the users knew; None: unknown.

    Raises:
        DataError: they cannot be read.
    """
    side = SimulatedSample(name=name, material=_systems_alone(gather([str(records)])))
    side.material.catalogue = catalogue
    _describe(side, kind, given)
    parts = [usage for whose, usage in usages(simulation / USAGE) if whose == name]
    side.usage = add_usage(parts) if parts else None
    return side


def _describe(side: SimulatedSample, kind: UserKind, given: str) -> None:
    """Add what a kind of users says of itself: prompts, and the text on which it was fitted."""
    side.signature = kind.signature if isinstance(kind, HasSignature) else None
    asks_to_understand = isinstance(kind, UserModel) and kind.signature is not None
    side.asks_model = isinstance(kind, HasPrompts) or asks_to_understand
    if isinstance(kind, UserModel):
        side.trained = kind.trained or (None if Path(given).exists() else bundled_training(given))
        side.is_fitted_on_known_text = side.trained is not None


def _systems_alone(material: InputRecords) -> InputRecords:
    """Without baselines, which say nothing of users."""
    material.dialogues = [each for each in material.dialogues if each.role is Role.SYSTEM]
    return material


def _dosed_agents(options: Mapping[str, JsonValue]) -> tuple[DosedAgent, ...]:
    """Agents of a simulation that it also holds with replies made worse, by its settings."""
    specs = {}
    for name, given in options.items():
        try:
            specs[name] = spec_of(given)  # type: ignore[arg-type]
        except TrialogueError:
            continue  # made for another machine: it cannot be known what it is
    found: dict[tuple[str, str], dict[str, float]] = {}
    for name, spec in specs.items():
        if isinstance(spec, SabotageSpec):
            own = spec_of(spec.agent)
            agent = next((other for other, each in specs.items() if _is_same(each, own)), None)
            if agent is not None:
                found.setdefault((agent, spec.by), {})[name] = spec.share
    return tuple(DosedAgent(agent, _words_of(by), doses) for (agent, by), doses in found.items())


def _is_same(one: object, other: object) -> bool:
    """Whether two specs are of one agent, whatever it is called."""
    fields = [each.model_dump(exclude={"name"}) for each in (one, other)]  # type: ignore[attr-defined]
    return type(one) is type(other) and fields[0] == fields[1]


def _words_of(by: str) -> str:
    return WORDS_OF_WAYS.get(by, f"of {by}")


def simulate_side(users: str, plan: PassportPlan, out: Path, tell: Tell) -> SimulatedSample:
    """Run or resume the simulations of a passport.

    Args:
        users: a kind of users.
        plan: what is simulated.
        out: a folder; every simulation gets one of its own in it.
        tell: called with progress lines.

    Raises:
        UsageError: agents or users that cannot be made.
        DataError: options that describe no simulation, every mistake at once.
    """
    kind = load_kind(users)
    dosed = _doses_of(plan)
    worse: dict[str, JsonValue] = {
        system: {"agent": f"sabotage:{each.agent}", "share": share, "by": way}
        for way, each in zip(plan.ways, dosed, strict=True)
        for system, share in each.doses.items()
    }
    begin = time.perf_counter()
    material = _simulate(users, plan, worse, plan.seed, out / "simulation", tell)
    seconds = time.perf_counter() - begin
    side = SimulatedSample(
        name=kind.name,
        material=material,
        dosed=dosed,
        seconds=seconds / len(material.dialogues) if plan.timed and material.dialogues else None,
    )
    _describe(side, kind, users)
    parts = [usage for name, usage in usages(out / "simulation" / USAGE) if name == "users"]
    side.usage = add_usage(parts) if parts else None
    own = InputRecords(dialogues=side.dialogues)
    if plan.seeds > 1:
        side.seeds = {str(plan.seed): own}
        for seed in range(plan.seed + 1, plan.seed + plan.seeds):
            side.seeds[str(seed)] = _simulate(users, plan, {}, seed, out / f"seed-{seed}", tell)
    if plan.versions:
        side.versions = {kind.name: own}
        for name, other in plan.versions.items():
            side.versions[name] = _simulate(other, plan, {}, plan.seed, out / f"version-{name}", tell)
    return side


def _doses_of(plan: PassportPlan) -> tuple[DosedAgent, ...]:
    return tuple(
        DosedAgent(
            plan.agents[0],
            _words_of(way),
            {f"{plan.agents[0]}, {share:.0%} {_words_of(way)}": share for share in DOSES},
        )
        for way in plan.ways
    )


def _simulate(
    users: str, plan: PassportPlan, worse: Mapping[str, JsonValue], seed: int, out: Path, tell: Tell
) -> InputRecords:
    agents: dict[str, JsonValue] = {**{agent: agent for agent in plan.agents}, **worse}
    fields: dict[str, JsonValue] = {
        "agents": agents,
        "users": {"users": {"users": users}},
        "n": plan.n,
        "seed": seed,
        "jobs": plan.jobs,
        "catalogue": plan.catalogue,
        "baselines": 0,
        "out": str(out),
        **({"ratings": plan.ratings} if plan.ratings is not None else {}),
    }
    tell(f"simulating {len(agents) * plan.n:,} dialogues with {users}, seed {seed}")
    batch = simulate(study_of(fields), timed=plan.timed)
    return _systems_alone(gather([str(batch.dialogues)]))
