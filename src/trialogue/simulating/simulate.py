"""Run a simulation end to end: agents and simulated users by name, over one catalogue, into a folder of dialogues.

Baselines of every simulation: six agents that ignore the user, run with the same users as the evaluated agents.

Their scores are what simulated users give away for free. Their dialogues are in a separate folder
beside those of the agents, so that they are not mistaken for systems, and every report of the simulation includes them.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from trialogue.agents.base import Agent
from trialogue.agents.llm.agent import HuggingFaceAgent, LlmAgent
from trialogue.agents.registry import is_file, spec_of
from trialogue.agents.spec import CatalogueSpec
from trialogue.agents.tools.options import over_catalogue
from trialogue.errors import UsageError
from trialogue.inputs.knowledge import DEMO, load_catalogue
from trialogue.inputs.simulated_folder import FOLDER
from trialogue.inputs.simulation_origin import record_folders
from trialogue.llm.usage import BUDGET, Budget, use_budget
from trialogue.records import JsonValue, Role, sha256_of
from trialogue.records.files.opening import is_file as is_catalogue_file
from trialogue.simulating.model_usage import USAGE, Accountable, Metered, MeteredUsers
from trialogue.simulation.batch.batch import Batch, Progress, run_batch
from trialogue.simulation.batch.folder import LEDGER
from trialogue.simulation.batch.plan import Opening, Plan
from trialogue.simulation.batch.processes import ProcessPool
from trialogue.simulation.batch.simulation_file import SimulationFile, read_study, study_of
from trialogue.simulation.batch.workers import DialogueRunner, WorkerSpec
from trialogue.simulation.need_set import NeedCase, need_set, read_need_set, write_need_set
from trialogue.simulation.users.kinds import HasSignature, SimulatedUsers, UserKind, load_kind
from trialogue.simulation.users.needs import SAMPLING
from trialogue.simulation.users.world import NeedsByCase, World

EVERY_S = 2.0  # between two lines
# Dialogues after which the pace predicts the rest; the first ones wait until agents and users are created.
SURE = 20


class PrintedProgress:
    """Progress callback that prints at intervals.

    >>> said = []
    >>> progress = PrintedProgress(said.append)
    >>> for done, seconds in ((0, 0.0), (10, 1.0), (30, 3.0), (60, 6.0), (60, 6.0)):
    ...     progress(Progress(done=done, total=60, resumed=0, failed=1, elapsed_s=seconds))
    >>> said[1:]
    ['30 of 60 dialogues, 1 failed, 3 s to go', '60 of 60 dialogues, 1 failed, 0 s to go']
    """

    def __init__(self, tell: Callable[[str], None], what: str = "dialogues") -> None:
        """``what``: the counted units."""
        self._tell, self._what, self._last, self._done = tell, what, -EVERY_S, -1

    def __call__(self, now: Progress) -> None:
        """Receive progress, and print it at intervals and once at the end."""
        if now.elapsed_s - self._last >= EVERY_S or self._done < now.done == now.total:
            self._last, self._done = now.elapsed_s, now.done
            known = now.eta_s is not None and now.done - now.resumed >= SURE
            eta = f", {now.eta_s:.0f} s to go" if known else ""
            self._tell(f"{now.done:,} of {now.total:,} {self._what}, {now.failed:,} failed{eta}")


BASELINES: Mapping[str, str] = MappingProxyType(
    {
        "off-topic": "off-topic",
        "echo": "echo",
        "popular": "reference:popular",
        "random item": "reference:random",
        "static list": "reference:static",
        "catalogue dump": "reference:dump",
    }
)
"""Descriptions of the baselines, by their names in reports."""


def baseline_spec(
    study: SimulationFile, make_agent: Callable[[str], Agent], make_users: Callable[[str], SimulatedUsers]
) -> WorkerSpec:
    """WorkerSpec for simulating dialogues with the baselines; arguments as for ``simulate_baselines``."""
    return WorkerSpec(make_agent, make_users, DialogueRunner(max_turns=study.max_turns, role=Role.BASELINE))


def simulate_baselines(
    study: SimulationFile,
    spec: WorkerSpec,
    *,
    settings: Mapping[str, JsonValue],
    progress: Callable[[Progress], None] | None = None,
    pool: ProcessPool | None = None,
) -> Batch | None:
    """Run the missing dialogues of the baselines; None if the simulation has none.

    Args:
        study: located, with as many dialogues of each baseline with each kind of users as ``baselines`` says.
        spec: spec of ``baseline_spec``: a baseline by its name, users by their name in the study.
        settings: what else makes the dialogues what they are.
        progress: called with the state of the batch.
        pool: processes that the simulation uses, too.
    """
    if not study.baselines:
        return None
    plan = Plan(tuple(BASELINES), tuple(study.users), min(study.n, study.baselines), seed=study.seed)
    return run_batch(
        plan,
        spec.make_agent,
        spec.make_users,
        folder=study.out / FOLDER,
        jobs=study.jobs,
        cluster=study.cluster,
        at_once=study.at_once,
        talk=spec.talk,
        settings=settings,
        progress=progress,
        pool=pool,
    )


def baseline_options() -> dict[str, dict[str, JsonValue]]:
    """Options of the baselines, in the form of a simulation's agents."""
    return {name: {"agent": spec} for name, spec in BASELINES.items()}


