"""Run a batch of dialogues in one or more processes and record every outcome in one ledger.

Dialogues already in the ledger are skipped, so an interrupted or killed batch resumes where it was. The
dialogues and their order in the export do not depend on the number of processes or their crashes. If a
process dies, its work is repeated; a dialogue that repeatedly kills its process is recorded as lost.
"""

import contextlib
import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.agents.base import Agent
from trialogue.errors import UsageError
from trialogue.llm.usage import LimitReached
from trialogue.long_work import few_collections
from trialogue.records import Ending, JsonValue, Manifest
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.kinds.endings import FAILURES
from trialogue.simulation.batch.dispatch import Dispatch
from trialogue.simulation.batch.folder import DIALOGUES, config_of, id_and_ending
from trialogue.simulation.batch.ledger import Ledger, export
from trialogue.simulation.batch.plan import Pair, Plan
from trialogue.simulation.batch.processes import Cluster, Processes, ProcessPool
from trialogue.simulation.batch.workers import (
    EXTERNAL,
    STOP_AFTER,
    Breaker,
    DialogueRunner,
    FinishedDialogue,
    Halted,
    LocalWorkers,
    Talking,
    WorkerContext,
    Workers,
    WorkerSpec,
    closing_workers,
)

SPEND = "spend.jsonl"
"""In a batch's folder: what each dialogue took of language models, by id, in order of completion; stopped ones, too."""
PROGRESS_S = 0.1  # the least time between two tellings of progress


@dataclass(frozen=True)
class Progress:
    """Progress of a batch."""

    done: int
    """Dialogues of the plan that are finished."""
    total: int
    """Dialogues of the plan."""
    resumed: int
    """Number of finished dialogues that existed at the start."""
    failed: int
    """Dialogues in the ledger that ended in a failure."""
    elapsed_s: float

    @property
    def eta_s(self) -> float | None:
        """Estimated remaining seconds at the current pace; None before the first dialogue."""
        new = self.done - self.resumed
        if self.done == self.total:
            return 0.0
        return self.elapsed_s / new * (self.total - self.done) if new else None


@dataclass(frozen=True)
class Batch:
    """Result of a batch."""

    dialogues: Path
    """The file with all dialogues, in the order of the plan."""
    manifest: Manifest
    """Provenance of the dialogues: command, settings, seed, versions and checksums."""
    resumed: int
    """Number of dialogues that existed before."""
    endings: dict[Ending | None, int]
    """Number of dialogues by ending, most frequent first; None: not recorded."""

    @property
    def failure_count(self) -> int:
        """Number of dialogues that ended in a failure."""
        return sum(count for ending, count in self.endings.items() if ending is not None and ending.is_failure)


class Interrupted(KeyboardInterrupt):
    """Raised on Ctrl-C, with instructions for resuming."""


@few_collections()
def run_batch(
    plan: Plan,
    make_agent: Callable[[str], Agent],
    make_users: Callable[[str], Any],
    *,
    folder: Path | str,
    jobs: int = 1,
    cluster: str | None = None,
    at_once: int = 1,
    talk: Talking | None = None,
    settings: Mapping[str, JsonValue] | None = None,
    progress: Callable[[Progress], None] | None = None,
    note: Note = warn,
    pool: ProcessPool | None = None,
    stop_after: int = STOP_AFTER,
    retry: Collection[Ending] = (),
) -> Batch:
    """Run every dialogue of a plan that is not yet in the folder's ledger, and export them all.

    Args:
        plan: what to hold.
        make_agent: an agent by its name in the plan; called once in each process that needs it.
        make_users: users by their name in the plan, with a method ``new(dialogue_id, *, seed)``; once in each process, too.
        folder: where ledger, dialogues and manifest are; the folder of an interrupted batch is gone on with.
        jobs: processes of this machine (or workers of a cluster that is ``local``); 1 without a cluster: this process.
        cluster: address of a Dask scheduler such as ``tcp://host:8786``, or ``local`` for one that is started and ended.
        at_once: dialogues that each process holds at the same time in threads, for agents that are waited for. An agent's
            ``sessions_at_once`` bounds them over all processes.
        talk: how a task becomes a dialogue; None: ``DialogueRunner()``.
        settings: whatever else makes the dialogues what they are (options of agents and users); goes into the manifest, and
            a ledger with other settings is refused.
        progress: called with the progress, at most ten times a second, and at the end.
        note: called if a ledger's last line is cut.
        pool: processes shared with other batches, in place of ``jobs`` of its own; it was given this batch's spec.
        stop_after: failures in a row of one cause after which no more dialogues of an agent with its users are started
            (``breaker``); 0: never.
        retry: endings of which dialogues are removed from the ledger and run again.

    Raises:
        UsageError: impossible options; the folder belongs to another batch, or is in use.
        DataError: the ledger cannot be read or written.
        MissingExtraError: ``cluster`` without the extra.
        LimitReached: a limit on language models (``llm.budget``); the ledger holds all that ended.
        Halted: dialogues were left out after ``stop_after`` failures in a row; the ledger holds all that ended.
        Interrupted: Ctrl-C; the ledger holds all that ended.
        Exception: what agents' or users' code raises that is no ``AgentFailure``: a mistake in it, to be seen; what was
            finished is in the ledger.
    """
    for name, value in (("jobs", jobs), ("at_once", at_once)):
        if value < 1:
            raise UsageError(f"{name} must be at least 1; given: {value}.")
    config = {**plan.to_json(), **(settings or {})}
    spec = WorkerSpec(make_agent, make_users, talk or DialogueRunner())
    with Ledger(folder, config, seed=plan.seed, note=note) as ledger:
        repeated = [name for name in plan.ids() if ledger.failures.get(name) in retry] if retry else []
        retried = _retry_counts(folder, Counter(ledger.failures[name] for name in repeated))
        ledger.drop(repeated)
        report = _Report(plan, ledger, progress, Breaker(stop_after))
        missing = [place for place, name in enumerate(plan.ids()) if name not in ledger]
        try:
            if missing:
                _hold(plan, missing, spec, report, jobs=jobs, cluster=cluster, at_once=at_once, pool=pool)
        except KeyboardInterrupt as interrupt:
            ledger.close()
            said = f"Interrupted: {ledger.count():,} of {len(plan):,} dialogues are safe in {ledger.path}."
            raise Interrupted(f"{said} Run the same command again to resume.") from interrupt
        report.tell()
        ledger.sync()
        if report.halt is not None:
            raise report.halt
        if report.breaker.outages and len(missing) > report.taken:
            raise Halted(
                report.breaker.outages,
                kept=len(plan) - len(missing) + report.taken,
                total=len(plan),
                ledger=str(ledger.path),
            )
        manifest = export(ledger, plan.ids(), {**config, "n": plan.n, **retried}, seed=plan.seed)
        return Batch(Path(folder) / DIALOGUES, manifest, report.resumed, _endings(plan, ledger))


