"""A simulated study: its plan, validated before anything starts, its run and its result."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field

from trialogue.errors import TrialogueError, UsageError
from trialogue.extras import need
from trialogue.options import Seed
from trialogue.records import Record
from trialogue.seeds import rng_for
from trialogue.study.bots.people import KINDS, READERS, Kind
from trialogue.study.design.file import FILE
from trialogue.study.design.folder import read_items
from trialogue.study.design.items import AnyItem, ChatItem
from trialogue.study.design.reading import read_study

Share = Annotated[float, Ge(0), Le(1)]
EFFECT_SPACING = 0.7  # logits between neighbors of the default effects


class Plan(Record):
    """A simulation, as it is passed to the process that runs it."""

    folder: str
    """Study folder, with the study file and the items."""
    export: str | None = None
    """Path of the export; None: no export."""
    seed: int = 0
    effects: dict[str, float] = Field(default_factory=dict)
    """Utility by system, in logits."""
    kinds: tuple[Kind, ...] = ()
    """Kind of each participant, in order of arrival."""


def kinds_of(workers: int, shares: Mapping[Kind, float], *, seed: int) -> tuple[Kind, ...]:
    """Behavior of each participant: the shares as exactly as possible, in random order.

    Args:
        workers: number of participants.
        shares: share of each kind; the rest is attentive.
        seed: seed of the order.

    Raises:
        UsageError: no workers, a share outside 0 to 1, or shares that add up to more than 1.

    >>> sorted(kinds_of(4, {"drop_out": 0.25}, seed=0))
    ['attentive', 'attentive', 'attentive', 'drop_out']
    """
    if workers < 1:
        raise UsageError(f"expected at least one worker, got {workers}.")
    wrong = [f"{kind}={share}" for kind, share in shares.items() if not 0 <= share <= 1]
    if wrong or sum(shares.values()) > 1 + 1e-9:
        values = ", ".join(wrong) or f"together {sum(shares.values()):g}"
        raise UsageError(f"shares of participants and their sum must lie between 0 and 1, got {values}.")
    kinds: list[Kind] = [kind for kind in KINDS for _ in range(round(workers * shares.get(kind, 0.0)))][:workers]
    kinds += ["attentive"] * (workers - len(kinds))
    order = rng_for(seed, "kinds").permutation(workers)
    return tuple(kinds[place] for place in order)


def effects_of(items: Sequence[AnyItem], given: Mapping[str, float] | None, *, seed: int) -> dict[str, float]:
    """The effect of each system: as given (0 for those not named), or evenly spaced in an order that the seed determines.

    Systems of live chats have none: what they will say is in no file, so a script that reads pages as people do cannot know
    which system it talks to.

    Raises:
        UsageError: an effect for a system that no item has, or for a system of a live chat.
    """
    if items and all(isinstance(item, ChatItem) for item in items):
        if given:
            what = "in live chats, scripted participants cannot prefer a system: no page names the system."
            raise UsageError(f"{what} Omit --effect; the simulation then only checks that every page works.")
        return {}
    systems = sorted({system for item in items for system in item.systems})
    if given is None:
        order = rng_for(seed, "effects").permutation(len(systems)).tolist()
        middle = (len(systems) - 1) / 2
        return {
            system: round(EFFECT_SPACING * (place - middle), 6) for system, place in zip(systems, order, strict=True)
        }
    unknown = sorted(set(given) - set(systems))
    if unknown:
        known = ", ".join(systems) or "none"
        raise UsageError(f"the items have no system {unknown[0]!r}. Systems: {known}.")
    return {system: float(given.get(system, 0.0)) for system in systems}


class SimulatedStudy(Record):
    """Result of a simulated study: counts from its pages and from its database."""

    study: str
    """Short name of the study, as in its address."""
    workers: int
    """Number of simulated participants who set out."""
    seed: int
    """Random seed of the participants, and of effects that were not given."""
    effects: dict[str, float]
    """Simulated true effects: utility by system, in logits."""
    kinds: dict[str, int]
    """Number of participants by kind of behavior."""
    turned_away: int
    """Number of participants who never got an item, however often they tried."""
    states: dict[str, int]
    """Participants in the database, by state."""
    requests: int
    """Requests of pages, without redirects."""
    server_errors: int
    """Responses with a 5xx status; 0 if all is well."""
    stuck: int
    """Participants who reached a page that leads nowhere; 0 if all is well."""
    acknowledged: int
    """Forms of steps that were acknowledged."""
    stored: int
    """Number of these answers that are in the database; equal if nothing was lost."""
    raters_per_item: int
    """Judgements that each item needs."""
    coverage: dict[str, int]
    """Number of items by number of judgements that count: of participants who completed and are not left out."""
    positions: dict[str, tuple[int, ...]]
    """For each system the number of the study's slots in which it stands first, second, ..."""
    imbalance: int
    """Largest difference between a system's counts in two positions, among items of the same systems; at most 1 is right."""
    judged_positions: dict[str, tuple[int, ...]]
    """The same for slots with a judgement that counts."""
    means: dict[str, float]
    """Observed value of each system: mean rating, or, for pairs, the mean of 1 (chosen), 0.5 (tie) and 0."""
    reused: int
    """Slots that were released and rated by another participant."""
    checks: dict[str, tuple[int, int]]
    """Attention checks by kind of participant: (failed, seen)."""
    flags: dict[str, dict[str, int]]
    """Rules hit by kind of participant."""
    completed: dict[str, int] = Field(default_factory=dict)
    """Participants who completed, by kind."""
    signals: dict[str, dict[str, int]] = Field(default_factory=dict)
    """Signs of language models by kind of participant, among those who completed."""
    export: str | None = None
    """Folder of the export; None if none was kept."""

    @property
    def largest_count(self) -> int:
        """Number of judgements of the item with the most."""
        return max(map(int, self.coverage), default=0)

    @property
    def complete(self) -> bool:
        """Whether every item has all its judgements."""
        return set(self.coverage) == {str(self.raters_per_item)}

    @property
    def recovers_order(self) -> bool:
        """Whether the observed means follow the order of the effects."""
        means = [self.means.get(system, 0.0) for system in sorted(self.effects, key=lambda name: self.effects[name])]
        return means == sorted(means)

    @property
    def wrong(self) -> list[str]:
        """Violated invariants in words; empty if there are none."""
        lost = self.acknowledged - self.stored
        failed = sum(self.checks[kind][0] for kind in READERS if kind in self.checks)
        violations = {
            f"{_count(self.server_errors, 'server response')} had a 5xx status": self.server_errors,
            f"{_count(self.stuck, 'participant')} reached a page that leads nowhere": self.stuck,
            f"{_count(lost, 'acknowledged form')} not found in the database": lost,
            f"an item has {self.largest_count} judgements instead of {self.raters_per_item}": self.largest_count
            > self.raters_per_item,
            f"{_count(failed, 'attention check')} failed by participants who followed the instructions": failed,
            f"a system is shown {self.imbalance} more times in one position than in another": self.imbalance > 1,
        }
        return [text for text, is_violated in violations.items() if is_violated]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