Options = dict[str, JsonValue]


@dataclass(frozen=True)
class AgentsByName:
    """Picklable factory of a simulation's agents."""

    given: dict[str, Options]
    catalogue: str = DEMO
    ratings: str | None = None
    usage: Path | None = None
    """File for the models' usage; None: usage is not written."""
    budget: Budget | None = None
    """What language models may cost; None: unlimited."""

    def __call__(self, name: str) -> Agent:
        """Create an agent by its name in the simulation, which is also its name in the dialogues.

        Agents over a catalogue without one of their own recommend what users know.
        """
        spec = spec_of({"name": name, **self.given[name]})
        if isinstance(spec, CatalogueSpec) and "catalogue" not in spec.model_fields_set:
            spec = spec_of(spec, catalogue=self.catalogue, ratings=spec.ratings or self.ratings)
        spec = over_catalogue(spec, self.catalogue)
        with use_budget(self.budget):
            agent = spec.make()
        return (
            Metered(agent, name, self.usage) if self.usage and isinstance(agent, LlmAgent | HuggingFaceAgent) else agent
        )


@dataclass(frozen=True)
class UsersByName:
    """Picklable factory of a simulation's users, all over one catalogue."""

    given: dict[str, Options]
    catalogue: str = DEMO
    ratings: str | None = None
    usage: Path | None = None
    """File for the models' usage; None: usage is not written."""
    budget: Budget | None = None
    """What language models may cost; None: unlimited."""
    needs: str | None = None
    """File of a test set; None: needs are drawn."""

    def kind(self, name: str) -> UserKind:
        """Kind of the users with a name."""
        options = dict(self.given[name])
        return load_kind(str(options.pop("users", name)), **options)

    def __call__(self, name: str) -> SimulatedUsers:
        """Create the users with a name."""
        known = load_catalogue(self.catalogue, ratings=self.ratings)
        frozen = None if self.needs is None else read_need_set(self.needs).of_users(name)
        needs = None if frozen is None else {case: each.user_need for case, each in frozen.items()}
        with use_budget(self.budget):
            users = self.kind(name).settle(World(known.catalogue, known.ratings, needs))
        return MeteredUsers(users, name, self.usage) if self.usage and isinstance(users, Accountable) else users

    def signatures(self) -> dict[str, JsonValue]:
        """``user_signatures`` by name for users that have one, such as a hash of their prompts; else empty."""
        kinds = {name: self.kind(name) for name in self.given}
        found = {name: kind.signature for name, kind in kinds.items() if isinstance(kind, HasSignature)}
        signed: dict[str, JsonValue] = {name: signature for name, signature in found.items() if signature is not None}
        return {"user_signatures": signed} if signed else {}