def _retry_counts(folder: Path | str, dropped: Mapping[Ending, int]) -> dict[str, JsonValue]:
    """``retried`` in the manifest: how many of the agents' own failures were ever run again, by ending; {} if none.

    Other failures leave no trace, as they say nothing about the agent.
    """
    before = config_of(folder).get("retried")
    counts = Counter(before if isinstance(before, dict) else {})
    counts.update({str(ending): count for ending, count in dropped.items() if ending not in EXTERNAL})
    return {"retried": dict(sorted(counts.items()))} if counts else {}


def _endings(plan: Plan, ledger: Ledger) -> dict[Ending | None, int]:
    """Number of the plan's dialogues by ending; the ledger may hold more, of an earlier, longer plan."""
    counts = ledger.endings
    if len(ledger) != len(plan):
        counts = Counter(id_and_ending(line)[1] for line in ledger.lines(plan.ids()))
    return dict(counts.most_common())


class _Report:
    """Writes what ends into the ledger, and tells how far it is."""

    def __init__(
        self, plan: Plan, ledger: Ledger, progress: Callable[[Progress], None] | None, breaker: Breaker
    ) -> None:
        self.breaker = breaker
        self.halt: LimitReached | None = None
        self._ledger, self._progress, self._total = ledger, progress, len(plan)
        self.resumed = self._done = sum(name in ledger for name in plan.ids())
        self._start = self._last_report = time.monotonic()

    def skips(self, pair: Pair) -> bool:
        """Whether no more dialogues of an agent with its users are to be started."""
        return self.halt is not None or self.breaker.is_open(pair)

    def take(self, ended: FinishedDialogue) -> None:
        """One dialogue is over, or stopped by a limit."""
        self._record_spend(ended)
        if ended.halt is not None:
            self.halt = self.halt or ended.halt
            return
        self._ledger.append(ended.id, ended.ended_by, ended.line)
        self._done += 1
        self.breaker.take(ended)
        if self._progress is not None and time.monotonic() - self._last_report >= PROGRESS_S:
            self.tell()

    def _record_spend(self, ended: FinishedDialogue) -> None:
        if ended.spend.answers:
            line = json.dumps(
                {"dialogue": ended.id, **vars(ended.spend), "finished": ended.halt is None}, ensure_ascii=False
            )
            with self._ledger.path.with_name(SPEND).open("a", encoding="utf-8", errors="replace") as stream:
                stream.write(line + "\n")

    @property
    def taken(self) -> int:
        """Dialogues that ended since the start."""
        return self._done - self.resumed

    def tell(self) -> None:
        """Say how far it is."""
        if self._progress is not None:
            self._last_report = time.monotonic()
            failed = sum(self._ledger.endings[reason] for reason in FAILURES)
            self._progress(Progress(self._done, self._total, self.resumed, failed, self._last_report - self._start))


def _hold(
    plan: Plan,
    missing: Sequence[int],
    spec: WorkerSpec,
    report: _Report,
    *,
    jobs: int,
    cluster: str | None,
    at_once: int,
    pool: ProcessPool | None,
) -> None:
    if cluster is None and jobs == at_once == 1:
        _hold_here(plan, missing, WorkerContext(spec), report)
        return
    if cluster is None and jobs > 1:
        with contextlib.nullcontext(pool) if pool else ProcessPool([spec], jobs=jobs) as processes:
            _dispatch(plan, missing, Processes(processes, spec, at_once=at_once), report)
        return
    if cluster is not None:
        _dispatch(plan, missing, Cluster(spec, address=cluster, jobs=jobs, at_once=at_once), report)
        return
    _dispatch(plan, missing, LocalWorkers(spec, at_once=at_once), report)


def _dispatch(plan: Plan, missing: Sequence[int], workers: Workers, report: _Report) -> None:
    with closing_workers(workers):
        Dispatch(plan, missing, workers, report.take, skips=report.skips).run()


def _hold_here(plan: Plan, missing: Sequence[int], context: WorkerContext, report: _Report) -> None:
    """One after another, each into the ledger at once."""
    cells = dict.fromkeys(place // plan.n for place in missing)
    try:
        context.prepare(plan[cell * plan.n] for cell in cells)
        for place in missing:
            if not report.skips(plan.pair_at(place)):
                report.take(context.run(plan[place]))
    finally:
        context.close()