PLAN, RESULT, ERRORS = "plan.json", "result.json", "errors.txt"
MINE = ("TRIALOGUE_STUDY", "DATABASE_URL", "TRIALOGUE_HOSTS", "TRIALOGUE_SECURE")  # of a study that is served for real


def simulate_study(
    folder: Path | str,
    *,
    workers: int,
    effects: Mapping[str, float] | None = None,
    seed: Seed = 0,
    drop_out: Share = 0.1,
    careless: Share = 0.1,
    straight: Share = 0.0,
    obedient: Share = 0.0,
    person: float = 0.0,
    assisted: float = 0.0,
    agent: float = 0.0,
    export: Path | str | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> SimulatedStudy:
    """Let scripted participants walk every page of a study; the study's own database is neither read nor written.

    They read the HTML, fill in its forms and send them, through all of Django's middleware, with a clock of their own:
    leases of drop-outs expire, and those who were turned away come back. Their preferences are known, so an analysis of the
    export can be compared with them. The same study, workers, effects and seed give the same answers. In live chats the real
    agents of the study file are asked; no page says which one it is, so nobody prefers any.

    Args:
        folder: study folder.
        workers: number of participants.
        effects: utility by system, in logits; None: evenly spaced, in an order that the seed determines.
        seed: random seed.
        drop_out: share of participants who drop out at some page.
        careless: share of participants who answer at random and fail attention checks.
        straight: share of participants who always choose the first point.
        obedient: share of participants who answer at random but pass attention checks.
        person: share who read, write and type as people do (``manners``).
        assisted: share of people who let a language model write.
        agent: share who are programs that fill in forms with a language model.
        export: new or empty folder for the export; None: no export.
        progress: called with progress lines.

    Raises:
        DataError: a study file or items that cannot be read.
        UsageError: invalid shares or effects, or an export folder that is not empty.
        TrialogueError: the pages could not be walked; with the last lines of what Django said.
    """
    need("django", extra="study", purpose="walk the pages of a study")
    root = Path(folder)
    if not root.is_dir():
        raise UsageError(f"{folder} is not a folder. Give the folder that contains {FILE}.")
    file = read_study(root)
    items = read_items(root / file.items, file)
    shares: dict[Kind, float] = {
        "drop_out": drop_out,
        "careless": careless,
        "straight": straight,
        "obedient": obedient,
        "person": person,
        "assisted": assisted,
        "agent": agent,
    }
    plan = Plan(
        folder=str(root.resolve()),
        export=None if export is None else str(_empty(Path(export)).resolve()),
        seed=seed,
        effects=effects_of(items, effects, seed=seed),
        kinds=kinds_of(workers, shares, seed=seed),
    )
    with TemporaryDirectory(prefix="trialogue-study-") as room:
        return _run(plan, Path(room), progress)


def _empty(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists; give a new or empty folder.")
    return folder


def _run(plan: Plan, room: Path, progress: Callable[[str], None]) -> SimulatedStudy:
    """Run a plan in a process of its own, since Django is set up once in each, with one database."""
    (room / PLAN).write_text(plan.model_dump_json(), "utf-8")
    environment = {name: value for name, value in os.environ.items() if name not in MINE}
    environment |= {"DJANGO_SETTINGS_MODULE": "trialogue.study.settings", "TRIALOGUE_STUDY": str(room)}
    command = [sys.executable, "-m", "trialogue.study.bots", str(room)]
    with (
        (room / ERRORS).open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env=environment, text=True, encoding="utf-8"
        ) as process,
    ):
        try:
            for line in process.stdout or ():
                progress(line.strip())
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        said = (room / ERRORS).read_text("utf-8", "replace").strip().splitlines()[-12:]
        raise TrialogueError("\n".join(["the simulated study stopped:", *said]))
    return SimulatedStudy.model_validate_json((room / RESULT).read_text("utf-8"))