def simulate(
    study: SimulationFile | Mapping[str, Any] | Path | str,
    *,
    catalogue: str | None = None,
    openings: Sequence[Opening] = (),
    timed: bool = False,
    save_needs: Path | str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Batch:
    """Run the dialogues of a simulation that its folder does not hold yet.

    Args:
        study: agents, users, how many, where: as a record, as its fields, or as a YAML file that holds them.
        catalogue: what users know and talk about, in place of the study's.
        openings: dialogues to continue from; (): dialogues start empty.
        timed: record the agents' response times in the dialogues, so that no two runs are identical.
        save_needs: file for the needs of the users, with which later simulations meet the same ones; None: not written.
        progress: called with the progress.

    Raises:
        UsageError: agents or users that cannot be made, or a folder that belongs to another study.
        DataError: fields that describe no study, with every mistake at once.
    """
    if not isinstance(study, SimulationFile):
        study = study_of(study) if isinstance(study, Mapping) else read_study(study)
    more: dict[str, JsonValue] = {"timed": True} if timed else {}
    if catalogue is not None:
        study = study.model_copy(update={"catalogue": catalogue})
    here = study.resolve_paths()
    budget = Budget(here.limits, here.out / BUDGET) if here.limits.are_set else None
    agents = AgentsByName(_agent_options(here), here.catalogue, here.ratings, here.out / USAGE, budget)
    users = UsersByName(_user_options(here), here.catalogue, here.ratings, here.out / USAGE, budget, here.needs)
    frozen = _check_needs(here)
    if save_needs is not None:
        _save_needs(here, replace(users, usage=None), save_needs)
    invented = _invented_tastes(here)
    contents = {
        "need_sampling": SAMPLING,
        **invented,
        **frozen,
        **_contents(zip(_files_of(study), _files_of(here), strict=True)),
        **users.signatures(),
    }
    spec = WorkerSpec(agents, users, DialogueRunner(max_turns=study.max_turns, timed=timed))
    spec_of_baselines = baseline_spec(here, AgentsByName(baseline_options(), here.catalogue, here.ratings), users)
    alone = study.jobs == 1 or study.cluster is not None
    with contextlib.nullcontext() if alone else ProcessPool([spec_of_baselines, spec], jobs=study.jobs) as pool:
        if not openings:
            common = {**study.user_settings(), "catalogue": study.catalogue, **contents}
            simulate_baselines(here, spec_of_baselines, settings=common, pool=pool)
        if not (here.out / LEDGER).is_file():
            record_folders(study.folder, here.out)
        batch = run_batch(
            replace(study.plan(), openings=tuple(openings)),
            agents,
            users,
            folder=here.out,
            jobs=study.jobs,
            cluster=study.cluster,
            at_once=study.at_once,
            talk=spec.talk,
            settings={**study.settings(), "catalogue": study.catalogue, **contents, **more},
            progress=progress,
            pool=pool,
            stop_after=study.stop_after,
            retry=study.retried_endings,
        )
    record_folders(study.folder, here.out)
    return batch


def _check_needs(study: SimulationFile) -> dict[str, JsonValue]:
    """``needs`` in the manifest: hash of the test set; {} without one.

    Raises:
        UsageError: it has too few needs, was made for another catalogue, or asks for items that nobody knows.
    """
    if study.needs is None:
        return {}
    found = read_need_set(study.needs)
    found.check(study.users, study.n)
    catalogue = load_catalogue(study.catalogue, ratings=study.ratings).catalogue
    known = catalogue.fingerprint
    if found.catalogue is None and (wrong := list(found.unknown_items(catalogue))):
        more = f"; and {len(wrong) - 5:,} more cases" if len(wrong) > 5 else ""
        raise UsageError(
            f"the test set {study.needs} asks for items that {study.catalogue} does not have: {'; '.join(wrong[:5])}{more}. "
            "Correct the ids in the file."
        )
    if found.catalogue not in (None, known):
        raise UsageError(
            f"the test set {study.needs} was made for another catalogue ({found.catalogue}; {study.catalogue} is {known}). "
            "Use that catalogue, or write a new test set with --set save_needs=FILE."
        )
    return {"needs": found.hash}


def _save_needs(study: SimulationFile, users: UsersByName, path: Path | str) -> None:
    """Write the needs that the users of a simulation have."""
    cases: list[NeedCase] = []
    for name in study.users:
        made = users(name)
        drawn = getattr(made, "cases", None)
        if not isinstance(drawn, NeedsByCase):
            raise UsageError(
                f"the users {name} have needs that cannot be saved, because they are not drawn from the catalogue."
            )
        for number in range(1, study.n + 1):
            need = drawn.draw(str(number), seed=study.seed).need
            cases.append(NeedCase(case=str(number), users=name, need=need))
        if isinstance(made, Accountable):
            made.close()
    fingerprint = load_catalogue(study.catalogue, ratings=study.ratings).catalogue.fingerprint
    write_need_set(path, need_set(cases, catalogue=fingerprint))


INVENTED = "invented from the catalogue's attributes"


def _invented_tastes(study: SimulationFile) -> dict[str, JsonValue]:
    """``tastes`` in the manifest, where users have no ratings of real people; else {}."""
    return {"tastes": INVENTED} if study.ratings is None and is_catalogue_file(study.catalogue) else {}


def notes_of(batch: Batch) -> tuple[str, ...]:
    """What a reader of the dialogues should know of how they were made."""
    if "tastes" not in batch.manifest.config:
        return ()
    return (
        "The catalogue has no ratings: the users' needs are drawn from its items, and what else they know and like is "
        "invented from its attributes. Popularity, collaborative filtering and personas need ratings (--set ratings=FILE).",
    )


def _agent_options(study: SimulationFile) -> dict[str, Options]:
    return {name: _options(given, "agent") for name, given in study.agents.items()}


def _user_options(study: SimulationFile) -> dict[str, Options]:
    return {name: _options(given, "users") for name, given in study.users.items()}


def _files_of(study: SimulationFile) -> Iterator[JsonValue]:
    """The names of files that dialogues rest on; in the same order for a study and the same one with its paths resolved."""
    yield study.catalogue
    yield study.ratings
    for options in _user_options(study).values():
        yield from (options.get(name) for name in ("phrases", "personas", "style"))
        yield options.get("users")
    described = (options.get("agent") for options in _agent_options(study).values())
    yield from (agent for agent in described if is_file(agent))


def _contents(files: Iterable[tuple[JsonValue, JsonValue]]) -> dict[str, JsonValue]:
    """sha256 of the files that dialogues rest on, so that a batch is not gone on with after one has changed.

    Args:
        files: each as the study's file names it, and as it is from here.
    """
    return {
        f"content of {name}": sha256_of(Path(file))
        for name, file in files
        if isinstance(file, str) and Path(file).is_file()
    }


def _options(given: str | Options, kind: str) -> Options:
    return dict(given) if isinstance(given, dict) else {kind: given}
